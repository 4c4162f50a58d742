// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/references/icechunk_containers.h"
#include "core/store/store.h"

namespace zarr {

// The state of a repository that a user wants to read. At most one member may be set. If all
// members are empty, the state of the branch "main" is read.
struct IcechunkSelection {
    std::string branch;
    std::string tag;
    std::string snapshot;  // identifier of a snapshot in base 32
};

// Branches, tags and configuration of an Icechunk repository: the file `repo` of version 2, or the
// files refs/*/ref.json and config.yaml of version 1. Immutable and thread-safe.
class IcechunkRepository {
  public:
    // Reads the repository in `store`, which must outlive the result. Returns kNotFound if the
    // store holds no repository, and kUnsupported if the repository is offline.
    static Result<IcechunkRepository> Open(const Store& store);

    // Returns the identifier of the snapshot that `selection` names. Returns kNotFound, with a list
    // of the existing names, if there is no such branch, tag or snapshot.
    Result<std::string> SnapshotOf(const IcechunkSelection& selection) const;

    // Return the sorted names of all branches or tags. In version 1, they are found by listing the
    // store.
    Result<std::vector<std::string>> Branches() const { return Names(kBranch); }
    Result<std::vector<std::string>> Tags() const { return Names(kTag); }

    // Returns the virtual chunk containers. If they cannot be read, fault() of the result says why.
    IcechunkContainers Containers() const;

  private:
    enum Kind { kBranch, kTag };
    using Refs = std::map<std::string, std::string>;  // identifiers of snapshots by name

    explicit IcechunkRepository(const Store& store) : store_(&store) {}
    Status ReadRepoFile();
    Result<std::vector<std::string>> Names(Kind kind) const;
    Result<std::string> SnapshotOfRef(Kind kind, const std::string& name) const;
    Result<std::optional<std::string>> ReadRef(Kind kind, const std::string& folder) const;
    Result<std::map<std::string, std::string>> RefFolders(Kind kind) const;
    Status NoSuch(const char* what, const std::string& name,
                  const Result<std::vector<std::string>>& existing) const;
    Result<std::vector<std::string>> Snapshots() const;

    const Store* store_;
    unsigned version_ = 1;
    // Read from the file `repo` of a version 2 repository; empty for version 1.
    std::array<Refs, 2> refs_;  // by Kind
    std::vector<std::string> snapshots_;
    IcechunkContainers containers_;
};

}  // namespace zarr

// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/dim_vector.h"
#include "core/base/status.h"
#include "core/references/flatbuffer.h"
#include "core/references/icechunk_file.h"
#include "core/store/store.h"

namespace zarr {

// A manifest file, which has the references of one array's chunks in a box of chunk indices.
struct IcechunkManifestRef {
    std::string id;  // name of the manifest's file
    // Box of chunk indices: first index and end per dimension. Both are empty if the box is
    // unknown.
    std::vector<std::uint32_t> from;
    std::vector<std::uint32_t> to;

    bool Covers(const DimVector<std::uint64_t>& chunk) const;
};

// The groups and arrays of a repository at one commit. Immutable and thread-safe.
class IcechunkSnapshot {
  public:
    // Reads the snapshot `id` of a repository.
    static Result<std::shared_ptr<const IcechunkSnapshot>> Read(const Store& repository,
                                                                const std::string& id);

    struct Node {
        std::string_view path;      // without a leading slash; "" for the root
        std::string_view document;  // text of the node's zarr.json
        bool is_array = false;
        ByteSpan id;            // identifier of the node in manifests
        std::size_t table = 0;  // position of the node's table in the snapshot file
    };
    // Returns the node at `path`; nullptr if there is none.
    const Node* Find(std::string_view path) const;
    // Returns all nodes, sorted by path. Nodes whose path is no valid key are left out.
    const std::vector<Node>& nodes() const { return nodes_; }

    // Returns the manifests of an array with `rank` dimensions. They are sorted by the first chunk
    // index of their box along the first dimension; manifests without a box come first.
    // Their memory is added to `memory`.
    Result<std::vector<IcechunkManifestRef>> ManifestsOf(const Node& array, std::size_t rank,
                                                         BudgetShare& memory) const;

    // Returns the budget for this snapshot and all that is read for it.
    const std::shared_ptr<MemoryBudget>& budget() const { return file_.memory.budget(); }

  private:
    IcechunkSnapshot() = default;
    Status Parse();
    static Result<Node> NodeOf(const FlatTable& table);

    IcechunkFile file_;
    std::vector<Node> nodes_;
};

}  // namespace zarr

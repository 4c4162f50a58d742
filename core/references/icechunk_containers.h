// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/json/value.h"

namespace zarr {

// A location of virtual chunks: all files and objects whose URLs begin with `url_prefix`.
struct IcechunkContainer {
    std::string name;         // name of the container in locations "vcc://NAME/path"; may be empty
    std::string url_prefix;   // start of the URLs, such as "s3://bucket/folder/"
    std::string store;        // kind of the store, such as "s3" or "http"
    std::string region;       // region of the store; may be empty
    std::string endpoint;     // URL of the server; empty for the usual server of the store
    std::string account;      // storage account of Azure; may be empty
    bool anonymous = false;   // true if requests need no credentials
    bool path_style = false;  // true if the name of a bucket follows the host in URLs
};

// The virtual chunk containers of a repository. Immutable and thread-safe.
class IcechunkContainers {
  public:
    IcechunkContainers() = default;
    // For a repository whose configuration cannot be read, for the reason `fault`. Holds no
    // containers; Resolve() reports `fault`.
    explicit IcechunkContainers(Status fault) : fault_(std::move(fault)) {}

    // Reads the member "virtual_chunk_containers" of a repository's configuration: config.yaml in
    // Icechunk 1, the file `repo` in Icechunk 2.
    static Result<IcechunkContainers> FromConfig(const json::Value& config);

    // URL of a virtual chunk, and the container in which the URL lies.
    struct Resolved {
        std::string url;
        const IcechunkContainer* container = nullptr;  // nullptr if the URL lies in no container
    };
    // Returns the URL of the virtual chunk at `location`, and its container, which lives as long as
    // this object. Returns kCorrupt if the location names a container that the repository lacks.
    Result<Resolved> Resolve(const std::string& location) const;

    // Returns why the containers are unknown; ok if they are known.
    const Status& fault() const { return fault_; }
    const std::vector<IcechunkContainer>& list() const { return list_; }

  private:
    std::vector<IcechunkContainer> list_;
    Status fault_;
};

}  // namespace zarr

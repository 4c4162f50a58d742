// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/load_once_cache.h"
#include "core/base/status.h"
#include "core/base/tuning.h"
#include "core/metadata/array_metadata.h"
#include "core/references/icechunk_manifest.h"
#include "core/references/icechunk_snapshot.h"
#include "core/references/reference.h"
#include "core/store/store.h"

namespace zarr {

// The keys of one snapshot of an Icechunk repository: "zarr.json" of each node, and the chunks or
// shards of each array. A manifest is read when one of its chunks is requested. A bounded number of
// bytes of manifests stays in memory.
class IcechunkMap final : public ReferenceMap {
  public:
    // `repository` is the folder of the repository. If `checks_targets` is false, references have
    // no conditions: the ETags and times in the manifests are ignored. `identity` is returned by
    // Identity().
    IcechunkMap(std::shared_ptr<const Store> repository,
                std::shared_ptr<const IcechunkSnapshot> snapshot, bool checks_targets,
                std::string identity)
        : repository_(std::move(repository)),
          snapshot_(std::move(snapshot)),
          checks_targets_(checks_targets),
          identity_(std::move(identity)),
          manifests_(tuning::kManifestCacheBytes) {}

    Result<Reference> Find(const std::string& key) const override;
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override;
    Status ForEachKey(const std::string& prefix, const KeyVisitor& visit) const override;
    std::string Identity() const override { return identity_; }

  private:
    using Node = IcechunkSnapshot::Node;

    // An array's metadata and manifests.
    struct Array {
        ArrayMetadata metadata;
        // Manifests without a box come first. All others are sorted by the first chunk index of
        // their box along the first dimension.
        std::vector<IcechunkManifestRef> manifests;
        // Largest number of chunk indices along the first dimension in the box of a manifest.
        std::uint64_t longest = 0;
        BudgetShare memory;  // bytes of `manifests`
    };
    using ArrayPtr = std::shared_ptr<const Array>;
    using ManifestPtr = std::shared_ptr<const IcechunkManifest>;

    // Returns the array that has the chunk `key`; nullptr if there is none.
    const Node* ArrayOf(std::string_view key) const;
    Result<ArrayPtr> Load(const Node& node) const;
    Result<ManifestPtr> LoadManifest(const std::string& id) const;
    Result<ManifestPtr> ReadManifest(const std::string& id) const;
    bool IsInUse() const;
    void ForgetUnused() const;
    Result<Reference> FindChunk(const Node& node, const Array& array,
                                const DimVector<std::uint64_t>& chunk) const;
    // Calls `visit` with the key of each stored chunk of an array.
    Status ForEachChunk(const Node& node, const KeyVisitor& visit) const;

    const std::shared_ptr<const Store> repository_;
    const std::shared_ptr<const IcechunkSnapshot> snapshot_;
    const bool checks_targets_;
    const std::string identity_;
    // Held shared while a manifest is read, and alone if the budget does not suffice for several.
    mutable std::shared_mutex reading_;
    mutable LoadOnceCache<std::string, IcechunkManifest> manifests_;
    mutable std::mutex mutex_;  // guards the members below
    mutable std::unordered_map<const Node*, ArrayPtr> arrays_;
    // Manifests that were read and may still be in use.
    mutable std::vector<std::weak_ptr<const IcechunkManifest>> read_;
};

}  // namespace zarr

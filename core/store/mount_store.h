// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/store.h"

namespace zarr {

// Read-only store that shows the second store as folder `name` in the root of the first store. Keys
// NAME/KEY belong to the second store and hide equal keys of the first store.
class MountStore final : public ForwardingStore, private Prefetcher {
  public:
    MountStore(std::shared_ptr<const Store> base, std::string name,
               std::shared_ptr<const Store> mounted)
        : ForwardingStore(std::move(base)), name_(std::move(name)), mounted_(std::move(mounted)) {}

    std::string Identity() const override;
    ObjectVersion VersionOf(const std::string& key) const override;
    bool WaitsForDisk(const std::string& key) const override;
    // Returns the traits of the first store, but `packed` (all values are parts of one object) is
    // false, because the keys of one request may belong to both stores.
    StoreTraits Traits() const override;
    Status GetMany(const std::vector<std::string>& keys, const ReadManyOptions& options,
                   const ValueTaker& take) const override {
        return Store::GetMany(keys, options, take);
    }
    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override;
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override;
    Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const override;
    Status ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                      const PrefixVisitor& visit_prefix) const override;
    const Prefetcher* prefetcher() const override { return this; }

  private:
    void Prefetch(const std::vector<std::string>& keys,
                  const std::vector<std::string>& prefixes) const override;
    bool IsCached(const std::string& key) const override;
    bool IsListingCached(const std::string& prefix) const override;
    // Returns the key's name in the mounted store: the part of `key` after "NAME/", or "" for NAME
    // itself. Returns nullopt if `key` is not in the mounted store.
    std::optional<std::string> Below(std::string_view key) const;
    // Calls `call` with the store that contains `key`, and with the key's name in that store.
    // Adds "NAME/" to the start of the mounted store's error messages.
    template <class Call>
    auto Forward(const std::string& key, const Call& call) const;

    const std::string name_;
    const std::shared_ptr<const Store> mounted_;
};

}  // namespace zarr

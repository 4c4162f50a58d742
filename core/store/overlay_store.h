// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/store/store.h"

namespace zarr {

// Store that serves some keys from memory, and all others from a base store. Used for consolidated
// metadata. A listing contains only keys in memory and needs no request. Read-only and immutable.
class OverlayStore final : public ForwardingStore, private Prefetcher {
  public:
    using Values = std::vector<std::pair<std::string, std::string_view>>;

    // `values` are pairs of key and value; the values point into `text`. If a key occurs twice, the
    // last value is used. `is_overlaid` takes the last name of a key. A key for which `is_overlaid`
    // returns true is never requested from `base`.
    OverlayStore(std::shared_ptr<const Store> base, Buffer text, const Values& values,
                 bool (*is_overlaid)(std::string_view name));

    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override;
    // Reads the values of `keys`. If no key is in memory, reads all values with one call of the
    // base store.
    Status GetMany(const std::vector<std::string>& keys, const ReadManyOptions& options,
                   const ValueTaker& take) const override;
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override;
    const Prefetcher* prefetcher() const override { return this; }

  private:
    // Prefetches `keys` from the base store, except keys that are served from memory.
    void Prefetch(const std::vector<std::string>& keys,
                  const std::vector<std::string>& prefixes) const override;
    bool IsCached(const std::string& key) const override;
    bool IsListingCached(const std::string&) const override { return true; }
    bool IsOverlaid(std::string_view key) const;
    void AddToParents(std::string_view key);

    const Buffer text_;  // text that the values in `entries_` point into
    bool (*const is_overlaid_)(std::string_view);
    std::unordered_map<std::string, std::string_view> entries_;  // key -> value
    std::unordered_map<std::string, std::map<std::string, bool>>
        children_;  // prefix -> name of a child -> is_prefix
};

}  // namespace zarr

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

// Serves some keys of a store from memory, as consolidated metadata hold documents, and all others
// from the store. Lists the keys in memory alone, without asking the store. Read-only and
// immutable.
class OverlayStore final : public ForwardingStore, private Prefetcher {
  public:
    using Values = std::vector<std::pair<std::string, std::string_view>>;

    // `values` are keys with their values, which lie in `text`; of a key that occurs twice the last
    // value counts. Keys whose last name `is_overlaid` accepts are never asked of
    // the store.
    OverlayStore(std::shared_ptr<const Store> base, Buffer text, const Values& values,
                 bool (*is_overlaid)(std::string_view name));

    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override;
    // Together, where none of them is in memory.
    Status GetMany(const std::vector<std::string>& keys, const ReadManyOptions& options,
                   const ValueTaker& take) const override;
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override;
    const Prefetcher* prefetcher() const override { return this; }

  private:
    // Requests the keys that are not overlaid.
    void Prefetch(const std::vector<std::string>& keys,
                  const std::vector<std::string>& prefixes) const override;
    bool IsAtHand(const std::string& key) const override;
    bool IsListAtHand(const std::string&) const override { return true; }
    bool IsOverlaid(std::string_view key) const;
    void AddToParents(std::string_view key);

    const Buffer text_;  // the values lie in it
    bool (*const is_overlaid_)(std::string_view);
    std::unordered_map<std::string, std::string_view> entries_;              // key -> its value
    std::unordered_map<std::string, std::map<std::string, bool>> children_;  // name -> is_prefix
};

}  // namespace zarr

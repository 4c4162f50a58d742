// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <unordered_map>

#include "core/store/store.h"

namespace zarr {

// Serves the metadata keys of a store from its `.zmetadata` (zarr-python's consolidated metadata,
// format 1) and everything else from the store itself. Listing shows the hierarchy that the
// metadata describe, without asking the store. Read-only and immutable.
class ConsolidatedStore final : public ForwardingStore {
  public:
    // `text` is the contents of `.zmetadata`; without "zarr_consolidated_format" it is of format 1.
    // Its entries are found, not parsed. kCorrupt where it cannot be used.
    static Result<std::shared_ptr<const Store>> Make(std::shared_ptr<const Store> base,
                                                     Buffer text);

    Result<bool> Get(const std::string& key, Buffer& value, std::size_t limit) const override;
    Result<std::optional<std::size_t>> GetInto(const std::string& key,
                                               MutableByteSpan memory) const override;
    Result<bool> GetRange(const std::string& key, std::uint64_t offset, std::size_t length,
                          Buffer& value) const override;
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override;

  private:
    ConsolidatedStore(std::shared_ptr<const Store> base, Buffer text)
        : ForwardingStore(std::move(base)), text_(std::move(text)) {}
    void AddToParents(std::string_view key);

    Buffer text_;
    std::unordered_map<std::string, std::string_view> entries_;  // key -> its JSON in text_
    std::unordered_map<std::string, std::map<std::string, bool>> children_;  // name -> is_prefix
};

}  // namespace zarr

// SPDX-License-Identifier: MIT
#include "core/hierarchy/store_erasure.h"

#include <algorithm>
#include <vector>

#include "core/grid/chunk_key.h"
#include "core/hierarchy/hierarchy.h"
#include "core/hierarchy/tree.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

class ForeignFinder {
  public:
    ForeignFinder(const Store& store, const std::function<bool(std::string_view)>& is_known)
        : store_(store), is_known_(is_known) {}

    Result<std::string> Visit(const std::string& prefix, std::size_t depth) const {
        if (depth > kMaxGroupDepth)
            return Status::Limit(prefix.substr(0, 80) + "...: nests more than " +
                                 std::to_string(kMaxGroupDepth) + " levels deep");
        ZARR_ASSIGN_OR_RETURN(const std::vector<StoreEntry> entries, store_.List(prefix));
        const bool is_array = std::any_of(entries.begin(), entries.end(), [](const auto& entry) {
            return !entry.is_prefix && entry.name == kArrayKey;
        });
        for (const StoreEntry& entry : entries) {
            std::string key = JoinKey(prefix, entry.name);
            if (IsOurs(entry.name) && (is_array || !entry.is_prefix)) continue;
            if (is_array || !entry.is_prefix) return key;
            ZARR_ASSIGN_OR_RETURN(std::string foreign, Visit(key, depth + 1));
            if (!foreign.empty()) return foreign;
        }
        return std::string();
    }

  private:
    bool IsOurs(std::string_view name) const {
        // Also NCZarr's own documents.
        return name.substr(0, 2) == ".z" || name.substr(0, 4) == ".ncz" || LooksLikeChunk(name) ||
               is_known_(name);
    }

    const Store& store_;
    const std::function<bool(std::string_view)>& is_known_;
};

int RankAtTheRoot(const StoreEntry& entry) {
    if (entry.name == kConsolidatedKey) return 0;
    if (entry.name == kArrayKey) return 1;
    return entry.name == kGroupKey ? 3 : 2;
}

}  // namespace

Result<std::string> FindForeign(const Store& store,
                                const std::function<bool(std::string_view)>& is_known) {
    return ForeignFinder(store, is_known).Visit("", 0);
}

Status EraseStore(Store& store) {
    ZARR_ASSIGN_OR_RETURN(std::vector<StoreEntry> entries, store.List(""));
    std::stable_sort(entries.begin(), entries.end(), [](const StoreEntry& x, const StoreEntry& y) {
        return RankAtTheRoot(x) < RankAtTheRoot(y);
    });
    for (const StoreEntry& entry : entries)
        ZARR_RETURN_IF_ERROR(entry.is_prefix ? EraseTree(store, entry.name)
                                             : store.Erase(entry.name));
    return {};
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
#include "core/store/watched_store.h"

#include <algorithm>
#include <string_view>

#include "core/store/keys.h"

namespace zarr {

namespace {

// Chunks are read by who wants them, and is told.
bool IsMetadata(std::string_view key) {
    static constexpr std::string_view kNames[] = {kArrayKey,        kGroupKey,   kAttributesKey,
                                                  kConsolidatedKey, kV1ArrayKey, kV1AttributesKey};
    return std::find(std::begin(kNames), std::end(kNames), LastName(key)) != std::end(kNames);
}

}  // namespace

void WatchedStore::Note(const Status& status) const {
    if (status.code() != StatusCode::kIo) return;
    const std::lock_guard<Mutex> lock(mutex_);
    if (first_.ok()) first_ = status;
}

Status WatchedStore::TakeFailure() const {
    const std::lock_guard<Mutex> lock(mutex_);
    return std::exchange(first_, Status());
}

Result<bool> WatchedStore::Get(const std::string& key, Buffer& value, std::size_t limit) const {
    auto found = base().Get(key, value, limit);
    if (!found.ok() && IsMetadata(key)) Note(found.status());
    return found;
}

Result<std::vector<StoreEntry>> WatchedStore::List(const std::string& prefix) const {
    auto entries = base().List(prefix);
    if (!entries.ok()) Note(entries.status());
    return entries;
}

}  // namespace zarr

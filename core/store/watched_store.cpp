// SPDX-License-Identifier: MIT
#include "core/store/watched_store.h"

#include <algorithm>
#include <mutex>
#include <string_view>

#include "core/base/threads.h"
#include "core/store/keys.h"

namespace zarr {

void WatchedStore::Note(const Status& status) const {
    if (status.code() != StatusCode::kIo) return;
    failures_.fetch_add(1);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (first_.ok()) first_ = status;
}

Status WatchedStore::TakeFailure() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(first_, Status());
}

template <class Call>
auto WatchedStore::Observe(Call&& call) const {
    counters_.requests.fetch_add(1, std::memory_order_relaxed);
    return Timed(call, [this](std::uint64_t time) {
        counters_.time.fetch_add(time, std::memory_order_relaxed);
    });
}

Result<ReadResult> WatchedStore::Read(const std::string& key, const ValuePart& part,
                                      const ReadSink& sink) const {
    auto read = Observe([&] { return base().Read(key, part, sink); });
    if (!read.ok() && is_document_(LastName(key))) Note(read.status());
    return read;
}

Status WatchedStore::GetMany(const std::vector<std::string>& keys, const ReadManyOptions& options,
                             const ValueTaker& take) const {
    return Observe([&] { return base().GetMany(keys, options, take); });
}

Status WatchedStore::VisitEntries(const std::string& prefix, const EntryVisitor& visit) const {
    return Observe([&] { return base().VisitEntries(prefix, visit); });
}

Status WatchedStore::ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                                const PrefixVisitor& visit_prefix) const {
    return Observe([&] { return base().ForEachKey(prefix, visit, visit_prefix); });
}

Result<std::vector<StoreEntry>> WatchedStore::List(const std::string& prefix) const {
    auto entries = Observe([&] { return base().List(prefix); });
    if (!entries.ok()) Note(entries.status());
    return entries;
}

}  // namespace zarr

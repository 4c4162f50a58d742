// SPDX-License-Identifier: MIT
#include "core/array/pending_shards.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "core/base/tuning.h"

namespace zarr {

namespace {

std::size_t SizeOfPending(const std::shared_ptr<const Buffer>& bytes) {
    return tuning::kPendingOverhead + (bytes != nullptr ? bytes->capacity() : 0);
}

}  // namespace

std::optional<std::shared_ptr<const Buffer>> PendingShards::Find(std::uint64_t shard,
                                                                 std::uint64_t chunk) const {
    if (empty()) return std::nullopt;
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = shards_.find(shard);
    if (found == shards_.end()) return std::nullopt;
    const auto pending_chunk = found->second.chunks.find(chunk);
    if (pending_chunk == found->second.chunks.end()) return std::nullopt;
    return pending_chunk->second;
}

std::size_t PendingShards::Put(std::uint64_t shard, const ShardChange& chunk,
                               const std::shared_ptr<Synchronizer>& locks) {
    // Declared before `lock`, so that it is freed after the unlock.
    std::shared_ptr<const Buffer> replaced;
    const std::lock_guard<std::mutex> lock(mutex_);
    Shard& pending = shards_[shard];
    const auto [entry, is_new] = pending.chunks.try_emplace(chunk.chunk);
    if (!is_new) {
        replaced = std::move(entry->second);
        pending.bytes -= SizeOfPending(replaced);
        bytes_ -= SizeOfPending(replaced);
    }
    entry->second = chunk.bytes;
    pending.bytes += SizeOfPending(chunk.bytes);
    bytes_ += SizeOfPending(chunk.bytes);
    if (locks != nullptr) pending.locks = locks;
    return pending.chunks.size();
}

PendingShards::Changes PendingShards::Of(std::uint64_t shard) const {
    Changes changes;
    if (empty()) return changes;
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = shards_.find(shard);
    if (found == shards_.end()) return changes;
    changes.chunks.reserve(found->second.chunks.size());
    for (const auto& [chunk, bytes] : found->second.chunks)
        changes.chunks.push_back({chunk, bytes});
    changes.locks = found->second.locks;
    return changes;
}

std::vector<std::uint64_t> PendingShards::Shards() const {
    std::vector<std::uint64_t> shards;
    if (empty()) return shards;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (const auto& [shard, pending] : shards_) shards.push_back(shard);
    }
    std::sort(shards.begin(), shards.end());
    return shards;
}

std::optional<std::uint64_t> PendingShards::ReserveLargest() {
    if (empty()) return std::nullopt;
    const std::lock_guard<std::mutex> lock(mutex_);
    auto largest = shards_.end();
    for (auto it = shards_.begin(); it != shards_.end(); ++it)
        if (!it->second.is_taken &&
            (largest == shards_.end() || it->second.bytes > largest->second.bytes))
            largest = it;
    if (largest == shards_.end()) return std::nullopt;
    largest->second.is_taken = true;
    return largest->first;
}

void PendingShards::Unreserve(std::uint64_t shard) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = shards_.find(shard);
    if (found != shards_.end()) found->second.is_taken = false;
}

void PendingShards::OnStored(std::uint64_t shard, const std::vector<ShardChange>& stored) {
    GateOf(shard).stored.fetch_add(1, std::memory_order_relaxed);
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = shards_.find(shard);
    if (found == shards_.end()) return;
    Shard& pending = found->second;
    for (const ShardChange& change : stored) {
        const auto pending_chunk = pending.chunks.find(change.chunk);
        if (pending_chunk == pending.chunks.end() || pending_chunk->second != change.bytes)
            continue;
        pending.bytes -= SizeOfPending(pending_chunk->second);
        bytes_ -= SizeOfPending(pending_chunk->second);
        pending.chunks.erase(pending_chunk);
    }
    if (pending.chunks.empty()) shards_.erase(found);
}

void PendingShards::Clear() {
    // Declared before `lock`, so that it is freed after the unlock.
    std::unordered_map<std::uint64_t, Shard> dropped;
    const std::lock_guard<std::mutex> lock(mutex_);
    std::swap(dropped, shards_);
    bytes_ = 0;
}

std::shared_lock<std::shared_mutex> PendingShards::Reading(std::uint64_t shard) const {
    // A forked child takes no lock, because a lock that a parent's thread held during the fork
    // stays locked forever.
    if (!is_own()) return {};
    return std::shared_lock<std::shared_mutex>(GateOf(shard).mutex);
}

std::unique_lock<std::shared_mutex> PendingShards::Writing(std::uint64_t shard) const {
    if (!is_own()) return {};
    return std::unique_lock<std::shared_mutex>(GateOf(shard).mutex);
}

std::uint64_t PendingShards::StoreCount(std::uint64_t shard) const {
    return GateOf(shard).stored.load(std::memory_order_relaxed);
}

}  // namespace zarr

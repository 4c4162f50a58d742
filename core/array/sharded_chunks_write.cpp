// SPDX-License-Identifier: MIT
// Listing and writing of chunks in shards.
#include <algorithm>
#include <mutex>
#include <utility>

#include "core/array/sharded_chunks.h"
#include "core/base/checked.h"
#include "core/base/thread_pool.h"

namespace zarr {

namespace {

// Each index is a request.
constexpr std::size_t kMostDistantShards = 64;

}  // namespace

Result<std::vector<std::uint64_t>> ShardedChunks::PresentShards(
    const SizeVisitor& visit_size) const {
    std::vector<std::uint64_t> shards = pending_.Shards();
    const auto visit = [&](std::uint64_t shard) { shards.push_back(shard); };
    ZARR_RETURN_IF_ERROR(shards_.ForEachPresent(visit, visit_size));
    std::sort(shards.begin(), shards.end());
    shards.erase(std::unique(shards.begin(), shards.end()), shards.end());
    return shards;
}

Status ShardedChunks::ForEachPresent(const ChunkVisitor& visit,
                                     const SizeVisitor& visit_size) const {
    ZARR_ASSIGN_OR_RETURN(const std::vector<std::uint64_t> shards, PresentShards(visit_size));
    if (IsDistant() && shards.size() > kMostDistantShards)
        return Status::Unsupported("to list the chunks of " + std::to_string(shards.size()) +
                                   " shards takes as many requests");
    std::vector<std::vector<std::uint64_t>> found(kMostDistantShards);
    for (std::size_t first = 0; first < shards.size(); first += found.size()) {
        const std::size_t count = std::min(found.size(), shards.size() - first);
        ZARR_RETURN_IF_ERROR(ParallelFor(count, store_->ReadsAtOnce(), [&](std::size_t i) {
            found[i].clear();
            return ForEachIn(ShardAt(shards[first + i]), [&](const Index& chunk) {
                if (IsInGrid(chunk)) found[i].push_back(NumberOfChunk(chunk));
            });
        }));
        for (std::size_t i = 0; i < count; ++i)
            for (const std::uint64_t chunk : found[i]) visit(chunk);
    }
    return {};
}

// ---------------------------------------------------------------------------------------------
// Writing

Status ShardedChunks::Set(Store& store, const Index& chunk, ByteSpan value) const {
    return Gather(store, chunk, value, {nullptr});
}

Status ShardedChunks::Erase(Store& store, const Index& chunk) const {
    return Gather(store, chunk, std::nullopt, {nullptr});
}

Status ShardedChunks::Gather(Store& store, const Index& chunk, std::optional<ByteSpan> value,
                             const WriteLocks& locks) const {
    const Index shard = layout_.ShardOf(chunk);
    ShardChange change{layout_.NumberOf(chunk), nullptr};
    if (value) {
        auto bytes = std::make_shared<Buffer>();
        ZARR_RETURN_IF_ERROR(bytes->Assign(*value));
        change.bytes = std::move(bytes);
    }
    const std::uint64_t number = NumberOfShard(shard);
    const std::size_t pending = pending_.Put(number, change, locks.locks);
    if (locks.is_held || pending < ChunksInGrid(shard)) return {};
    return StoreShard(store, number, false, {}, locks.locks);
}

Status ShardedChunks::StoreLocked(Store& store, const Index& chunk) const {
    return StoreShard(store, NumberOfShard(layout_.ShardOf(chunk)), true, {}, nullptr);
}

Status ShardedChunks::StoreShard(Store& store, std::uint64_t shard, bool is_locked,
                                 const std::vector<ShardChange>& more,
                                 const std::shared_ptr<Synchronizer>& locks) const {
    const Index index = ShardAt(shard);
    for (std::shared_ptr<Synchronizer> known = locks;;) {
        auto changes = pending_.Of(shard);
        if (changes.chunks.empty() && more.empty()) return {};
        if (changes.locks != nullptr) known = changes.locks;
        std::unique_ptr<Synchronizer::Lock> lock;
        if (!is_locked && known != nullptr) {
            ZARR_ASSIGN_OR_RETURN(const std::string name, shards_.LockOf(index));
            ZARR_ASSIGN_OR_RETURN(lock, known->Acquire(name));
        }
        const auto writing = pending_.Writing(shard);
        // With all that has come while others were waited for.
        changes = pending_.Of(shard);
        if (changes.chunks.empty() && more.empty()) return {};
        if (!is_locked && lock == nullptr && changes.locks != nullptr) continue;
        const bool is_complete = more.empty() && changes.chunks.size() >= ChunksInGrid(index);
        std::vector<ShardChange> all = changes.chunks;
        all.insert(all.end(), more.begin(), more.end());
        Status status = Replace(store, index, std::move(all), is_complete);
        pending_.WasStored(shard, status.ok() ? changes.chunks : std::vector<ShardChange>());
        Drop(index);
        return status;
    }
}

Status ShardedChunks::Replace(Store& store, const Index& shard, std::vector<ShardChange> changes,
                              bool is_complete) const {
    Buffer built;
    bool is_any = false;
    {
        // All of the old shard at once, as the parts might be of two.
        Buffer old;
        bool found = false;
        if (!is_complete) {
            ZARR_ASSIGN_OR_RETURN(found, shards_.Get(shard, old, kNoLimit));
        }
        auto result = layout_.Build(found ? std::as_const(old).span() : ByteSpan(), changes, built);
        ZARR_RETURN_IF_ERROR(result.status().WithContext(shards_.NameOf(shard)));
        is_any = *result;
        changes.clear();
    }
    return is_any ? shards_.Set(store, shard, std::as_const(built).span())
                  : shards_.Erase(store, shard);
}

Status ShardedChunks::Shrink(Store& store, std::size_t max_bytes) const {
    while (pending_.bytes() > max_bytes) {
        const auto shard = pending_.TakeLargest();
        if (!shard) return {};  // other threads are at them
        const Status status = StoreShard(store, *shard, false, {}, nullptr);
        pending_.GiveBack(*shard);
        ZARR_RETURN_IF_ERROR(status);
    }
    return {};
}

Status ShardedChunks::Flush(Store& store, std::size_t threads) const {
    const std::vector<std::uint64_t> shards = pending_.Shards();
    std::mutex mutex;
    Status first;
    const Status ran = ParallelFor(shards.size(), threads, [&](std::size_t i) -> Status {
        const Status status = StoreShard(store, shards[i], false, {}, nullptr);
        if (status.ok()) return {};
        const std::lock_guard<std::mutex> lock(mutex);
        if (first.ok()) first = status;
        return {};
    });
    return first.ok() ? ran : first;
}

void ShardedChunks::Discard(const ChunkVisitor& visit) const {
    std::vector<std::uint64_t> chunks;
    for (const std::uint64_t shard : pending_.Shards()) {
        const Index index = ShardAt(shard);
        for (const ShardChange& change : pending_.Of(shard).chunks) {
            const Index chunk = layout_.ChunkOf(index, change.chunk);
            if (IsInGrid(chunk)) chunks.push_back(NumberOfChunk(chunk));
        }
    }
    pending_.Clear();
    for (const std::uint64_t chunk : chunks) visit(chunk);
}

Status ShardedChunks::EraseOutside(Store& store, const std::vector<std::uint64_t>& counts,
                                   const std::shared_ptr<Synchronizer>& locks) const {
    const Index& reach = layout_.Reach(0);
    std::vector<std::uint64_t> shard_counts;
    for (std::size_t i = 0; i < counts.size(); ++i)
        shard_counts.push_back(CeilDiv(counts[i], reach[i]));
    ZARR_RETURN_IF_ERROR(shards_.EraseOutside(store, shard_counts, locks));
    ZARR_ASSIGN_OR_RETURN(const std::vector<std::uint64_t> shards,
                          PresentShards([](std::optional<std::uint64_t>) {}));
    for (const std::uint64_t shard : shards)
        ZARR_RETURN_IF_ERROR(EraseOutsideIn(store, shard, counts, locks));
    return {};
}

Status ShardedChunks::EraseOutsideIn(Store& store, std::uint64_t shard,
                                     const std::vector<std::uint64_t>& counts,
                                     const std::shared_ptr<Synchronizer>& locks) const {
    const Index index = ShardAt(shard);
    const Index& reach = layout_.Reach(0);
    bool is_inside = true;
    for (std::size_t i = 0; i < counts.size(); ++i)
        is_inside = is_inside && (index[i] + 1) * reach[i] <= counts[i];
    if (is_inside) return {};
    // What chunks of a shard lie outside would be seen again when the array grows.
    std::vector<ShardChange> outside;
    Forget(layout_.ChunkOf(index, 0));
    ZARR_RETURN_IF_ERROR(ForEachIn(index, [&](const Index& chunk) {
        for (std::size_t i = 0; i < counts.size(); ++i) {
            if (chunk[i] < counts[i]) continue;
            outside.push_back({layout_.NumberOf(chunk), nullptr});
            return;
        }
    }));
    return outside.empty() ? Status() : StoreShard(store, shard, false, outside, locks);
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
#include "core/array/shard_writer.h"

#include <mutex>
#include <utility>

#include "core/base/thread_pool.h"

namespace zarr {

Status ShardWriter::Put(Store& store, const Index& chunk, std::optional<ByteSpan> value,
                        const WriteLocks& locks) const {
    const ShardBox box = grid_.BoxAround(chunk);
    ShardChange change{box.NumberOf(chunk), nullptr};
    if (value) {
        auto bytes = std::make_shared<Buffer>();
        ZARR_RETURN_IF_ERROR(bytes->Assign(*value));
        change.bytes = std::move(bytes);
    }
    const std::size_t pending = pending_.Put(box.shard, change, locks.locks);
    if (locks.is_locked_by_caller || pending < grid_.ChunksInside(box)) return {};
    return StoreShard(store, box.shard, false, {}, locks.locks);
}

Status ShardWriter::StoreLocked(Store& store, const Index& chunk) const {
    return StoreShard(store, grid_.NumberOfShard(grid_.ShardOf(chunk)), true, {}, nullptr);
}

Status ShardWriter::StoreShard(Store& store, std::uint64_t shard, bool is_locked,
                               const std::vector<ShardChange>& more,
                               const std::shared_ptr<Synchronizer>& locks) const {
    const Index index = grid_.ShardAt(shard);
    const ShardBox box = grid_.BoxOf(index);
    for (std::shared_ptr<Synchronizer> known = locks;;) {
        auto changes = pending_.Of(shard);
        if (changes.chunks.empty() && more.empty()) return {};
        if (changes.locks != nullptr) known = changes.locks;
        std::unique_ptr<Synchronizer::Lock> lock;
        if (!is_locked && known != nullptr) {
            ZARR_ASSIGN_OR_RETURN(const std::string name, shards_.KeyOf(index));
            ZARR_ASSIGN_OR_RETURN(lock, known->Acquire(name));
        }
        const auto writing = pending_.Writing(shard);
        // The pending chunks are taken only after the locks, so that they include chunks that
        // became pending during the wait for the locks.
        changes = pending_.Of(shard);
        if (changes.chunks.empty() && more.empty()) return {};
        if (!is_locked && lock == nullptr && changes.locks != nullptr) continue;
        const bool is_complete = more.empty() && changes.chunks.size() >= grid_.ChunksInside(box);
        std::vector<ShardChange> all = changes.chunks;
        all.insert(all.end(), more.begin(), more.end());
        Status status = Replace(store, box, all, is_complete);
        pending_.OnStored(shard, status.ok() ? changes.chunks : std::vector<ShardChange>());
        reader_.Drop(index);
        return status;
    }
}

Status ShardWriter::Replace(Store& store, const ShardBox& box,
                            const std::vector<ShardChange>& changes, bool is_complete) const {
    const Index shard = grid_.ShardAt(box.shard);
    // The old shard is read with a single request. Several requests might return parts of different
    // versions of the shard.
    Buffer old;
    bool found = false;
    if (!is_complete) {
        ZARR_ASSIGN_OR_RETURN(const ReadResult read,
                              shards_.Read(shard, ValuePart::Whole(kNoLimit), old));
        found = read.found;
    }
    const ByteSpan kept = found ? std::as_const(old).span() : ByteSpan();
    auto built = layout_.Build(box.count, kept, changes);
    ZARR_RETURN_IF_ERROR(built.status().WithContext(shards_.NameOf(shard)));
    return built->parts.empty() ? shards_.Erase(store, shard)
                                : shards_.SetParts(store, shard, built->parts);
}

Status ShardWriter::Shrink(Store& store, std::size_t max_bytes) const {
    while (pending_.bytes() > max_bytes) {
        const auto shard = pending_.ReserveLargest();
        if (!shard) return {};  // other threads are storing all shards with pending chunks
        const Status status = StoreShard(store, *shard, false, {}, nullptr);
        pending_.Unreserve(*shard);
        ZARR_RETURN_IF_ERROR(status);
    }
    return {};
}

Status ShardWriter::Flush(Store& store, std::size_t threads) const {
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

Status ShardWriter::EraseOutside(Store& store, std::uint64_t shard,
                                 const std::vector<std::uint64_t>& counts,
                                 const std::shared_ptr<Synchronizer>& locks) const {
    const ShardBox box = grid_.BoxAt(shard);
    bool is_inside = true;
    for (std::size_t i = 0; i < counts.size(); ++i)
        is_inside = is_inside && box.first[i] + box.count[i] <= counts[i];
    if (is_inside) return {};
    // The chunks outside the grid are removed. Otherwise these chunks would reappear if the array
    // grew again.
    std::vector<ShardChange> outside;
    reader_.Forget(grid_.ShardAt(shard));
    ZARR_RETURN_IF_ERROR(reader_.ForEachIn(box, [&](const Index& chunk) {
        for (std::size_t i = 0; i < counts.size(); ++i) {
            if (chunk[i] < counts[i]) continue;
            outside.push_back({box.NumberOf(chunk), nullptr});
            return;
        }
    }));
    return outside.empty() ? Status() : StoreShard(store, shard, false, outside, locks);
}

}  // namespace zarr

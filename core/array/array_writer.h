// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/array/array.h"
#include "core/array/region_split.h"
#include "core/base/thread_pool.h"
#include "core/store/synchronizer.h"

namespace zarr {

// Source of a write. `data` points at the region's first element; `strides` are in bytes and may be
// negative or 0. `op` converts the caller's elements to stored elements, or to the part that is
// written.
struct Source {
    const std::uint8_t* data = nullptr;
    Strides strides;
    Converter op;
};

// Whether chunks that a write covers completely are stored immediately or become pending.
enum class WholeChunks : std::uint8_t { kAtOnce, kPending };

// Writes to an array. A chunk that a write covers completely is encoded and stored at once, in
// parallel with others. Partly written chunks become pending: reads see them, and they are stored
// when flushed or when pending chunks exceed `max_pending_bytes`. A chunk stays pending until it
// was stored successfully. A chunk with only fill values is not stored, and an existing one is
// removed. All methods are thread-safe. All writers of an array in a process share its pending
// chunks.
//
// Processes may write to different chunks at the same time. Writing to parts of one chunk requires
// a Synchronizer: a chunk is then stored under its lock, after its unwritten elements have been
// read again.
class ArrayWriter {
  public:
    // `store` must be the array's store, opened for writing. `locks` has a lock per chunk key and
    // may be nullptr. Fails if the array's codecs cannot encode.
    static Result<std::unique_ptr<ArrayWriter>> Open(std::shared_ptr<const Array> array,
                                                     std::shared_ptr<Store> store,
                                                     std::size_t max_pending_bytes,
                                                     std::shared_ptr<Synchronizer> locks = nullptr);

    const Array& array() const { return *array_; }
    // Returns the locks given to Open(); may be nullptr.
    const std::shared_ptr<Synchronizer>& locks() const { return locks_; }

    // Writes `region`. `offset` is the position in bytes of the written part within each element.
    // Error messages start with the key of the failed chunk; other chunks may have been written.
    // Not for kObject.
    Status Write(const Region& region, std::size_t offset, const Source& source,
                 std::size_t threads, WholeChunks whole_chunks = WholeChunks::kAtOnce);

    // Writes `region` of a kObject array from texts in row-major order of the region. Writes
    // nothing if a text is too long for ArrayMetadata::text_type.
    Status WriteObjects(const Region& region, const std::vector<std::string>& texts,
                        std::size_t threads);

    // Stores all pending chunks and all shards with pending chunks. After a failure continues with
    // the others and keeps the failed ones pending. Returns the first failure.
    Status Flush(std::size_t threads);

  private:
    ArrayWriter(std::shared_ptr<const Array> array, std::shared_ptr<Store> store,
                std::size_t max_pending_bytes, std::shared_ptr<Synchronizer> locks);

    // Calls `write` for each part of the region, with its layout. Flushes when pending chunks
    // exceed their limit.
    Status ForEachPart(const RegionSplit& plan, std::size_t threads,
                       const std::function<Status(const ChunkPart&)>& write);
    Status WriteWhole(const ChunkPart& part, const Region& region, const Source& source);
    Status StoreWhole(const ChunkPart& part, const Region& region, const Source& source);
    // Calls `change` with the pending chunk. A new pending chunk is loaded first, unless the change
    // covers all of it (`is_whole`).
    Status Change(const ChunkPart& part, bool is_whole,
                  const std::function<Status(PendingChunk&)>& change);
    // Prepares a new pending chunk for a change. Removes it from the pending chunks on failure.
    Status Begin(const ChunkPart& part, bool is_whole, PendingChunk& pending);
    // Sets all elements to the fill value.
    Status Clear(const ChunkLayout& layout, PendingChunk& pending) const;
    // Stores a pending chunk and removes it from the pending chunks. Keeps it on failure.
    Status StorePending(std::uint64_t index, PendingChunk& pending);
    // Like StorePending(), for a caller that has taken the chunk's lock if `is_locked`.
    Status StoreUnderLock(std::uint64_t index, PendingChunk& pending, bool is_locked);
    // Stores all pending chunks; chunks of shards may become pending in their shard instead.
    Status FlushChunks(std::size_t threads);
    // Stores pending chunks of one shard under the shard's lock, which is taken once.
    using NumberedChunk = std::pair<std::uint64_t, std::shared_ptr<PendingChunk>>;
    Status FlushGroup(const std::vector<NumberedChunk>& chunks, std::size_t threads);
    Status Merge(const DimVector<std::uint64_t>& chunk, PendingChunk& pending) const;
    Status StoreObjects(const ChunkStore::Index& index, const ChunkLayout& layout,
                        const PendingChunk& pending, ObjectChunk& objects, const WriteLocks& locks);
    void Forget(std::uint64_t index, PendingChunk& pending) const;

    // Returns how many chunks a call stores concurrently if `threads` may encode. Greater than
    // `threads` for remote stores.
    std::size_t MaxConcurrentStores(std::size_t threads);
    void FillChunk(const ChunkLayout& layout, MutableByteSpan chunk) const;
    bool IsFill(ByteSpan chunk) const;
    Status StoreChunk(const ChunkStore::Index& index, const ChunkLayout& layout, ByteSpan chunk,
                      const WriteLocks& locks);
    Status Put(const ChunkStore::Index& index, ByteSpan encoded, const WriteLocks& locks);
    Status Erase(const ChunkStore::Index& index, const WriteLocks& locks) {
        return array_->chunks().Put(*store_, index, std::nullopt, locks);
    }
    // Acquires the lock of a chunk; nullptr if `locks` is nullptr.
    Result<std::unique_ptr<Synchronizer::Lock>> Lock(
        const ChunkStore::Index& index, const std::shared_ptr<Synchronizer>& locks) const;
    bool ExceedsPendingLimit() const;
    // Returns the limit in bytes for pending chunks, and also for the pending chunks of shards.
    std::size_t MaxPendingBytes() const;

    // True if the array has shards, in which chunks may stay pending.
    bool has_shards() const { return !array_->metadata().shards.empty(); }

    const std::shared_ptr<const Array> array_;
    const std::shared_ptr<Store> store_;
    const std::size_t max_pending_bytes_;
    const std::shared_ptr<Synchronizer> locks_;
    std::string fill_;  // stored form of one fill-value element
    std::mutex mutex_;
    std::unique_ptr<Semaphore> encoding_;  // limits encoding if more threads store than may encode
};

// Copies a chunk, from the cache or the store, into `pending`, which must have the chunk's size.
// Elements beyond the array's edge stay unchanged. The caller holds `pending.mutex`, unless
// `pending` is not shared.
Status LoadStored(const Array& array, const DimVector<std::uint64_t>& chunk, PendingChunk& pending);

// Reloads the unwritten elements of a pending chunk, because other processes may have stored them.
// The chunk must be loaded and have locks. The caller holds `pending.mutex`.
Status ReloadPending(const Array& array, const DimVector<std::uint64_t>& chunk,
                     PendingChunk& pending);

// Returns a converter with `row` whose destination is std::string and whose source elements have
// `src_size` bytes.
Converter TextConverter(Converter::Row row, std::size_t src_size);

}  // namespace zarr

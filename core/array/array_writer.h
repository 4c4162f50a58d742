// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
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
// negative or 0. `op` converts the caller's elements to stored elements, or to the written part of
// each stored element, such as a struct field.
struct Source {
    const std::uint8_t* data = nullptr;
    Strides strides;
    Converter op;
};

// Policy for chunks that a write covers completely. kAtOnce: store the chunk during the write.
// kPending: add the chunk to the pending chunks; see ArrayWriter.
enum class WholeChunks : std::uint8_t { kAtOnce, kPending };

// Writes to an array. A chunk that a write covers completely is encoded and stored at once, in
// parallel with other chunks. A partly written chunk becomes pending: it is kept in memory, and
// reads see its changes before the chunk is stored. Pending chunks are stored by Flush(), or when
// they exceed `max_pending_bytes`. A chunk stays pending until it is stored successfully.
//
// A chunk whose elements all equal the fill value is not stored; a stored chunk with that index is
// removed. All methods are thread-safe. All writers of an array in a process share its pending
// chunks.
//
// Several processes may write to different chunks at the same time. If they write to parts of the
// same chunk, every process needs a Synchronizer. A process that stores a partly written chunk
// takes the chunk's lock, reads the unwritten elements again from the store, and stores the chunk.
class ArrayWriter {
  public:
    // Opens a writer of `array`. `store` must be the array's store, opened for writing. `locks` has
    // a lock for each chunk key, and may be nullptr. Fails if the array's codecs cannot encode.
    static Result<std::unique_ptr<ArrayWriter>> Open(std::shared_ptr<const Array> array,
                                                     std::shared_ptr<Store> store,
                                                     std::size_t max_pending_bytes,
                                                     std::shared_ptr<Synchronizer> locks = nullptr);

    const Array& array() const { return *array_; }
    // Returns the locks that were given to Open(); may be nullptr.
    const std::shared_ptr<Synchronizer>& locks() const { return locks_; }
    // True if this writer was given a chunk that it did not store, because all elements of the
    // chunk equal the fill value.
    bool has_omitted_chunks() const { return has_omitted_chunks_; }

    // Writes `region`. `offset` is the position in bytes of the written part within each element.
    // Error messages start with the key of the failed chunk; other chunks may have been written.
    // Not for kObject.
    Status Write(const Region& region, std::size_t offset, const Source& source,
                 std::size_t threads, WholeChunks whole_chunks = WholeChunks::kAtOnce);

    // Writes `region` of a kObject array from texts in row-major order of the region. Writes
    // nothing if a text is too long for ArrayMetadata::text_type.
    Status WriteObjects(const Region& region, const std::vector<std::string>& texts,
                        std::size_t threads);

    // Stores all pending chunks and all shards with pending chunks. After a failure, continues with
    // the other chunks; failed chunks stay pending. Returns the first failure.
    Status Flush(std::size_t threads);

  private:
    ArrayWriter(std::shared_ptr<const Array> array, std::shared_ptr<Store> store,
                std::size_t max_pending_bytes, std::shared_ptr<Synchronizer> locks);

    // Splits a region at the chunk edges, and calls `write` for each part. Stores pending chunks
    // when they exceed MaxPendingBytes().
    Status ForEachPart(const RegionSplit& plan, std::size_t threads,
                       const std::function<Status(const ChunkPart&)>& write);
    Status WriteWhole(const ChunkPart& part, const Region& region, const Source& source);
    Status StoreWhole(const ChunkPart& part, const Region& region, const Source& source);
    // Calls `change` with the pending chunk to which `part` belongs. Loads a new pending chunk
    // first, unless the change covers the whole chunk (`is_whole`).
    Status Change(const ChunkPart& part, bool is_whole,
                  const std::function<Status(PendingChunk&)>& change);
    // Prepares a new pending chunk for a change. `is_whole` is true if the change covers the whole
    // chunk, so that no stored elements are needed. On failure, removes the chunk from the pending
    // chunks.
    Status Begin(const ChunkPart& part, bool is_whole, PendingChunk& pending);
    // Sets all elements of `pending` to the fill value.
    Status Clear(const ChunkLayout& layout, PendingChunk& pending) const;
    // Stores a pending chunk and removes it from the pending chunks. On failure the chunk stays
    // pending.
    Status StorePending(std::uint64_t index, PendingChunk& pending);
    // Stores a pending chunk and removes it from the pending chunks. `is_locked` is true if the
    // caller has taken the chunk's lock.
    Status StoreUnderLock(std::uint64_t index, PendingChunk& pending, bool is_locked);
    // Stores all pending chunks of an array without shards. In an array with shards, passes the
    // chunks to their shards, where they may stay pending (see PendingShards).
    Status FlushChunks(std::size_t threads);
    // Stores pending chunks of one shard. Takes the lock of the shard only once for all `chunks`.
    using NumberedChunk = std::pair<std::uint64_t, std::shared_ptr<PendingChunk>>;
    Status FlushGroup(const std::vector<NumberedChunk>& chunks, std::size_t threads);
    Status Merge(const DimVector<std::uint64_t>& chunk, PendingChunk& pending) const;
    Status StoreObjects(const ChunkStore::Index& index, const ChunkLayout& layout,
                        const PendingChunk& pending, ObjectChunk& objects, const WriteLocks& locks);
    void Forget(std::uint64_t index, PendingChunk& pending) const;

    // Returns how many chunks one call stores concurrently if `threads` threads may encode. For a
    // remote store the result is greater than `threads`, because most threads wait for the network.
    std::size_t MaxConcurrentStores(std::size_t threads);
    void FillChunk(const ChunkLayout& layout, MutableByteSpan chunk) const;
    bool IsFill(ByteSpan chunk) const;
    Status StoreChunk(const ChunkStore::Index& index, const ChunkLayout& layout, ByteSpan chunk,
                      const WriteLocks& locks);
    Status Put(const ChunkStore::Index& index, ByteSpan encoded, const WriteLocks& locks);
    Status Omit(const ChunkStore::Index& index, const WriteLocks& locks) {
        has_omitted_chunks_ = true;
        return array_->chunks().Put(*store_, index, std::nullopt, locks);
    }
    // Takes the lock of a chunk from `locks`; returns nullptr if `locks` is nullptr.
    Result<std::unique_ptr<Synchronizer::Lock>> Lock(
        const ChunkStore::Index& index, const std::shared_ptr<Synchronizer>& locks) const;
    bool ExceedsPendingLimit() const;
    // Returns the limit in bytes for pending chunks. The pending chunks of shards have a separate
    // limit of equal size.
    std::size_t MaxPendingBytes() const;

    // True if the array has shards. A chunk of a shard may stay pending until its shard is stored.
    bool has_shards() const { return !array_->metadata().shards.empty(); }

    const std::shared_ptr<const Array> array_;
    const std::shared_ptr<Store> store_;
    const std::size_t max_pending_bytes_;
    const std::shared_ptr<Synchronizer> locks_;
    std::string fill_;  // bytes of one stored element with the fill value
    std::atomic<bool> has_omitted_chunks_{false};
    std::mutex mutex_;
    // Limits how many threads encode at once. nullptr until the first call in which more threads
    // store chunks than may encode.
    std::unique_ptr<Semaphore> encoding_;
};

// Copies a chunk, from the cache or the store, into `pending`, which must have the chunk's size.
// Elements beyond the array's edge stay unchanged. If other threads can use `pending`, the caller
// holds `pending.mutex`.
Status LoadStored(const Array& array, const DimVector<std::uint64_t>& chunk, PendingChunk& pending);

// Reloads the unwritten elements of a pending chunk, because other processes may have stored new
// values. The chunk must be loaded, and `pending.locks` must be set. The caller holds
// `pending.mutex`.
Status ReloadPending(const Array& array, const DimVector<std::uint64_t>& chunk,
                     PendingChunk& pending);

// Returns a converter that converts elements of `src_size` bytes to std::string. It calls `row` for
// each row of elements.
Converter TextConverter(Converter::Row row, std::size_t src_size);

}  // namespace zarr

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

// Where a region is written from. `data` is the place of its first element; `strides`, in bytes,
// may be negative or 0. `op` turns the caller's elements into stored ones, or into the part of them
// that is written.
struct Source {
    const std::uint8_t* data = nullptr;
    Strides strides;
    Converter op;
};

// What becomes of chunks that a write covers: stored by that write, or pending as the others are.
enum class WholeChunks : std::uint8_t { kAtOnce, kPending };

// Writes to an array. Chunks that a write covers are encoded in parallel and stored at once; others
// gather in the array's pending chunks, where reading sees them, until they are flushed or hold
// more than `max_pending_bytes`. What is pending stays so until it could be stored. A chunk whose
// elements are all the fill value is not stored, and one that was is removed. All methods may be
// called from several threads; writers of one process that write to one array share its pending
// chunks.
//
// Processes may write to different chunks of an array at the same time; to parts of the same chunk
// only with a Synchronizer. Then a chunk is stored under its lock, after those elements that were
// not written here have been read again.
class ArrayWriter {
  public:
    // `store` is the array's own, for writing; `locks`, by chunk key, may be nullptr. Fails where
    // the array's codecs cannot encode.
    static Result<std::unique_ptr<ArrayWriter>> Open(std::shared_ptr<const Array> array,
                                                     std::shared_ptr<Store> store,
                                                     std::size_t max_pending_bytes,
                                                     std::shared_ptr<Synchronizer> locks = nullptr);

    const Array& array() const { return *array_; }
    // May be nullptr.
    const std::shared_ptr<Synchronizer>& locks() const { return locks_; }

    // Writes `region`. `offset` is where in each element the written part lies, in bytes. Errors
    // start with the key of the chunk that failed; others may be written then. Not for kObject.
    Status Write(const Region& region, std::size_t offset, const Source& source,
                 std::size_t threads, WholeChunks whole_chunks = WholeChunks::kAtOnce);

    // Writes `region` of a kObject array from texts in row-major order of the region; none where
    // one is too long for ArrayMetadata::text_type.
    Status WriteObjects(const Region& region, const std::vector<std::string>& texts,
                        std::size_t threads);

    // Stores every pending chunk, and those of shards that wait for others. Tries all of them
    // whatever happens, keeps those that fail, and returns the first failure.
    Status Flush(std::size_t threads);

  private:
    ArrayWriter(std::shared_ptr<const Array> array, std::shared_ptr<Store> store,
                std::size_t max_pending_bytes, std::shared_ptr<Synchronizer> locks);

    // Calls `write` on each part of the region, with its layout, and flushes whenever too much is
    // pending.
    Status ForEachPart(const RegionSplit& plan, std::size_t threads,
                       const std::function<Status(const ChunkPart&)>& write);
    Status WriteWhole(const ChunkPart& part, const Region& region, const Source& source);
    Status StoreWhole(const ChunkPart& part, const Region& region, const Source& source);
    // Calls `change` on the pending chunk. A new one is loaded first, where `change` does not
    // change all of it.
    Status Change(const ChunkPart& part, bool is_whole,
                  const std::function<Status(PendingChunk&)>& change);
    // Makes a new pending chunk ready for a change. Forgets it where that fails.
    Status Begin(const ChunkPart& part, bool is_whole, PendingChunk& pending);
    Status Clear(const ChunkLayout& layout, PendingChunk& pending) const;  // all fill values
    // Stores a pending chunk and forgets it; keeps it where that fails.
    Status StorePending(std::uint64_t index, PendingChunk& pending);
    // The same, where its lock is held, if it has one.
    Status StoreUnderLock(std::uint64_t index, PendingChunk& pending, bool is_locked);
    // Stores all pending chunks, or has them wait for others of their shards.
    Status FlushChunks(std::size_t threads);
    // Of one shard, under its lock, which is taken once.
    using NumberedChunk = std::pair<std::uint64_t, std::shared_ptr<PendingChunk>>;
    Status FlushGroup(const std::vector<NumberedChunk>& chunks, std::size_t threads);
    Status Merge(const DimVector<std::uint64_t>& chunk, PendingChunk& pending) const;
    Status StoreObjects(const ChunkStore::Index& index, const ChunkLayout& layout,
                        const PendingChunk& pending, ObjectChunk& objects, const WriteLocks& locks);
    void Forget(std::uint64_t index, PendingChunk& pending) const;

    // Chunks that are stored at the same time by a call that may use so many threads to encode:
    // more, where the store takes a while for each.
    std::size_t StoresAtOnce(std::size_t threads);
    void FillChunk(const ChunkLayout& layout, MutableByteSpan chunk) const;
    bool IsFill(ByteSpan chunk) const;
    Status StoreChunk(const ChunkStore::Index& index, const ChunkLayout& layout, ByteSpan chunk,
                      const WriteLocks& locks);
    Status Put(const ChunkStore::Index& index, ByteSpan encoded, const WriteLocks& locks);
    Status Erase(const ChunkStore::Index& index, const WriteLocks& locks) {
        return array_->chunks().Put(*store_, index, std::nullopt, locks);
    }
    // The lock of a chunk in `locks`; nullptr where that is.
    Result<std::unique_ptr<Synchronizer::Lock>> Lock(
        const ChunkStore::Index& index, const std::shared_ptr<Synchronizer>& locks) const;
    bool IsTooMuchPending() const;
    // What chunks that are pending, and those that wait for others, may take each.
    std::size_t MaxPendingBytes() const;

    // True if chunks wait for others of their shard.
    bool has_shards() const { return !array_->metadata().shards.empty(); }

    const std::shared_ptr<const Array> array_;
    const std::shared_ptr<Store> store_;
    const std::size_t max_pending_bytes_;
    const std::shared_ptr<Synchronizer> locks_;
    std::string fill_;  // one element as it is stored
    std::mutex mutex_;
    std::unique_ptr<Semaphore> encoding_;  // where more threads store than may encode
};

// Puts what is stored of a chunk, or the cache has of it, into `pending`, which has room for it.
// What overhangs the array stays as it is. `pending.mutex` is held, or `pending` is not shared.
Status LoadStored(const Array& array, const DimVector<std::uint64_t>& chunk, PendingChunk& pending);

// Reads again what of a loaded pending chunk with locks was not written here: others may have
// stored it since. `pending.mutex` is held.
Status RefreshPending(const Array& array, const DimVector<std::uint64_t>& chunk,
                      PendingChunk& pending);

// The op between rows of std::string, or from what has `src_size` bytes.
Converter TextConverter(Converter::Row row, std::size_t src_size);

}  // namespace zarr

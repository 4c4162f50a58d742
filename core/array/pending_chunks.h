// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/array/pending_shards.h"
#include "core/base/bytes.h"
#include "core/base/fork.h"
#include "core/codec/codec.h"
#include "core/metadata/array_metadata.h"
#include "core/store/synchronizer.h"

namespace zarr {

// A partly written chunk that is not stored yet. `mutex` guards all members.
struct PendingChunk {
    std::mutex mutex;
    bool is_loaded = false;  // true if the members below are valid
    // True if this object was stored or replaced. A thread that has waited for `mutex` and finds
    // `is_gone` must call FindOrAdd() again.
    bool is_gone = false;
    std::uint64_t changes = 0;  // count of written elements; a rewritten element counts again
    Buffer elements;            // decoded elements, in the stored byte order
    std::vector<std::string> objects;  // elements of kObject, in the chunk's memory order
    // Locks for writing the chunk; nullptr if no other process writes to the array. With locks,
    // `written` has a byte for each byte of `elements`, or for each item of `objects`: 0xff if this
    // process wrote the value, 0 if the value was loaded from the store.
    std::shared_ptr<Synchronizer> locks;
    Buffer written;
};

// True if this process wrote every byte or object of a pending chunk. Also true if
// PendingChunk::locks is nullptr, because other processes then cannot have changed any unwritten
// element.
bool IsCompletelyWritten(const PendingChunk& pending);

// Replaces the unwritten elements of `pending` by the elements of `stored`. `pending` and `stored`
// must have an equal size.
void FillUnwritten(PendingChunk& pending, PendingChunk& stored);

// Written chunks of an array that are not stored yet, by row-major number in the chunk grid.
// Pending chunks belong to the process that opened the array; in a forked child the set is empty.
// Thread-safe.
class PendingChunks {
  public:
    bool empty() const {
        return generation_ != ForkGeneration() || count_.load(std::memory_order_acquire) == 0;
    }

    // Returns the pending chunk with number `chunk`; nullptr if that chunk is not pending.
    std::shared_ptr<PendingChunk> Find(std::uint64_t chunk) const;
    // Returns the pending chunk with number `chunk`. If the chunk is not pending, adds it as a
    // pending chunk whose elements are not loaded yet.
    std::shared_ptr<PendingChunk> FindOrAdd(std::uint64_t chunk);
    // Removes `pending`, which has number `chunk`. Does nothing if another PendingChunk has that
    // number by now.
    void Remove(std::uint64_t chunk, const PendingChunk& pending);
    // Discards all pending chunks without storing them.
    void Clear();
    // Returns all pending chunks, lowest number first.
    std::vector<std::pair<std::uint64_t, std::shared_ptr<PendingChunk>>> All() const;
    std::size_t count() const { return count_; }

  private:
    // Fork generation of the process that owns the pending chunks.
    const std::uint64_t generation_ = ForkGeneration();
    mutable std::mutex mutex_;
    std::unordered_map<std::uint64_t, std::shared_ptr<PendingChunk>> chunks_;
    std::atomic<std::size_t> count_{0};
};

// Copies the strings `texts` into a new chunk of objects.
Status MakeObjectChunk(const std::vector<std::string>& texts, ObjectChunk& chunk);

class Array;

// The open Array objects of one Zarr array. Each Array may access the store with different options,
// and has its own cached chunks. The Array objects share their pending chunks. When a chunk is
// stored through one Array, the other Array objects drop the chunk from their caches. Thread-safe.
class ArrayInstances {
  public:
    explicit ArrayInstances(ArrayMetadata metadata)
        : metadata_(std::move(metadata)),
          pending_shards_(metadata_.shards.empty() ? nullptr : std::make_unique<PendingShards>()) {}

    const ArrayMetadata& metadata() const { return metadata_; }
    PendingChunks& pending() { return pending_; }
    // Returns the pending shards; only for an array with shards.
    PendingShards& pending_shards() { return *pending_shards_; }

    // Join() adds an open array to this object; Leave() removes an array.
    void Join(const Array& array) {
        const std::lock_guard<std::mutex> lock(mutex_);
        arrays_.push_back(&array);
    }
    void Leave(const Array& array) {
        const std::lock_guard<std::mutex> lock(mutex_);
        arrays_.erase(std::remove(arrays_.begin(), arrays_.end(), &array), arrays_.end());
    }

    // Calls `visit` with each open array. No array is destroyed during the call. `visit` must be
    // fast, because it runs under a mutex.
    template <class Visit>
    void ForEach(const Visit& visit) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (const Array* array : arrays_) visit(*array);
    }

  private:
    const ArrayMetadata metadata_;
    PendingChunks pending_;
    const std::unique_ptr<PendingShards> pending_shards_;
    mutable std::mutex mutex_;
    std::vector<const Array*> arrays_;
};

}  // namespace zarr

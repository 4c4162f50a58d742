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

// A chunk that was written in part and is not stored yet. Everything is guarded by `mutex`.
struct PendingChunk {
    std::mutex mutex;
    bool is_loaded = false;            // the rest holds the chunk
    bool is_gone = false;              // stored or replaced: threads that waited look again
    std::uint64_t changes = 0;         // elements that were written, each as often as it was
    Buffer elements;                   // as they are stored, before filters and compressor
    std::vector<std::string> objects;  // of kObject, in the chunk's memory order
    // Where other processes change the chunk under these locks, too: which bytes of `elements`, or
    // which `objects`, were written here (0xff each, else 0). The others are as they were when the
    // chunk was loaded.
    std::shared_ptr<Synchronizer> locks;
    Buffer written;
};

// True where every byte or object of a pending chunk with locks was written here.
bool IsAllWritten(const PendingChunk& pending);

// Puts what is stored by now, of which `stored` holds as much as `pending`, in the place of what
// was not written.
void MergeStored(PendingChunk& pending, PendingChunk& stored);

// The pending chunks of an array, by their index in the cache. They are of the process that the
// array was opened in: a forked child has none of them. Thread-safe.
class PendingChunks {
  public:
    bool empty() const {
        return generation_ != ForkGeneration() || count_.load(std::memory_order_acquire) == 0;
    }

    // The chunk, or nullptr.
    std::shared_ptr<PendingChunk> Find(std::uint64_t chunk) const;
    // The chunk; a new one that is not loaded where there is none.
    std::shared_ptr<PendingChunk> FindOrAdd(std::uint64_t chunk);
    // Forgets the chunk where it still is this one.
    void Remove(std::uint64_t chunk, const PendingChunk& pending);
    // Forgets all of them, unstored.
    void Clear();
    // All of them, lowest index first.
    std::vector<std::pair<std::uint64_t, std::shared_ptr<PendingChunk>>> All() const;
    std::size_t count() const { return count_; }

  private:
    const std::uint64_t generation_ = ForkGeneration();  // of the process that writes
    mutable std::mutex mutex_;
    std::unordered_map<std::uint64_t, std::shared_ptr<PendingChunk>> chunks_;
    std::atomic<std::size_t> count_{0};
};

// Lays strings out as a chunk of objects.
Status MakeObjectChunk(const std::vector<std::string>& texts, ObjectChunk& chunk);

class Array;

// What all open arrays share that are one array of one store, however each of them asks the store:
// what was written and is not stored yet, and the news of what was stored. What an array has read,
// or was told to be absent, is its own. Thread-safe.
class ArrayInstances {
  public:
    explicit ArrayInstances(ArrayMetadata metadata)
        : metadata_(std::move(metadata)),
          pending_shards_(metadata_.shards.empty() ? nullptr : std::make_unique<PendingShards>()) {}

    const ArrayMetadata& metadata() const { return metadata_; }
    PendingChunks& pending() { return pending_; }
    // Of an array that has shards.
    PendingShards& pending_shards() { return *pending_shards_; }

    // An array is one of them from Join() to Leave().
    void Join(const Array& array) {
        const std::lock_guard<std::mutex> lock(mutex_);
        arrays_.push_back(&array);
    }
    void Leave(const Array& array) {
        const std::lock_guard<std::mutex> lock(mutex_);
        arrays_.erase(std::remove(arrays_.begin(), arrays_.end(), &array), arrays_.end());
    }

    // Calls `visit` with each; none of them ends meanwhile. `visit` does nothing slow, see
    // std::mutex.
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

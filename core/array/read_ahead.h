// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "core/array/read_sequence.h"
#include "core/base/turn.h"
#include "core/grid/region.h"

namespace zarr {

class Array;

// Knows where regions are read in order. In a store where each read takes a while, loads the chunks
// that a reader will want next into the cache of decoded chunks, on other threads: those that come
// next in that order, and those that it is told of. What fails here is no error, unless a reader
// waits for that chunk: it is told what it would have been told by its own request. Who comes later
// reads the chunk again. Thread-safe.
class ReadAhead {
  public:
    // `array` is borrowed. Its store decides whether chunks are loaded.
    explicit ReadAhead(const Array& array);
    // Waits for what is under way.
    ~ReadAhead();
    ReadAhead(const ReadAhead&) = delete;
    ReadAhead& operator=(const ReadAhead&) = delete;

    // True where chunks are loaded at all.
    bool loads() const { return loads_; }

    // Notes a region before it is read, by at most so many threads that decode. What comes after it
    // in order is loaded, as much as tuning::kAheadBytes or a quarter of the cache holds. True
    // where the region that comes next begins in the same chunk as this one, so that the rest of
    // this one's chunks will be wanted.
    bool Note(const Region& region, std::size_t threads);

    // Loads the chunks of a region, unless they take more than that or tuning::kAheadBatches are
    // under way.
    void Load(const Region& region, std::size_t threads);

  private:
    // Loads regions on another thread, unless tuning::kAheadBatches are under way.
    void Start(std::vector<Region> regions, std::size_t threads);
    void LoadAll(const std::vector<Region>& regions, std::size_t threads) const;
    // Batches that are under way; forgets those that have ended.
    std::size_t RunningLocked();
    std::size_t MostBytes() const;
    // The regions of the sequence after the first `ahead_` that are to be loaded now, without what
    // `last` has, which is being read.
    std::vector<Region> TakeNextLocked(const Region& last);
    bool StaysInChunkLocked(const Region& last) const;

    const Array& array_;
    const bool loads_;
    std::atomic<bool> is_ending_{false};
    std::mutex mutex_;
    ReadSequence sequence_;
    std::size_t ahead_ = 0;  // regions after the last that was noted that are loaded, or will be
    std::vector<std::shared_ptr<Completion>> running_;
};

}  // namespace zarr

// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "core/array/read_sequence.h"
#include "core/base/completion.h"
#include "core/grid/region.h"

namespace zarr {

class Array;

// Detects regions that are read in order, and loads the next chunks of a remote store into the
// chunk cache on other threads. Failed loads are reported only to waiting readers. Thread-safe.
class ReadAhead {
  public:
    // `array` must outlive this object. Chunks are loaded only if the array's store is remote.
    explicit ReadAhead(const Array& array);
    // Waits until all loads have ended.
    ~ReadAhead();
    ReadAhead(const ReadAhead&) = delete;
    ReadAhead& operator=(const ReadAhead&) = delete;

    // True if chunks are loaded ahead, which is done only for remote stores.
    bool loads() const { return loads_; }

    // Records a region before it is read, and starts loading the regions expected next. True if the
    // next region probably begins in the chunk in which `region` begins, which should then be
    // decoded whole.
    bool Note(const Region& region, std::size_t threads);

    // Starts loading the chunks of a region on another thread. Does nothing if the decoded chunks
    // exceed the size limit of read-ahead, or if tuning::kAheadBatches such loads are in progress.
    void Load(const Region& region, std::size_t threads);

  private:
    // Loads a batch of regions on another thread. Does nothing if tuning::kAheadBatches batches are
    // in progress.
    void Start(std::vector<Region> regions, std::size_t threads);
    void LoadAll(const std::vector<Region>& regions, std::size_t threads) const;
    // Removes finished batches, and returns the number of batches in progress.
    std::size_t RunningLocked();
    std::size_t MostBytes() const;
    // Returns the regions that are expected after `last`, the region being read. Skips the first
    // `ahead_` of these regions, because they are loaded or being loaded.
    std::vector<Region> TakeNextLocked(const Region& last);
    bool StaysInChunkLocked(const Region& last) const;

    const Array& array_;
    const bool loads_;
    std::atomic<bool> is_ending_{false};
    std::mutex mutex_;
    ReadSequence sequence_;
    // Number of regions after the last noted region that are loaded or being loaded.
    std::size_t ahead_ = 0;
    std::vector<std::shared_ptr<Completion>> running_;
};

}  // namespace zarr

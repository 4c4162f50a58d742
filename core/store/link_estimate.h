// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <mutex>

#include "core/base/tuning.h"
#include "core/store/read_ranges.h"

namespace zarr {

// Estimates a server's latency (time until a response begins) and transfer rate from the requests
// so far. Thread-safe.
class LinkEstimate {
  public:
    // Records a request whose response had `bytes` bytes and took `nanoseconds`, to improve the
    // estimate.
    void Note(std::uint64_t bytes, std::uint64_t nanoseconds);

    std::uint64_t latency() const;  // in nanoseconds, from the request until the response begins
    double rate() const;            // in bytes per second, for one connection

    // Returns the cost model of this server for ReadRanges(). The largest gap between
    // joined ranges is the number of bytes that the server sends during the latency, bounded by
    // tuning::kMinGap and tuning::kMaxGap.
    ReadCost Cost() const;

  private:
    mutable std::mutex mutex_;
    bool has_latency_ = false;
    bool has_rate_ = false;
    std::uint64_t latency_ = tuning::kInitialLatency;
    double rate_ = tuning::kInitialRate;
};

}  // namespace zarr

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <mutex>

#include "core/base/tuning.h"
#include "core/store/read_ranges.h"

namespace zarr {

// What is known of the way to a server by the requests that were made: how long an answer takes to
// begin, and how many bytes come in a second then. Thread-safe.
class LinkEstimate {
  public:
    // A request that was answered with so many bytes after so many nanoseconds.
    void Note(std::uint64_t bytes, std::uint64_t nanoseconds);

    std::uint64_t latency() const;  // nanoseconds
    double rate() const;            // bytes in a second, of one connection

    // What reading costs: a gap is what comes in the time of an answer, within
    // tuning::kLeastGap and tuning::kMostGap.
    ReadCost Cost() const;

  private:
    mutable std::mutex mutex_;
    bool has_latency_ = false;
    bool has_rate_ = false;
    std::uint64_t latency_ = tuning::kFirstLatency;
    double rate_ = tuning::kFirstRate;
};

}  // namespace zarr

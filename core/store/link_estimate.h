// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <mutex>

#include "core/store/read_ranges.h"

namespace zarr {

// What is known of the way to a server by the requests that were made: how long an answer takes to
// begin, and how many bytes come in a second then. Thread-safe.
class LinkEstimate {
  public:
    // Before any request: 30 ms and 16 MiB in a second, which make a gap of 0.5 MB.
    static constexpr std::uint64_t kStartLatency = 30'000'000;  // nanoseconds
    static constexpr double kStartRate = 16.0 * (1 << 20);      // bytes in a second

    // A request that was answered with so many bytes after so many nanoseconds.
    void Note(std::uint64_t bytes, std::uint64_t nanoseconds);

    std::uint64_t latency() const;  // nanoseconds
    double rate() const;            // bytes in a second, of one connection

    // What reading costs: a gap is what comes in the time of an answer, within kLeastGap and
    // kMostGap.
    ReadCost Cost() const;
    static constexpr std::uint64_t kLeastGap = 4096;
    static constexpr std::uint64_t kMostGap = std::uint64_t{1} << 20;
    static constexpr std::uint64_t kRequestBytes = std::uint64_t{16} << 20;
    static constexpr std::uint64_t kWasteShare = 10;  // so that 1.1 x of what is wanted is read
    static constexpr std::uint64_t kFreeGap = 1024;   // as the headers of a request and its answer

  private:
    // What brings at most so many bytes tells the latency; what brings at least so many, the rate.
    static constexpr std::uint64_t kSmall = std::uint64_t{16} << 10;
    static constexpr std::uint64_t kLarge = std::uint64_t{256} << 10;

    mutable std::mutex mutex_;
    bool has_latency_ = false;
    bool has_rate_ = false;
    std::uint64_t latency_ = kStartLatency;
    double rate_ = kStartRate;
};

}  // namespace zarr

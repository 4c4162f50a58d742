// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/base/thread_pool.h"

namespace zarr {

// Costs of a request beside the bytes that the caller wants.
struct ReadCost {
    // Largest number of unwanted bytes between two ranges that one request reads.
    std::uint64_t gap = 0;
    // Maximum number of bytes of a request for several ranges.
    std::uint64_t request_bytes = 0;
    // Unwanted bytes are at most the wanted bytes divided by `waste_share`; 0 means no bound.
    std::uint64_t waste_share = 0;
    // Gaps up to `free_gap` bytes are not counted as unwanted.
    std::uint64_t free_gap = 0;
};

// A byte range of an object, both numbered by the caller.
struct WantedRange {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::size_t which = 0;
    std::size_t object = 0;
};

struct ReadRangesOptions {
    std::size_t requests = 1;  // maximum number of concurrent requests
    std::size_t threads = 1;   // maximum number of concurrent calls of the sink
    ByteGate* gate = nullptr;  // bounds the bytes that the sink has not taken; may be nullptr
    // Receives the nanoseconds that each request took; may be empty.
    std::function<void(std::uint64_t time)> on_request;
};

// The objects that ReadRanges() reads. `read` must be safe to call from several threads at once.
struct RangeSource {
    ReadCost cost;
    BufferPool& buffers;  // memory of finished requests, for the next ones
    // Reads `size` bytes at `offset` of an object into `bytes`, which has that size already.
    // Returns false, or leaves fewer bytes, if the object does not have them. `size` may be 0.
    std::function<Result<bool>(std::size_t object, std::uint64_t offset, std::size_t size,
                               Buffer& bytes)>
        read;
};

// Takes the bytes of a range, which are valid during the call. nullopt means that the request for
// this range and its neighbours failed: the sink reads the range by itself, or reports why it
// fails.
using RangeSink = std::function<Status(std::size_t which, const std::optional<ByteSpan>& bytes)>;

// Reads ranges, with one request for ranges of an object that lie near each other, and calls `sink`
// once for each, in any order, from several threads at once. The smallest gaps are read first, as
// far as the cost allows. A range larger than a request is a request. Returns the first failure of
// `sink`; ranges after a failure may not be read.
Status ReadRanges(const RangeSource& source, std::vector<WantedRange> ranges,
                  const ReadRangesOptions& options, const RangeSink& sink);

}  // namespace zarr

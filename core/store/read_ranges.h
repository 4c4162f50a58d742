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

// Cost model of ReadRanges(): how many unwanted bytes may be read to save a request.
struct ReadCost {
    // Maximum number of unwanted bytes between two ranges that are joined to one request.
    std::uint64_t gap = 0;
    // Maximum number of bytes of a request that joins several ranges.
    std::uint64_t request_bytes = 0;
    // Limit on the sum of all unwanted bytes: the number of wanted bytes divided by `waste_share`.
    // With 0 there is no limit.
    std::uint64_t waste_share = 0;
    // A gap of at most `free_gap` bytes does not count against the limit of `waste_share`.
    std::uint64_t free_gap = 0;
};

// Byte range to read: `size` bytes at `offset` of the object numbered `object`. `which` is the
// caller's number for the range.
struct WantedRange {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::size_t which = 0;
    std::size_t object = 0;
};

struct ReadRangesOptions {
    std::size_t requests = 1;  // maximum number of concurrent requests
    std::size_t threads = 1;   // maximum number of concurrent calls of the sink
    ByteGate* gate = nullptr;  // limits bytes read and not yet taken by the sink; may be nullptr
    // Receives the duration of each request in nanoseconds; may be empty.
    std::function<void(std::uint64_t time)> on_request;
};

// Objects that ReadRanges() reads, with their cost model and a function that reads a range. `read`
// must be thread-safe.
struct RangeSource {
    ReadCost cost;
    BufferPool& buffers;  // reused memory of finished requests
    // Reads `size` bytes at `offset` of an object into `bytes`, a buffer of `size` bytes. If the
    // object has fewer bytes, returns false or shrinks `bytes`. `size` may be 0.
    std::function<Result<bool>(std::size_t object, std::uint64_t offset, std::size_t size,
                               Buffer& bytes)>
        read;
};

// Function that takes the bytes of range number `which`. `bytes` are valid during the call. If
// `bytes` is nullopt, a request for several ranges has failed. In this case, the function reads the
// range by a separate request, or returns an error.
using RangeSink = std::function<Status(std::size_t which, const std::optional<ByteSpan>& bytes)>;

// Reads `ranges` and calls `sink` once per range. Ranges of one object are joined to one request if
// `source.cost` allows the gap between them; small gaps are read first. A range larger than the
// maximum of a request is still read by one request.
//
// Calls of `sink` come in any order, from several threads at once. Returns the first failure of
// `sink`; remaining ranges may then be skipped.
Status ReadRanges(const RangeSource& source, std::vector<WantedRange> ranges,
                  const ReadRangesOptions& options, const RangeSink& sink);

}  // namespace zarr

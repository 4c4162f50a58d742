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

// Cost model of ReadRanges(): how many bytes that nobody needs may be read to save a request.
struct ReadCost {
    // Maximum number of unneeded bytes between two ranges that are read by one request.
    std::uint64_t gap = 0;
    // Maximum size in bytes of a request that reads several ranges.
    std::uint64_t request_bytes = 0;
    // All unneeded bytes together are at most the needed bytes divided by `waste_share`; 0 means no
    // limit.
    std::uint64_t waste_share = 0;
    // Gaps of at most `free_gap` bytes are not counted as unneeded bytes for `waste_share`.
    std::uint64_t free_gap = 0;
};

// Byte range to read: `size` bytes at `offset` of object number `object`. `which` is the
// number of the range in calls of the sink.
struct WantedRange {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::size_t which = 0;
    std::size_t object = 0;
};

struct ReadRangesOptions {
    std::size_t requests = 1;  // maximum number of concurrent requests to the server or disk
    std::size_t threads = 1;   // maximum number of concurrent calls of the RangeSink
    // Limits the bytes that are read but not yet taken by the sink; may be nullptr.
    ByteGate* gate = nullptr;
    // Receives the duration of each request in nanoseconds; may be empty.
    std::function<void(std::uint64_t time)> on_request;
};

// The objects that ReadRanges() reads: their cost model, and a thread-safe function that reads a
// range.
struct RangeSource {
    ReadCost cost;
    BufferPool& buffers;  // memory of finished requests, for reuse
    // Reads `size` bytes at `offset` of an object into `bytes`, a buffer of `size` bytes. If the
    // object has fewer bytes, returns false or shrinks `bytes`. `size` may be 0.
    std::function<Result<bool>(std::size_t object, std::uint64_t offset, std::size_t size,
                               Buffer& bytes)>
        read;
};

// Takes the bytes of range number `which`; `bytes` are valid during the call. nullopt means that a
// request for several ranges failed: the function must read the range itself, or return an error.
using RangeSink = std::function<Status(std::size_t which, const std::optional<ByteSpan>& bytes)>;

// Reads `ranges`, and calls `sink` once per range, in any order and from several threads at once.
// One request reads several ranges of an object if `source.cost` allows the gaps between them.
// A range larger than `request_bytes` is still read by one request.
//
// Returns the first failure of `sink`; the remaining ranges may then be skipped.
Status ReadRanges(const RangeSource& source, std::vector<WantedRange> ranges,
                  const ReadRangesOptions& options, const RangeSink& sink);

}  // namespace zarr

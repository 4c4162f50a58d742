// SPDX-License-Identifier: MIT
// Which parts of one object are read by one request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zarr {

// What a request costs beside the bytes that it brings.
struct ReadCost {
    // Bytes that are read as quickly as a request is made: so many that nobody wants are read
    // rather than that another request is made.
    std::uint64_t gap = 0;
    // At most so many bytes by one request for several parts.
    std::uint64_t request_bytes = 0;
    // Of what is wanted, at most one part of so many is read on top of it; 0: any number.
    std::uint64_t waste_share = 0;
    // Bytes that count for nothing in that, as a request itself takes as many.
    std::uint64_t free_gap = 0;
};

// A part of an object.
struct WantedRange {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::size_t which = 0;  // for the caller
};

// Some of the wanted ranges, in order, that one request reads.
struct JoinedRange {
    std::size_t first = 0;
    std::size_t count = 0;
    std::uint64_t offset = 0;
    std::uint64_t end = 0;

    std::uint64_t size() const { return end - offset; }
};

// Sorts `wanted` by offset, and joins what lies near: the smallest gaps first, as long as
// `cost` allows. What is larger than a request alone is a range of its own.
std::vector<JoinedRange> JoinRanges(std::vector<WantedRange>& wanted, const ReadCost& cost);

}  // namespace zarr

// SPDX-License-Identifier: MIT
#include "core/array/part_ranges.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "core/base/tuning.h"

namespace zarr {

namespace {

// Returns the dimension with the smallest stride, among the dimensions along which `part` has
// several elements.
std::size_t ClosestAxis(const ChunkPart& part, const Strides& strides) {
    std::size_t closest = 0;
    for (std::size_t i = 1; i < part.count.size(); ++i)
        if (part.count[closest] == 1 ||
            (part.count[i] > 1 && std::abs(strides[i]) < std::abs(strides[closest])))
            closest = i;
    return closest;
}

// Returns `ranges` sorted, with ranges that touch or overlap joined to one range.
ByteRanges Joined(ByteRanges ranges) {
    std::sort(ranges.begin(), ranges.end(),
              [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
    ByteRanges joined;
    for (const ByteRange& range : ranges) {
        if (joined.empty() || joined.back().end < range.begin)
            joined.push_back(range);
        else
            joined.back().end = std::max(joined.back().end, range.end);
    }
    return joined;
}

}  // namespace

ByteRanges WantedRanges(const ChunkPart& part, const Region& region, std::size_t offset,
                        std::size_t size) {
    const ChunkWalk walk = WalkOf(part, region, part.layout->strides);
    const std::size_t chunk_bytes = part.layout->bytes();
    const std::size_t rank = part.count.size();
    std::uint64_t elements = 1;
    for (const std::uint64_t count : part.count)
        elements *= count;  // cannot overflow: at most the elements of one chunk
    if (rank == 0 || elements > chunk_bytes / tuning::kPartShare / std::max<std::size_t>(size, 1))
        return {};
    const std::size_t axis = ClosestAxis(part, walk.strides);
    if (elements / part.count[axis] > tuning::kPartRanges) return {};
    const auto length = static_cast<std::ptrdiff_t>(part.count[axis] - 1) * walk.strides[axis];
    ByteRanges ranges;
    DimVector<std::uint64_t> index;
    for (std::size_t i = 0; i < rank; ++i) index.push_back(0);
    for (;;) {
        std::ptrdiff_t begin = walk.first + std::min<std::ptrdiff_t>(length, 0);
        for (std::size_t i = 0; i < rank; ++i)
            begin += static_cast<std::ptrdiff_t>(index[i]) * walk.strides[i];
        const auto from = static_cast<std::size_t>(begin) + offset;
        ranges.push_back({from, from + static_cast<std::size_t>(std::abs(length)) + size});
        std::size_t i = 0;
        while (i < rank && (i == axis || ++index[i] == part.count[i])) {
            if (i != axis) index[i] = 0;
            ++i;
        }
        if (i == rank) break;
    }
    ranges = Joined(std::move(ranges));
    std::size_t bytes = 0;
    for (const ByteRange& range : ranges) bytes += range.end - range.begin;
    return bytes > chunk_bytes / tuning::kPartShare ? ByteRanges{} : ranges;
}

}  // namespace zarr

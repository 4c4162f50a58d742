// SPDX-License-Identifier: MIT
#include "core/array/piece_ranges.h"

#include <algorithm>
#include <cstdlib>

namespace zarr {

namespace {

constexpr std::size_t kMaxRanges = 4096;
constexpr std::size_t kSmallPart = 16;  // of the chunk, at most one of so many

// The dimension along which the elements lie closest.
std::size_t ClosestAxis(const RegionPiece& piece, const Strides& strides) {
    std::size_t closest = 0;
    for (std::size_t i = 1; i < piece.count.size(); ++i)
        if (piece.count[closest] == 1 ||
            (piece.count[i] > 1 && std::abs(strides[i]) < std::abs(strides[closest])))
            closest = i;
    return closest;
}

// Puts ranges in order and joins those that touch.
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

ByteRanges RangesOf(const RegionPiece& piece, const ChunkWalk& walk, std::size_t offset,
                    std::size_t size, std::size_t chunk_bytes) {
    const std::size_t rank = piece.count.size();
    std::uint64_t elements = 1;
    for (const std::uint64_t count : piece.count) elements *= count;  // those of one chunk at most
    if (rank == 0 || elements > chunk_bytes / kSmallPart / std::max<std::size_t>(size, 1))
        return {};
    const std::size_t axis = ClosestAxis(piece, walk.strides);
    if (elements / piece.count[axis] > kMaxRanges) return {};
    const auto length = static_cast<std::ptrdiff_t>(piece.count[axis] - 1) * walk.strides[axis];
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
        while (i < rank && (i == axis || ++index[i] == piece.count[i])) {
            if (i != axis) index[i] = 0;
            ++i;
        }
        if (i == rank) break;
    }
    ranges = Joined(std::move(ranges));
    std::size_t bytes = 0;
    for (const ByteRange& range : ranges) bytes += range.end - range.begin;
    return bytes > chunk_bytes / kSmallPart ? ByteRanges{} : ranges;
}

}  // namespace zarr

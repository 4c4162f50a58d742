// SPDX-License-Identifier: MIT
#include "core/array/region_groups.h"

namespace zarr {

RegionGroups::RegionGroups(const RegionSplit& split, const std::vector<GridAxis>& axes) {
    if (axes.empty()) count_ = split.pieces();
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::uint64_t pieces = split.PiecesAlong(i);
        const auto group_of = [&](std::uint64_t piece) {
            return axes[i].ChunkOf(split.ChunkAlong(i, piece));
        };
        std::vector<std::uint64_t> firsts;
        for (std::uint64_t piece = 0; piece < pieces;) {
            firsts.push_back(piece);
            const std::uint64_t group = group_of(piece);
            // Finds the last part of the group by binary search. All parts of a group are
            // consecutive, because a region's chunks are in ascending or descending order.
            std::uint64_t last = piece;   // last part that is known to be in the group
            std::uint64_t next = pieces;  // first part that is known to follow the group
            while (next - last > 1) {
                const std::uint64_t middle = last + (next - last) / 2;
                (group_of(middle) == group ? last : next) = middle;
            }
            piece = next;
        }
        firsts.push_back(pieces);
        count_ *= firsts.size() - 1;
        firsts_.push_back(std::move(firsts));
    }
}

std::uint64_t RegionGroups::SizeOf(std::uint64_t group) const {
    std::uint64_t size = 1;
    for (std::size_t axis = firsts_.size(); axis-- > 0;) {
        const std::vector<std::uint64_t>& firsts = firsts_[axis];
        const auto along = static_cast<std::size_t>(group % (firsts.size() - 1));
        group /= firsts.size() - 1;
        size *= firsts[along + 1] - firsts[along];
    }
    return size;
}

std::uint64_t RegionGroups::PieceAt(std::uint64_t group, std::uint64_t i) const {
    if (firsts_.empty()) return group;
    std::uint64_t piece = 0;
    // Difference between the numbers of two parts that are neighbours along `axis`.
    std::uint64_t stride = 1;
    for (std::size_t axis = firsts_.size(); axis-- > 0;) {
        const std::vector<std::uint64_t>& firsts = firsts_[axis];
        const auto along = static_cast<std::size_t>(group % (firsts.size() - 1));
        group /= firsts.size() - 1;
        const std::uint64_t size = firsts[along + 1] - firsts[along];
        piece += (firsts[along] + i % size) * stride;
        i /= size;
        stride *= firsts.back();
    }
    return piece;
}

}  // namespace zarr

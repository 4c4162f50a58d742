// SPDX-License-Identifier: MIT
#include "core/array/region_groups.h"

namespace zarr {

RegionGroups::RegionGroups(const RegionSplit& split, const std::vector<GridAxis>& axes) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::uint64_t pieces = split.PiecesAlong(i);
        const auto group_of = [&](std::uint64_t piece) {
            return axes[i].ChunkOf(split.ChunkAlong(i, piece));
        };
        std::vector<std::uint64_t> firsts;
        for (std::uint64_t piece = 0; piece < pieces;) {
            firsts.push_back(piece);
            const std::uint64_t group = group_of(piece);
            // Chunks ascend or descend, so those of a group follow each other.
            std::uint64_t last = piece;   // in the group
            std::uint64_t next = pieces;  // behind it
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

}  // namespace zarr

// SPDX-License-Identifier: MIT
// A regular selection of the elements of an array.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace zarr_core {

// In each dimension the elements start, start + step, ..., start + (count - 1) * step. The slowest
// dimension comes first, as in the metadata of Zarr. The function that takes a region checks it:
// all three have a number for each dimension of the array, and every element lies inside the array.
struct Region {
    std::vector<std::uint64_t> start;  // index of the first element
    std::vector<std::uint64_t> count;  // number of elements; 0 selects nothing
    std::vector<std::int64_t> step;    // may be negative, not 0; empty means 1 in each dimension

    // Returns the region of all elements of an array.
    static Region All(std::vector<std::uint64_t> shape) {
        Region region;
        region.start.assign(shape.size(), 0);
        region.count = std::move(shape);
        return region;
    }
};

}  // namespace zarr_core

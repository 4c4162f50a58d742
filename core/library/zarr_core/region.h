// SPDX-License-Identifier: MIT
// A regular selection of the elements of an array.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace zarr_core {

// In each dimension, a region selects the elements start, start + step, ..., start + (count - 1) *
// step. The slowest dimension comes first, as in Zarr metadata. Functions that take a region check
// it: each vector has one number per dimension, and every element is inside of the array.
struct Region {
    std::vector<std::uint64_t> start;  // index of the first element
    std::vector<std::uint64_t> count;  // number of elements; 0 selects nothing
    // Distances between selected elements: may be negative, but not 0. If empty, every step is 1.
    std::vector<std::int64_t> step;

    // Returns the region of all elements of an array of `shape`.
    static Region All(std::vector<std::uint64_t> shape) {
        Region region;
        region.start.assign(shape.size(), 0);
        region.count = std::move(shape);
        return region;
    }
};

}  // namespace zarr_core

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/dim_vector.h"
#include "core/base/status.h"

namespace zarr {

// A regular selection of an array: in each dimension the elements start, start + step, ...,
// start + (count - 1) * step. Steps may be negative, never 0.
struct Region {
    DimVector<std::uint64_t> start;
    DimVector<std::uint64_t> count;
    DimVector<std::int64_t> step;

    // The whole of an array of `shape`.
    static Region All(const std::vector<std::uint64_t>& shape);
    // Number of elements.
    std::uint64_t size() const;
    // kInvalidArgument unless the region has the rank of `shape` and lies inside it.
    Status Check(const std::vector<std::uint64_t>& shape) const;
};

}  // namespace zarr

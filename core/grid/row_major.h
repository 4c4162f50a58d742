// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/dim_vector.h"

namespace zarr {

// Returns the row-major number of the cell at index `place` in a grid of `counts` cells per
// dimension.
inline std::uint64_t RowMajorNumber(const DimVector<std::uint64_t>& place,
                                    const DimVector<std::uint64_t>& counts) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) number = number * counts[i] + place[i];
    return number;
}

// Returns the index of the cell with row-major `number` in a grid of `counts` cells per dimension.
// `number` must be less than the product of `counts`.
inline DimVector<std::uint64_t> RowMajorPosition(std::uint64_t number,
                                                 const DimVector<std::uint64_t>& counts) {
    DimVector<std::uint64_t> place(counts.size());
    for (std::size_t i = counts.size(); i-- > 0; number /= counts[i]) place[i] = number % counts[i];
    return place;
}

// Advances `place`, the index of a cell, to the next cell in row-major order. After the last cell,
// resets `place` to zeros and returns false.
inline bool NextRowMajor(DimVector<std::uint64_t>& place, const DimVector<std::uint64_t>& counts) {
    for (std::size_t i = counts.size(); i-- > 0; place[i] = 0)
        if (++place[i] < counts[i]) return true;
    return false;
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/dim_vector.h"

namespace zarr {

// Returns the row-major number of the cell at index `index` in a grid of `counts` cells per
// dimension.
inline std::uint64_t RowMajorNumber(const DimVector<std::uint64_t>& index,
                                    const DimVector<std::uint64_t>& counts) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) number = number * counts[i] + index[i];
    return number;
}

// Returns the index of the cell with row-major `number` in a grid of `counts` cells per dimension.
// `number` must be less than the product of `counts`.
inline DimVector<std::uint64_t> RowMajorIndex(std::uint64_t number,
                                              const DimVector<std::uint64_t>& counts) {
    DimVector<std::uint64_t> index(counts.size());
    for (std::size_t i = counts.size(); i-- > 0; number /= counts[i]) index[i] = number % counts[i];
    return index;
}

// Advances `index`, the index of a cell, to the next cell in row-major order. After the last cell,
// resets `index` to zeros and returns false.
inline bool NextRowMajor(DimVector<std::uint64_t>& index, const DimVector<std::uint64_t>& counts) {
    for (std::size_t i = counts.size(); i-- > 0; index[i] = 0)
        if (++index[i] < counts[i]) return true;
    return false;
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/dim_vector.h"

namespace zarr {

// The number of a place in a grid of `counts`, one for each dimension, in row-major order.
inline std::uint64_t RowMajorNumber(const DimVector<std::uint64_t>& place,
                                    const DimVector<std::uint64_t>& counts) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) number = number * counts[i] + place[i];
    return number;
}

// The place of a number, which is less than the product of `counts`.
inline DimVector<std::uint64_t> RowMajorPlace(std::uint64_t number,
                                              const DimVector<std::uint64_t>& counts) {
    DimVector<std::uint64_t> place(counts.size());
    for (std::size_t i = counts.size(); i-- > 0; number /= counts[i]) place[i] = number % counts[i];
    return place;
}

// Moves `place` on to the next one; false, and back to the first, where it was the last.
inline bool NextRowMajor(DimVector<std::uint64_t>& place, const DimVector<std::uint64_t>& counts) {
    for (std::size_t i = counts.size(); i-- > 0; place[i] = 0)
        if (++place[i] < counts[i]) return true;
    return false;
}

}  // namespace zarr

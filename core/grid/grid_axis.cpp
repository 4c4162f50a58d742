// SPDX-License-Identifier: MIT
#include "core/grid/grid_axis.h"

#include <algorithm>

namespace zarr {

GridAxis::GridAxis(std::uint64_t length, const std::vector<std::uint64_t>& ends)
    : length_(length), size_(0), ends_(ends.data()) {
    const auto last = std::lower_bound(ends.begin(), ends.end(), length);
    count_ = length == 0 ? 0 : static_cast<std::uint64_t>(last - ends.begin()) + 1;
}

std::uint64_t GridAxis::FindChunk(std::uint64_t element) const {
    return static_cast<std::uint64_t>(std::upper_bound(ends_, ends_ + count_, element) - ends_);
}

std::uint64_t GridAxis::LargestSize() const {
    std::uint64_t largest = SizeOf(0);
    if (is_regular()) return largest;
    for (std::uint64_t i = 1; i < count_; ++i) largest = std::max(largest, SizeOf(i));
    return largest;
}

}  // namespace zarr

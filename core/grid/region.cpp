// SPDX-License-Identifier: MIT
#include "core/grid/region.h"

#include "core/base/checked.h"

namespace zarr {

Region Region::All(const std::vector<std::uint64_t>& shape) {
    Region region;
    for (const std::uint64_t n : shape) {
        region.start.push_back(0);
        region.count.push_back(n);
        region.step.push_back(1);
    }
    return region;
}

std::uint64_t Region::size() const {
    std::uint64_t size = 1;
    for (const std::uint64_t n : count) size *= n;
    return size;
}

Status Region::Check(const std::vector<std::uint64_t>& shape) const {
    const std::size_t rank = shape.size();
    if (start.size() != rank || count.size() != rank || step.size() != rank)
        return Status::Invalid("the region has another number of dimensions than the array");
    for (std::size_t i = 0; i < rank; ++i) {
        if (count[i] == 0) continue;
        const std::uint64_t stride = step[i] < 0 ? 0 - static_cast<std::uint64_t>(step[i])
                                                 : static_cast<std::uint64_t>(step[i]);
        const auto reach = CheckedMul(count[i] - 1, stride);
        const bool inside = step[i] != 0 && start[i] < shape[i] && reach &&
                            (step[i] > 0 ? *reach < shape[i] - start[i] : *reach <= start[i]);
        if (!inside)
            return Status::Invalid("the region leaves dimension " + std::to_string(i) +
                                   ", which has " + std::to_string(shape[i]) + " elements");
    }
    return {};
}

}  // namespace zarr

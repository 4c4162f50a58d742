// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/grid/region.h"

namespace zarr::test {

// Returns the region with step 1 that begins at `start` and has `count` elements along each
// dimension.
inline Region Box(const std::vector<std::uint64_t>& start,
                  const std::vector<std::uint64_t>& count) {
    Region region;
    for (std::size_t i = 0; i < start.size(); ++i) {
        region.start.push_back(start[i]);
        region.count.push_back(count[i]);
        region.step.push_back(1);
    }
    return region;
}

}  // namespace zarr::test

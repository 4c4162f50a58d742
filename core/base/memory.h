// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace zarr {

// Memory for `size` bytes, uninitialised and aligned for any scalar; of large sizes in large pages
// where the system has them, as a page fault for every 4 KiB costs more than decompressing into
// them does. nullptr where there is none. To be freed with std::free().
std::uint8_t* AllocateBytes(std::size_t size);

}  // namespace zarr

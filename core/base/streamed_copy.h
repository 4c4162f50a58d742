// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace zarr {

// memcpy() for results that are larger than the processor's caches: where the processor can, they
// are written past those, which saves reading each line of the destination first. Call
// EndStreamedCopies() before another thread is told of them.
void StreamedCopy(std::uint8_t* dst, const std::uint8_t* src, std::size_t size);
void EndStreamedCopies();

}  // namespace zarr

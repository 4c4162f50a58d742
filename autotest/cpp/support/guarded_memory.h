// SPDX-License-Identifier: MIT
// Memory that is followed by a page without access. A read or write past the end crashes at once,
// even in a library that is built without a sanitizer.
#pragma once

#include <cstddef>

#include "core/base/bytes.h"

namespace zarr::test {

class GuardedMemory {
  public:
    GuardedMemory() = default;
    ~GuardedMemory();
    GuardedMemory(const GuardedMemory&) = delete;
    GuardedMemory& operator=(const GuardedMemory&) = delete;

    // Returns `size` bytes that end at the guard page. Invalidates the result of earlier calls.
    MutableByteSpan Last(std::size_t size);
    // Returns a copy of `bytes` that ends at the guard page. Invalidates the result of earlier
    // calls.
    ByteSpan Copy(ByteSpan bytes);

  private:
    void Free();

    std::uint8_t* base_ = nullptr;
    std::size_t usable_ = 0;
    std::size_t mapped_ = 0;
};

}  // namespace zarr::test

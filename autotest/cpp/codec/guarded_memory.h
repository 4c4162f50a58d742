// SPDX-License-Identifier: MIT
// Memory whose end is the end of a page that may be touched. Catches reads and writes past the end
// also in libraries that were built without a sanitizer.
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

    // The last `size` bytes before the guard; the last call's memory is no longer valid.
    MutableByteSpan Last(std::size_t size);
    // The same with the contents of `bytes`.
    ByteSpan Copy(ByteSpan bytes);

  private:
    void Free();

    std::uint8_t* base_ = nullptr;
    std::size_t usable_ = 0;
    std::size_t mapped_ = 0;
};

}  // namespace zarr::test

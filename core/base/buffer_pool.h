// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>

#include "core/base/bytes.h"
#include "core/base/fork.h"

namespace zarr {

// Keeps the memory of large buffers that are done with for those that are needed next, up to a
// number of bytes: memory that is new to a process is cleared by the system first, which takes
// about as long as decoding into it. Thread-safe.
class BufferPool {
  public:
    explicit BufferPool(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    // Frees at once what is too much.
    void SetMaxBytes(std::size_t max_bytes);

    // Gives `buffer` room for `size` bytes, whose contents are anything.
    Status Take(std::size_t size, Buffer& buffer);
    // Takes the memory back, or frees it.
    void Give(Buffer buffer);

    std::size_t bytes() const;  // held, in use by nobody

  private:
    using Idle = std::multimap<std::size_t, Buffer>;  // by capacity

    void FreeLocked(Idle::iterator buffer);

    mutable Mutex mutex_;
    std::size_t max_bytes_;
    std::size_t bytes_ = 0;
    Idle idle_;
};

}  // namespace zarr

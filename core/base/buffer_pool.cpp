// SPDX-License-Identifier: MIT
#include "core/base/buffer_pool.h"

#include <iterator>
#include <new>
#include <utility>

namespace zarr {

namespace {

// The allocator keeps less than this itself.
constexpr std::size_t kLarge = std::size_t{64} << 10;

}  // namespace

void BufferPool::SetMaxBytes(std::size_t max_bytes) {
    const std::lock_guard<Mutex> lock(mutex_);
    max_bytes_ = max_bytes;
    while (bytes_ > max_bytes_) FreeLocked(idle_.begin());
}

std::size_t BufferPool::bytes() const {
    const std::lock_guard<Mutex> lock(mutex_);
    return bytes_;
}

void BufferPool::FreeLocked(Idle::iterator buffer) {
    bytes_ -= buffer->first;
    idle_.erase(buffer);
}

Status BufferPool::Take(std::size_t size, Buffer& buffer) {
    if (size >= kLarge) {
        const std::lock_guard<Mutex> lock(mutex_);
        const auto found = idle_.lower_bound(size);
        // What is much larger would be wasted.
        if (found != idle_.end() && found->first - size <= size / 4) {
            buffer = std::move(found->second);
            FreeLocked(found);
        }
    }
    return buffer.Reset(size);
}

void BufferPool::Give(Buffer buffer) {
    const std::size_t size = buffer.capacity();
    if (size < kLarge) return;
    const std::lock_guard<Mutex> lock(mutex_);
    if (size > max_bytes_) return;
    // Of other sizes is what nobody has asked for lately.
    while (bytes_ + size > max_bytes_) {
        const auto other = idle_.begin()->first != size ? idle_.begin() : std::prev(idle_.end());
        if (other->first == size) return;
        FreeLocked(other);
    }
    try {
        idle_.emplace(size, std::move(buffer));
        bytes_ += size;
    } catch (const std::bad_alloc&) {
        // Then it is freed.
    }
}

}  // namespace zarr

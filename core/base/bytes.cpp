// SPDX-License-Identifier: MIT
#include "core/base/bytes.h"

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace zarr {

namespace {

Status NoMemory(std::size_t size) {
    return Status::OutOfMemory("cannot allocate " + std::to_string(size) + " bytes");
}

// The allocator keeps less than this itself.
constexpr std::size_t kLarge = std::size_t{64} << 10;

#if defined(__linux__)
constexpr std::size_t kPage = 4096;
constexpr std::size_t kLargePage = std::size_t{2} << 20;  // of most processors
#endif

}  // namespace

Status Buffer::Resize(std::size_t size) {
    if (size > capacity_) {
        auto* grown = bytes_ == nullptr
                          ? AllocateBytes(size)
                          : static_cast<std::uint8_t*>(std::realloc(bytes_.get(), size));
        if (grown == nullptr) return NoMemory(size);
        static_cast<void>(bytes_.release());
        bytes_.reset(grown);
        capacity_ = size;
    }
    size_ = size;
    return {};
}

Status Buffer::Reset(std::size_t size) {
    if (size > capacity_) {
        bytes_.reset();
        size_ = capacity_ = 0;
    }
    return Resize(size);
}

Status Buffer::Assign(ByteSpan bytes) {
    ZARR_RETURN_IF_ERROR(Reset(bytes.size));
    if (bytes.size != 0) std::memcpy(data(), bytes.data, bytes.size);
    return {};
}

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
    // Buffers of other sizes were not asked for lately.
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

std::uint8_t* AllocateBytes(std::size_t size) {
#if defined(__linux__)
    if (size >= kLargePage / 2 && size <= SIZE_MAX - kLargePage) {
        const std::size_t whole = (size + kLargePage - 1) / kLargePage * kLargePage;
        // The last page, where little of it would be wasted.
        const std::size_t large = whole - size <= size / 8 ? whole : whole - kLargePage;
        if (large != 0) {
            void* memory = std::aligned_alloc(kLargePage, whole);
            if (memory != nullptr) madvise(memory, large, MADV_HUGEPAGE);  // a hint
            return static_cast<std::uint8_t*>(memory);
        }
    }
    // At the start of a page: to places a little further in it some processors copy files at a
    // sixth of the speed (AMD's since Zen 3, where the system copies by REP MOVSB).
    if (size >= kLarge && size <= SIZE_MAX - kPage) {
        const std::size_t whole = (size + kPage - 1) / kPage * kPage;
        return static_cast<std::uint8_t*>(std::aligned_alloc(kPage, whole));
    }
#endif
    return static_cast<std::uint8_t*>(std::malloc(size));
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
// Views of bytes, and a buffer that grows without exceptions and without zeroing memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/status.h"

namespace zarr {

// Read-only view of bytes. The caller owns the memory, which may have any alignment.
struct ByteSpan {
    const std::uint8_t* data = nullptr;
    std::size_t size = 0;

    ByteSpan() = default;
    ByteSpan(const std::uint8_t* d, std::size_t n) : data(d), size(n) {}
    explicit ByteSpan(std::string_view text)
        : data(reinterpret_cast<const std::uint8_t*>(text.data())), size(text.size()) {}

    std::string_view text() const { return {reinterpret_cast<const char*>(data), size}; }
    // Returns the bytes that begin at `offset`, which must be <= size.
    ByteSpan From(std::size_t offset) const { return {data + offset, size - offset}; }
};

// Writable view of bytes. The caller owns the memory, which may have any alignment.
struct MutableByteSpan {
    std::uint8_t* data = nullptr;
    std::size_t size = 0;

    operator ByteSpan() const { return {data, size}; }  // NOLINT(google-explicit-constructor)
};

// Allocates `size` uninitialised bytes, aligned for any scalar. Returns nullptr if memory runs out.
// Free the memory with FreeBytes() and an equal `size`.
// Large blocks use large pages on Linux, because a page fault per 4 KiB costs more than
// decompressing 4 KiB. Other blocks of at least tuning::kAlignedFrom bytes start at a cache line,
// because some processors copy file data slowly to other addresses.
std::uint8_t* AllocateBytes(std::size_t size);
void FreeBytes(std::uint8_t* memory, std::size_t size);

// Maps physical pages to a large block of memory in advance, on up to `threads` threads. Keeps the
// contents. Without this call, the first access to each page costs a fault, and two threads may
// both clear one large page. Does nothing if the pages are mapped already, or if the system lacks
// MADV_POPULATE_WRITE.
void Populate(MutableByteSpan memory, std::size_t threads);

// Owned bytes, aligned for any scalar. Resize() keeps the contents up to the smaller size and
// leaves new bytes uninitialised. Move only.
class Buffer {
  public:
    Buffer() = default;
    ~Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    // Takes over the memory of `other`, which is empty afterwards.
    Buffer(Buffer&& other) noexcept
        : bytes_(std::move(other.bytes_)),
          size_(std::exchange(other.size_, 0)),
          capacity_(std::exchange(other.capacity_, 0)) {}
    Buffer& operator=(Buffer&& other) noexcept {
        bytes_ = std::move(other.bytes_);
        size_ = std::exchange(other.size_, 0);
        capacity_ = std::exchange(other.capacity_, 0);
        return *this;
    }

    // Sets the size in bytes. Fails with kOutOfMemory, and then leaves the buffer unchanged.
    Status Resize(std::size_t size);
    // Sets the size in bytes and discards the contents. Avoids the copy of the contents that
    // Resize() makes when the buffer grows.
    Status Reset(std::size_t size);
    Status Assign(ByteSpan bytes);
    // Replaces the contents by the concatenated `parts`. No part may point into this buffer.
    Status AssignJoined(const std::vector<ByteSpan>& parts);

    std::uint8_t* data() { return bytes_.get(); }
    const std::uint8_t* data() const { return bytes_.get(); }
    std::size_t size() const { return size_; }
    std::size_t capacity() const { return capacity_; }
    ByteSpan span() const { return {bytes_.get(), size_}; }
    MutableByteSpan span() { return {bytes_.get(), size_}; }

  private:
    struct Free {
        std::size_t size;  // allocated size in bytes
        void operator()(std::uint8_t* memory) const { FreeBytes(memory, size); }
    };
    std::unique_ptr<std::uint8_t[], Free> bytes_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

// Pool of released large buffers, bounded in bytes. A new buffer would cost more: the system clears
// new memory first, which takes about as long as decoding a chunk into the memory. Thread-safe.
class BufferPool {
  public:
    explicit BufferPool(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    // Sets the maximum size of the pool in bytes. Frees pooled buffers until the pool is small
    // enough.
    void SetMaxBytes(std::size_t max_bytes);

    // Resizes `buffer` to `size` bytes. Uses the memory of a pooled buffer if the pool has one
    // of a suitable size. The contents are undefined.
    Status Acquire(std::size_t size, Buffer& buffer);
    // Adds `buffer` to the pool, or frees its memory if the pool is full.
    void Release(Buffer buffer);

    std::size_t bytes() const;  // total size in bytes of the pooled buffers

  private:
    using Idle = std::multimap<std::size_t, Buffer>;  // pooled buffers by capacity in bytes

    void FreeLocked(Idle::iterator buffer);

    mutable std::mutex mutex_;
    std::size_t max_bytes_;
    std::size_t bytes_ = 0;
    Idle idle_;
};

}  // namespace zarr

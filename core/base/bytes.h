// SPDX-License-Identifier: MIT
// Views of bytes and an owning buffer whose growth neither throws nor clears memory.
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

// A borrowed, read-only run of bytes. Carries no alignment.
struct ByteSpan {
    const std::uint8_t* data = nullptr;
    std::size_t size = 0;

    ByteSpan() = default;
    ByteSpan(const std::uint8_t* d, std::size_t n) : data(d), size(n) {}
    explicit ByteSpan(std::string_view text)
        : data(reinterpret_cast<const std::uint8_t*>(text.data())), size(text.size()) {}

    std::string_view text() const { return {reinterpret_cast<const char*>(data), size}; }
    // The bytes from `offset` on; `offset` must be <= size.
    ByteSpan From(std::size_t offset) const { return {data + offset, size - offset}; }
};

// A borrowed, writable run of bytes.
struct MutableByteSpan {
    std::uint8_t* data = nullptr;
    std::size_t size = 0;

    operator ByteSpan() const { return {data, size}; }  // NOLINT(google-explicit-constructor)
};

// Memory for `size` bytes, uninitialised and aligned for any scalar; of large sizes in large pages
// where the system has them, as a page fault for every 4 KiB costs more than decompressing into
// them does, and never where the system is slow to copy files to. nullptr where there is none. To
// be freed with FreeBytes() and the same size.
std::uint8_t* AllocateBytes(std::size_t size);
void FreeBytes(std::uint8_t* memory, std::size_t size);

// Has the system give memory its pages now, on up to `threads` threads, where it is large and has
// none yet; what is in it stays. Pages would come one fault at a time, and a large one twice where
// two threads begin to write to it at the same time. Does nothing where the system cannot.
void Populate(MutableByteSpan memory, std::size_t threads);

// Owned bytes. Resize() keeps the common prefix and leaves new bytes uninitialised; memory is
// aligned for any scalar. Move only.
class Buffer {
  public:
    Buffer() = default;
    ~Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    // What is moved from is empty.
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

    // Fails with kOutOfMemory, leaving the buffer as it was.
    Status Resize(std::size_t size);
    // Like Resize(), but drops the contents, so nothing is copied when it grows.
    Status Reset(std::size_t size);
    Status Assign(ByteSpan bytes);
    // The bytes of several runs, one after another; none of them this buffer's own.
    Status AssignJoined(const std::vector<ByteSpan>& parts);

    std::uint8_t* data() { return bytes_.get(); }
    const std::uint8_t* data() const { return bytes_.get(); }
    std::size_t size() const { return size_; }
    std::size_t capacity() const { return capacity_; }
    ByteSpan span() const { return {bytes_.get(), size_}; }
    MutableByteSpan span() { return {bytes_.get(), size_}; }

  private:
    struct Free {
        std::size_t size;  // as it was allocated
        void operator()(std::uint8_t* memory) const { FreeBytes(memory, size); }
    };
    std::unique_ptr<std::uint8_t[], Free> bytes_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

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

    std::size_t bytes() const;  // held, not in use

  private:
    using Idle = std::multimap<std::size_t, Buffer>;  // by capacity

    void FreeLocked(Idle::iterator buffer);

    mutable std::mutex mutex_;
    std::size_t max_bytes_;
    std::size_t bytes_ = 0;
    Idle idle_;
};

}  // namespace zarr

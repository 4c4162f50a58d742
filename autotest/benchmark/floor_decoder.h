// SPDX-License-Identifier: MIT
// Chunk files and the bare codec libraries, for the lower bound of the benchmarks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

// Bytes that are not cleared when they are made; grows without keeping what it held.
class FloorBuffer {
  public:
    explicit FloorBuffer(std::size_t size) { Reset(size); }
    void Reset(std::size_t size) {
        if (size > capacity_) {
            bytes_.reset(new std::uint8_t[size]);
            capacity_ = size;
        }
        size_ = size;
    }
    std::uint8_t* data() { return bytes_.get(); }
    const std::uint8_t* data() const { return bytes_.get(); }
    std::size_t size() const { return size_; }

  private:
    std::unique_ptr<std::uint8_t[]> bytes_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

// Decodes chunks with one codec library. Keeps the library's state between chunks, as a program
// would that does nothing else; for one thread.
class FloorDecoder {
  public:
    virtual ~FloorDecoder() = default;

    // Decodes `encoded` to the `size` bytes at `decoded`. False where the bytes are damaged or
    // decode to another size.
    virtual bool Decode(const FloorBuffer& encoded, std::uint8_t* decoded, std::size_t size) = 0;
};

// The decoder for "blosc", "zstd" or "zlib"; null for any other name.
std::unique_ptr<FloorDecoder> MakeFloorDecoder(const std::string& codec);

// Reads a file into `bytes`. False where that fails.
bool ReadWholeFile(const std::string& path, FloorBuffer& bytes);

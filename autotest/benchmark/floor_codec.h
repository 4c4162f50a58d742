// SPDX-License-Identifier: MIT
// Access to chunk files and codec libraries for zarr_floor, the lower bound of the benchmarks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>

// Buffer of uninitialised bytes. Growing discards its contents. The bytes begin at a page boundary,
// because some systems copy file data more slowly to other addresses.
class FloorBuffer {
  public:
    explicit FloorBuffer(std::size_t size = 0) { Reset(size); }
    void Reset(std::size_t size) {
        if (size > capacity_) {
            bytes_.reset(new (kPage) std::uint8_t[size]);
            capacity_ = size;
        }
        size_ = size;
    }
    std::uint8_t* data() { return bytes_.get(); }
    const std::uint8_t* data() const { return bytes_.get(); }
    std::size_t size() const { return size_; }

  private:
    static constexpr std::align_val_t kPage{4096};
    struct Free {
        void operator()(std::uint8_t* bytes) const { operator delete[](bytes, kPage); }
    };

    std::unique_ptr<std::uint8_t[], Free> bytes_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

// Encodes and decodes chunks with one codec library. Keeps the library's state between chunks, as a
// specialised program would. Not thread-safe.
class FloorCodec {
  public:
    virtual ~FloorCodec() = default;

    // Decodes `encoded` to the `size` bytes at `decoded`. Returns false if `encoded` is damaged or
    // decodes to another size.
    virtual bool Decode(const FloorBuffer& encoded, std::uint8_t* decoded, std::size_t size) = 0;
    // Encodes items of `item_size` bytes. `variant` is the compressor of blosc, or the level of
    // another codec. Returns false on failure.
    virtual bool Encode(const FloorBuffer& decoded, std::size_t item_size,
                        const std::string& variant, FloorBuffer& encoded) = 0;
};

// Returns the codec "blosc", "zstd", "zlib" or "gzip", or nullptr for any other name.
std::unique_ptr<FloorCodec> MakeFloorCodec(const std::string& codec);

// Reads a file into `bytes`. Returns false on failure.
bool ReadWholeFile(const std::string& path, FloorBuffer& bytes);
// Writes `bytes` to a new file. Returns false on failure.
bool WriteWholeFile(const std::string& path, const FloorBuffer& bytes);

// SPDX-License-Identifier: MIT
// Reads FlatBuffers (flatbuffers.dev, "FlatBuffers Internals") with every access checked against
// the buffer. A schema numbers the fields of a table from 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/bytes.h"
#include "core/base/status.h"

namespace zarr {

class FlatVector;

// A table in a flatbuffer. For a field that the table lacks, a getter returns nullopt or the
// default. Getters return kCorrupt if a position lies outside of the buffer. Does not own the
// buffer. Cheap to copy.
class FlatTable {
  public:
    FlatTable() = default;

    // Returns the root table of `buffer`, whose bytes 4 to 7 must be `identifier`.
    static Result<FlatTable> Root(ByteSpan buffer, std::string_view identifier);
    // Returns the table at `position`; kCorrupt if the table or its vtable is damaged.
    static Result<FlatTable> At(ByteSpan buffer, std::size_t position);

    // Returns the position of the table in the buffer, in bytes.
    std::size_t position() const { return position_; }

    // Return the number in a field; `fallback` if the table lacks the field.
    Result<std::uint8_t> Uint8(unsigned field, std::uint8_t fallback) const;
    Result<std::uint32_t> Uint32(unsigned field, std::uint32_t fallback) const;
    Result<std::uint64_t> Uint64(unsigned field, std::uint64_t fallback) const;
    // Returns the `size` bytes of the struct in a field; nullopt if the table lacks the field.
    Result<std::optional<ByteSpan>> Struct(unsigned field, std::size_t size) const;
    Result<std::optional<FlatTable>> Table(unsigned field) const;
    Result<std::optional<std::string_view>> String(unsigned field) const;
    // Returns the vector in a field. `size` is the size of its elements in bytes. For a vector of
    // tables or strings, `size` is 4, because the vector contains offsets to them.
    Result<std::optional<FlatVector>> Vector(unsigned field, std::size_t size) const;

  private:
    FlatTable(ByteSpan buffer, std::size_t position, std::size_t vtable, std::uint16_t vtable_size,
              std::uint16_t size)
        : buffer_(buffer),
          position_(position),
          vtable_(vtable),
          vtable_size_(vtable_size),
          size_(size) {}

    // Returns the position of a field of `size` bytes; 0 if the table lacks the field.
    Result<std::size_t> Find(unsigned field, std::size_t size) const;

    ByteSpan buffer_;
    std::size_t position_ = 0;
    std::size_t vtable_ = 0;
    std::uint16_t vtable_size_ = 0;  // size of the vtable in bytes
    std::uint16_t size_ = 0;         // size of the table in bytes, without its vtable
};

// A vector in a flatbuffer. Does not own the buffer. Cheap to copy. Indices must be < size().
class FlatVector {
  public:
    FlatVector() = default;
    // Returns the vector at `position`, whose elements have `size` bytes each; kCorrupt if the
    // vector does not lie within the buffer.
    static Result<FlatVector> At(ByteSpan buffer, std::size_t position, std::size_t size);

    std::size_t size() const { return count_; }
    // Returns the bytes of all elements.
    ByteSpan bytes() const { return {buffer_.data + begin_, count_ * element_}; }
    // Returns the bytes of one element.
    ByteSpan Bytes(std::size_t index) const {
        return {buffer_.data + begin_ + index * element_, element_};
    }
    // Returns an element that is a table.
    Result<FlatTable> Table(std::size_t index) const;
    // Sets `vector` to the vector in the field `field` of element `index`, which is a table. The
    // vector's elements have `size` bytes. Returns false if the buffer is damaged or the table
    // lacks the field. Faster than FlatTable::Vector(), but gives no reason for a failure.
    bool FindVector(std::size_t index, unsigned field, std::size_t size, FlatVector& vector) const;

  private:
    FlatVector(ByteSpan buffer, std::size_t begin, std::size_t count, std::size_t element)
        : buffer_(buffer), begin_(begin), count_(count), element_(element) {}

    ByteSpan buffer_;
    std::size_t begin_ = 0;
    std::size_t count_ = 0;
    std::size_t element_ = 0;  // size of an element in bytes
};

}  // namespace zarr

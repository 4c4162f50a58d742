// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zarr {

// Writes the compact protocol of Apache Thrift ("Thrift Compact protocol encoding"). The fields of
// a struct must be written in ascending order of their ids, which are at most 15 apart. Begins in
// the outermost struct. Not thread-safe.
class ThriftWriter {
  public:
    // Write a field of the current struct.
    void I32(std::int16_t id, std::int32_t value);
    void I64(std::int16_t id, std::int64_t value);
    void Text(std::int16_t id, std::string_view value);

    // Begin a list of `count` elements, which must follow.
    void I32List(std::int16_t id, std::size_t count);
    void TextList(std::int16_t id, std::size_t count);
    void StructList(std::int16_t id, std::size_t count);
    // Write an element of a list.
    void I32Element(std::int32_t value);
    void TextElement(std::string_view value);

    // BeginStruct() begins a struct that is a field. BeginElement() begins a struct that is an
    // element of a list. EndStruct() ends the current struct, even the outermost one.
    void BeginStruct(std::int16_t id);
    void BeginElement();
    void EndStruct();

    const std::string& bytes() const { return bytes_; }

  private:
    void Field(std::int16_t id, std::uint8_t type);
    void List(std::int16_t id, std::size_t count, std::uint8_t type);
    void Unsigned(std::uint64_t value);
    void Signed(std::int64_t value);

    std::string bytes_;
    std::int16_t last_ = 0;            // id of the last field of the current struct
    std::vector<std::int16_t> outer_;  // `last_` of the structs around the current struct
};

}  // namespace zarr

// SPDX-License-Identifier: MIT
// Writes flatbuffers byte by byte, for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"

namespace zarr {

// Appends tables and vectors to a flatbuffer. An offset is filled in when its target is appended.
class FlatWriter {
  public:
    explicit FlatWriter(std::string_view identifier = "Ichk") : bytes_(4, '\0') {
        bytes_ += identifier;
    }

    // Appends a table whose fields have the given sizes in bytes; 0 stands for an absent field.
    // Returns the table's position.
    std::size_t Table(const std::vector<std::size_t>& sizes) {
        const std::size_t vtable = bytes_.size();
        std::size_t size = 4;
        Append16(4 + 2 * sizes.size());
        for (const std::size_t each : sizes) size += each;
        Append16(size);
        std::size_t at = 4;
        for (const std::size_t each : sizes) {
            Append16(each == 0 ? 0 : at);
            at += each;
        }
        const std::size_t table = bytes_.size();
        bytes_.append(size, '\0');
        Put(table, table - vtable, 4);
        return table;
    }
    // Returns the position of a field in the table at the position `table`.
    std::size_t Field(std::size_t table, unsigned field) const {
        std::uint32_t distance = 0;
        std::uint16_t offset = 0;
        std::memcpy(&distance, bytes_.data() + table, 4);
        std::memcpy(&offset, bytes_.data() + table - distance + 4 + std::size_t{2} * field, 2);
        return table + offset;
    }
    // Writes a little-endian integer of `size` bytes at the position `at`.
    void Put(std::size_t at, std::uint64_t value, std::size_t size) {
        for (std::size_t i = 0; i < size; ++i)
            bytes_[at + i] = static_cast<char>((value >> (8 * i)) & 255U);
    }
    void PutBytes(std::size_t at, std::string_view bytes) {
        bytes_.replace(at, bytes.size(), bytes);
    }
    // Lets the offset at the position `at` refer to the next appended byte.
    void Link(std::size_t at) { Put(at, bytes_.size() - at, 4); }
    // Appends a vector of `count` elements, and lets the offset at the position `at` refer to it.
    // Returns the position of the first element.
    std::size_t Vector(std::size_t at, std::size_t count, std::string_view elements) {
        Link(at);
        const std::size_t begin = bytes_.size() + 4;
        bytes_.append(4, '\0');
        Put(begin - 4, count, 4);
        bytes_ += elements;
        return begin;
    }
    std::size_t Offsets(std::size_t at, std::size_t count) {
        return Vector(at, count, std::string(4 * count, '\0'));
    }
    void String(std::size_t at, std::string_view text) { Vector(at, text.size(), text); }

    const std::string& bytes() const { return bytes_; }
    ByteSpan span() const { return ByteSpan(std::string_view(bytes_)); }

  private:
    void Append16(std::size_t value) {
        bytes_ += static_cast<char>(value & 255U);
        bytes_ += static_cast<char>(value >> 8U);
    }
    std::string bytes_;
};

}  // namespace zarr

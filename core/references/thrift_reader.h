// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/bytes.h"

namespace zarr {

// Reads the compact protocol of Apache Thrift from `bytes`, which must outlive the reader. After a
// fault every call returns a default value, so a caller checks ok() once, at the end. Not
// thread-safe.
class ThriftReader {
  public:
    explicit ThriftReader(ByteSpan bytes) : bytes_(bytes) {}

    enum class Type : std::uint8_t {
        kStop = 0,
        kTrue = 1,
        kFalse = 2,
        kByte = 3,
        kI16 = 4,
        kI32 = 5,
        kI64 = 6,
        kDouble = 7,
        kBinary = 8,
        kList = 9,
        kSet = 10,
        kMap = 11,
        kStruct = 12,
    };

    // Header of the field that NextField() read last. A default-constructed Field means that the
    // first field of a struct follows.
    struct Field {
        std::int64_t id = 0;
        Type type = Type::kStop;
    };
    // Reads the header of the next field of a struct into `field`. On entry `field` must hold the
    // header of the previous field. Returns false at the end of the struct.
    bool NextField(Field& field);

    // Read the value of a field. A value of another type is a fault.
    std::int64_t ReadInteger(const Field& field);
    bool ReadBool(const Field& field);
    std::string_view ReadBinary(const Field& field);
    // Reads the head of a list with elements of `type`, and returns their number.
    std::size_t ReadList(const Field& field, Type type);
    // Returns true if `field` is a struct; the fields of the struct follow. Any other type is a
    // fault, and returns false.
    bool IsStruct(const Field& field);
    // Reads an element of a list of texts.
    std::string_view ReadBinaryElement();
    // Skips the value of a field.
    void Skip(const Field& field) { SkipValue(field.type, 0); }

    bool ok() const { return is_ok_; }
    // Returns the number of bytes read.
    std::size_t position() const { return at_; }

  private:
    std::uint8_t ReadByte();
    std::uint64_t ReadUnsigned();
    std::int64_t ReadSigned();
    std::string_view ReadBytes();
    // Reads the head of a list or set into `type`, and returns the number of elements.
    std::size_t ReadListHead(Type& type);
    void SkipBytes(std::uint64_t count);
    void SkipValue(Type type, std::size_t depth);
    void SkipElement(Type type, std::size_t depth);
    void SkipMap(std::size_t depth);
    void Fail() { is_ok_ = false; }

    const ByteSpan bytes_;
    std::size_t at_ = 0;
    bool is_ok_ = true;
};

}  // namespace zarr

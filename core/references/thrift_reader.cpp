// SPDX-License-Identifier: MIT
#include "core/references/thrift_reader.h"

namespace zarr {

namespace {

// Maximum depth of nested structs, lists and maps when the reader skips a value.
constexpr std::size_t kMostDepth = 32;

// Returns the signed number that zigzag encoding stores as `number`.
std::int64_t FromZigzag(std::uint64_t number) {
    return static_cast<std::int64_t>((number >> 1U) ^ (~(number & 1U) + 1U));
}

}  // namespace

std::uint8_t ThriftReader::ReadByte() {
    if (!is_ok_ || at_ == bytes_.size) {
        Fail();
        return 0;
    }
    return bytes_.data[at_++];
}

std::uint64_t ThriftReader::ReadUnsigned() {
    constexpr unsigned kMostBits = 64;
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < kMostBits; shift += 7) {
        const std::uint8_t byte = ReadByte();
        number |= std::uint64_t{byte & 0x7fU} << shift;
        if (byte < 0x80U) return is_ok_ ? number : 0;
    }
    Fail();
    return 0;
}

std::int64_t ThriftReader::ReadSigned() { return FromZigzag(ReadUnsigned()); }

bool ThriftReader::NextField(Field& field) {
    const std::uint8_t head = ReadByte();
    if (!is_ok_ || head == 0) return false;
    const unsigned step = head >> 4U;
    if ((head & 0xfU) == 0 || (head & 0xfU) > static_cast<unsigned>(Type::kStruct)) {
        Fail();
        return false;
    }
    field.type = static_cast<Type>(head & 0xfU);
    // The header holds the step from the previous field id; 0 means that the id itself follows.
    field.id = step != 0 ? field.id + step : ReadSigned();
    constexpr std::int64_t kLargest = INT16_MAX;
    if (field.id < 0 || field.id > kLargest) Fail();
    return is_ok_;
}

std::int64_t ThriftReader::ReadInteger(const Field& field) {
    if (field.type == Type::kByte) return static_cast<std::int8_t>(ReadByte());
    if (field.type != Type::kI16 && field.type != Type::kI32 && field.type != Type::kI64) Fail();
    return is_ok_ ? ReadSigned() : 0;
}

bool ThriftReader::ReadBool(const Field& field) {
    if (field.type != Type::kTrue && field.type != Type::kFalse) Fail();
    return field.type == Type::kTrue;
}

std::string_view ThriftReader::ReadBytes() {
    const std::uint64_t size = ReadUnsigned();
    if (!is_ok_ || size > bytes_.size - at_) {
        Fail();
        return {};
    }
    const std::string_view text = bytes_.text().substr(at_, static_cast<std::size_t>(size));
    at_ += text.size();
    return text;
}

std::string_view ThriftReader::ReadBinary(const Field& field) {
    if (field.type != Type::kBinary) Fail();
    return is_ok_ ? ReadBytes() : std::string_view();
}

std::string_view ThriftReader::ReadBinaryElement() { return ReadBytes(); }

bool ThriftReader::IsStruct(const Field& field) {
    if (field.type != Type::kStruct) Fail();
    return is_ok_;
}

std::size_t ThriftReader::ReadListHead(Type& type) {
    constexpr unsigned kCountFollows = 15;
    const std::uint8_t head = ReadByte();
    type = static_cast<Type>(head & 0xfU);
    std::uint64_t count = head >> 4U;
    if (count == kCountFollows) count = ReadUnsigned();
    // Every element takes at least one byte, so a count above the number of bytes left is wrong.
    if (!is_ok_ || count > bytes_.size - at_) {
        Fail();
        return 0;
    }
    return static_cast<std::size_t>(count);
}

std::size_t ThriftReader::ReadList(const Field& field, Type type) {
    if (field.type != Type::kList) Fail();
    Type found = Type::kStop;
    const std::size_t count = is_ok_ ? ReadListHead(found) : 0;
    if (found != type && count != 0) Fail();
    return is_ok_ ? count : 0;
}

void ThriftReader::SkipBytes(std::uint64_t count) {
    if (!is_ok_ || count > bytes_.size - at_)
        Fail();
    else
        at_ += static_cast<std::size_t>(count);
}

void ThriftReader::SkipValue(Type type, std::size_t depth) {
    // The header of a Boolean field holds its value, so no bytes follow.
    if (type == Type::kTrue || type == Type::kFalse) return;
    SkipElement(type, depth);
}

void ThriftReader::SkipElement(Type type, std::size_t depth) {
    constexpr std::uint64_t kDouble = 8;
    if (depth > kMostDepth) return Fail();
    switch (type) {
        case Type::kTrue:
        case Type::kFalse:
        case Type::kByte:
            return SkipBytes(1);
        case Type::kI16:
        case Type::kI32:
        case Type::kI64:
            static_cast<void>(ReadUnsigned());
            return;
        case Type::kDouble:
            return SkipBytes(kDouble);
        case Type::kBinary:
            static_cast<void>(ReadBytes());
            return;
        case Type::kList:
        case Type::kSet: {
            Type each = Type::kStop;
            const std::size_t count = ReadListHead(each);
            for (std::size_t i = 0; i < count && is_ok_; ++i) SkipElement(each, depth + 1);
            return;
        }
        case Type::kMap:
            return SkipMap(depth);
        case Type::kStruct:
            for (Field field; NextField(field);) SkipValue(field.type, depth + 1);
            return;
        default:
            return Fail();
    }
}

void ThriftReader::SkipMap(std::size_t depth) {
    const std::uint64_t count = ReadUnsigned();
    if (count == 0) return;
    const std::uint8_t types = ReadByte();
    if (!is_ok_ || count > bytes_.size - at_) return Fail();
    for (std::uint64_t i = 0; i < count && is_ok_; ++i) {
        SkipElement(static_cast<Type>(types >> 4U), depth + 1);
        SkipElement(static_cast<Type>(types & 0xfU), depth + 1);
    }
}

}  // namespace zarr

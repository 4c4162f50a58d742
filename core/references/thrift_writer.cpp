// SPDX-License-Identifier: MIT
#include "core/references/thrift_writer.h"

namespace zarr {

namespace {

constexpr std::uint8_t kWireI32 = 5;
constexpr std::uint8_t kWireI64 = 6;
constexpr std::uint8_t kWireBinary = 8;
constexpr std::uint8_t kWireList = 9;
constexpr std::uint8_t kWireStruct = 12;

}  // namespace

void ThriftWriter::Unsigned(std::uint64_t value) {
    for (; value >= 0x80U; value >>= 7U) bytes_ += static_cast<char>((value & 0x7fU) | 0x80U);
    bytes_ += static_cast<char>(value);
}

// Writes an integer in zigzag form: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
void ThriftWriter::Signed(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    Unsigned(value < 0 ? ~(bits << 1U) : bits << 1U);
}

void ThriftWriter::Field(std::int16_t id, std::uint8_t type) {
    const auto distance = static_cast<unsigned>(id - last_);
    bytes_ += static_cast<char>((distance << 4U) | type);
    last_ = id;
}

void ThriftWriter::List(std::int16_t id, std::size_t count, std::uint8_t type) {
    constexpr std::size_t kLong = 15;
    Field(id, kWireList);
    if (count < kLong) {
        bytes_ += static_cast<char>((count << 4U) | type);
        return;
    }
    bytes_ += static_cast<char>((kLong << 4U) | type);
    Unsigned(count);
}

void ThriftWriter::I32(std::int16_t id, std::int32_t value) {
    Field(id, kWireI32);
    Signed(value);
}

void ThriftWriter::I64(std::int16_t id, std::int64_t value) {
    Field(id, kWireI64);
    Signed(value);
}

void ThriftWriter::Text(std::int16_t id, std::string_view value) {
    Field(id, kWireBinary);
    TextElement(value);
}

void ThriftWriter::I32List(std::int16_t id, std::size_t count) { List(id, count, kWireI32); }
void ThriftWriter::TextList(std::int16_t id, std::size_t count) { List(id, count, kWireBinary); }
void ThriftWriter::StructList(std::int16_t id, std::size_t count) { List(id, count, kWireStruct); }

void ThriftWriter::I32Element(std::int32_t value) { Signed(value); }

void ThriftWriter::TextElement(std::string_view value) {
    Unsigned(value.size());
    bytes_ += value;
}

void ThriftWriter::BeginStruct(std::int16_t id) {
    Field(id, kWireStruct);
    BeginElement();
}

void ThriftWriter::BeginElement() {
    outer_.push_back(last_);
    last_ = 0;
}

void ThriftWriter::EndStruct() {
    bytes_ += '\0';
    if (outer_.empty()) return;
    last_ = outer_.back();
    outer_.pop_back();
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
#include "core/references/thrift_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "autotest/cpp/references/parquet_bytes.h"

namespace zarr {
namespace {

using Field = ThriftReader::Field;
using Type = ThriftReader::Type;
using test::ThriftStruct;

TEST(ThriftReader, ReadsEachType) {
    const std::string bytes = ThriftStruct()
                                  .Integer(1, -3)
                                  .Bool(2, true)
                                  .Text(4, "text")
                                  .Struct(5, ThriftStruct().Integer(15, INT64_MAX))
                                  .List(6, 8, {"\x01x", "\x02yz"})
                                  .bytes();
    ThriftReader in{ByteSpan(bytes)};
    Field field;
    ASSERT_TRUE(in.NextField(field));
    EXPECT_EQ(field.id, 1);
    EXPECT_EQ(in.ReadInteger(field), -3);
    ASSERT_TRUE(in.NextField(field));
    EXPECT_TRUE(in.ReadBool(field));
    ASSERT_TRUE(in.NextField(field));
    EXPECT_EQ(field.id, 4);
    EXPECT_EQ(in.ReadBinary(field), "text");
    ASSERT_TRUE(in.NextField(field));
    ASSERT_TRUE(in.IsStruct(field));
    Field inner;
    ASSERT_TRUE(in.NextField(inner));
    EXPECT_EQ(inner.id, 15);
    EXPECT_EQ(in.ReadInteger(inner), INT64_MAX);
    EXPECT_FALSE(in.NextField(inner));
    ASSERT_TRUE(in.NextField(field));
    ASSERT_EQ(in.ReadList(field, Type::kBinary), 2U);
    EXPECT_EQ(in.ReadBinaryElement(), "x");
    EXPECT_EQ(in.ReadBinaryElement(), "yz");
    EXPECT_FALSE(in.NextField(field));
    EXPECT_TRUE(in.ok());
    EXPECT_EQ(in.position(), bytes.size());
}

TEST(ThriftReader, SkipsEachType) {
    // Fields 1 to 8: true, a byte, a double, a map from byte to text, an empty map, a set of
    // structs, a list of bool, a list of lists. The last field states its number, which is 100.
    const std::string bytes(
        "\x11\x13\x7f\x17"
        "12345678"
        "\x1b\x01\x38\x05\x01z\x1b\x00\x1a\x2c\x15\x02\x00\x00\x19\x21\x01\x02\x19\x19\x15\x06"
        "\x05\xc8\x01\x04\x00",
        39);
    ThriftReader in{ByteSpan(bytes)};
    int count = 0;
    Field field;
    for (; in.NextField(field); ++count) in.Skip(field);
    EXPECT_TRUE(in.ok());
    EXPECT_EQ(count, 9);
    EXPECT_EQ(field.id, 100);
    EXPECT_EQ(in.position(), bytes.size());
}

TEST(ThriftReader, StopsAtDamage) {
    const auto is_damaged = [](const std::string& bytes) {
        ThriftReader in{ByteSpan(bytes)};
        for (Field field; in.NextField(field);) in.Skip(field);
        return !in.ok();
    };
    EXPECT_TRUE(is_damaged(""));
    EXPECT_TRUE(is_damaged("\x15"));      // no value
    EXPECT_TRUE(is_damaged("\x1d\x00"));  // a field of unknown type
    // An integer of more than 64 bits.
    EXPECT_TRUE(is_damaged("\x15\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
    EXPECT_TRUE(
        is_damaged("\x18\x05"
                   "abcd"));  // a text that is cut off
    // A list that claims to have 2^32 - 1 integers.
    EXPECT_TRUE(is_damaged("\x19\xf5\xff\xff\xff\xff\x0f\x02"));
    EXPECT_TRUE(is_damaged(std::string(100, '\x1c')));  // 100 nested structs
    // A field with the number 2^31.
    EXPECT_TRUE(is_damaged(std::string("\x05\xff\xff\xff\xff\x0f\x02\x00", 8)));
}

TEST(ThriftReader, AValueOfAnotherTypeIsAFault) {
    const std::string bytes = ThriftStruct().Integer(1, 5).bytes();
    const auto fails = [&](auto read) {
        ThriftReader in{ByteSpan(bytes)};
        Field field;
        EXPECT_TRUE(in.NextField(field));
        read(in, field);
        return !in.ok() && !in.NextField(field);
    };
    EXPECT_TRUE(fails([](auto& in, auto& field) { EXPECT_EQ(in.ReadBinary(field), ""); }));
    EXPECT_TRUE(fails([](auto& in, auto& field) { EXPECT_FALSE(in.ReadBool(field)); }));
    EXPECT_TRUE(fails([](auto& in, auto& field) { EXPECT_FALSE(in.IsStruct(field)); }));
    EXPECT_TRUE(
        fails([](auto& in, auto& field) { EXPECT_EQ(in.ReadList(field, Type::kBinary), 0U); }));
    EXPECT_FALSE(fails([](auto& in, auto& field) { EXPECT_EQ(in.ReadInteger(field), 5); }));
}

}  // namespace
}  // namespace zarr

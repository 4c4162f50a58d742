// SPDX-License-Identifier: MIT
#include "core/references/thrift_writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace zarr {
namespace {

using namespace std::string_literals;

TEST(ThriftWriter, WritesIntegersInZigzagForm) {
    ThriftWriter writer;
    writer.I32(1, 0);
    writer.I32(2, -1);
    writer.I64(3, 1);
    writer.I64(4, 64);
    writer.I64(5, std::numeric_limits<std::int64_t>::min());
    writer.EndStruct();
    EXPECT_EQ(writer.bytes(),
              "\x15\x00\x15\x01\x16\x02\x16\x80\x01"
              "\x16\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00"s);
}

TEST(ThriftWriter, WritesTheDistanceOfFieldIds) {
    ThriftWriter writer;
    writer.Text(4, "ab");
    writer.I32(15, 3);
    EXPECT_EQ(writer.bytes(),
              "\x48\x02"
              "ab\xb5\x06"s);
}

TEST(ThriftWriter, StructsHaveFieldIdsOfTheirOwn) {
    ThriftWriter writer;
    writer.I32(1, 1);
    writer.BeginStruct(3);
    writer.I32(2, 2);
    writer.EndStruct();
    writer.I32(4, 3);
    writer.EndStruct();
    EXPECT_EQ(writer.bytes(), "\x15\x02\x2c\x25\x04\x00\x15\x06\x00"s);
}

TEST(ThriftWriter, WritesLists) {
    ThriftWriter writer;
    writer.I32List(1, 2);
    writer.I32Element(0);
    writer.I32Element(3);
    writer.TextList(2, 1);
    writer.TextElement("x");
    writer.StructList(3, 1);
    writer.BeginElement();
    writer.I32(1, 1);
    writer.EndStruct();
    writer.EndStruct();
    EXPECT_EQ(writer.bytes(), "\x19\x25\x00\x06\x19\x18\x01x\x19\x1c\x15\x02\x00\x00"s);
}

TEST(ThriftWriter, WritesTheLengthOfLongListsBehindTheirType) {
    ThriftWriter writer;
    writer.I32List(1, 14);
    writer.I32List(2, 15);
    writer.I32List(3, 200);
    EXPECT_EQ(writer.bytes(), "\x19\xe5\x19\xf5\x0f\x19\xf5\xc8\x01"s);
}

}  // namespace
}  // namespace zarr

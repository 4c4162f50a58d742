// SPDX-License-Identifier: MIT
#include "core/references/flexbuffer.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "autotest/cpp/support/scoped_limit.h"
#include "core/base/limits.h"

namespace zarr {
namespace {

// A FlexBuffer from the Python package flatbuffers 25.
constexpr std::string_view kMap(
    "\x6e\x00\x62\x00\x69\x00\x75\x00\x66\x00\x73\x00\x04\x74\x65\x78\x74\x00\x69\x69\x00\x00\x00"
    "\x00\x90\xee\xfe\xff\x76\x00\x01\x78\x00\x02\x01\x04\x04\x14\x6d\x00\x7a\x00\x01\x03\x01\x01"
    "\x01\x01\x04\x09\x30\x2b\x30\x23\x10\x37\x2e\x33\x1e\x00\x0a\x00\x00\x00\x01\x00\x00\x00\x09"
    "\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x3f\xfd\xff\xff\xff\x3c\x00\x00\x00\x29\x00\x00\x00"
    "\x00\x00\x00\x00\x53\x00\x00\x00\x70\x11\x01\x00\x46\x00\x00\x00\x6a\x0e\x06\x1a\x24\x02\x14"
    "\x0a\x28\x2d\x26\x01",
    120);
constexpr std::string_view kVectors(
    "\x02\x00\x01\x00\x2c\x01\x01\x02\x03\x61\x00\x62\x00\x02\x05\x04\x02\x00\x01\x00\x00\x00\xa0"
    "\x3f\x09\x06\x18\x15\x0e\x0c\x0a\x07\x2d\x4c\x38\x64\x22\x1c\x0c\x28\x01",
    41);

// Returns `value` as JSON without spaces.
std::string CompactFlex(const json::Value& value) {
    std::string text = json::Dump(value);
    for (const char* token : {", ", "\": "})
        for (std::size_t at = text.find(token); at != std::string::npos; at = text.find(token))
            text.erase(text.find(' ', at), 1);
    return text;
}

std::string ParsedFlexBuffer(std::string_view bytes) {
    const auto value = ParseFlexBuffer(ByteSpan(bytes));
    return value.ok() ? CompactFlex(*value) : value.status().message();
}

TEST(FlexBuffer, ReadsValuesOfAllTypes) {
    EXPECT_EQ(ParsedFlexBuffer(kMap),
              R"({"b":true,"f":0.5,"i":-3,"ii":-70000,"m":{"z":1},"n":null,)"
              R"("s":"text","u":70000,"v":[1,"x"]})");
    const auto value = ParseFlexBuffer(ByteSpan(kVectors));
    ASSERT_TRUE(value.ok()) << value.status().message();
    const json::Array& items = *value->as_array();
    EXPECT_EQ(CompactFlex(items[0]), "[1,300]");
    EXPECT_EQ(CompactFlex(items[1]), "[1,2,3]");
    EXPECT_EQ(CompactFlex(items[2]), R"(["a","b"])");
    EXPECT_EQ(*items[3].as_string(), std::string("\0\1", 2));
    EXPECT_EQ(json::Dump(items[4]), "1.25");
    EXPECT_EQ(json::Dump(items[5]), "9");
}

TEST(FlexBuffer, RefusesDamage) {
    EXPECT_EQ(ParsedFlexBuffer(""), "byte 0 of the FlexBuffer: the buffer is truncated");
    EXPECT_EQ(ParsedFlexBuffer(std::string_view("\x01\x04\x03", 3)),
              "byte 2 of the FlexBuffer: expected the width of the root");
    // The offset in the first buffer leads before its begin. The size in the second buffer exceeds
    // its end.
    EXPECT_EQ(ParsedFlexBuffer(std::string_view("\x05\x28\x01", 3)),
              "byte 0 of the FlexBuffer: the offset leads outside");
    EXPECT_EQ(ParsedFlexBuffer(std::string_view("\xff\x00\x28\x01", 4)),
              "byte 1 of the FlexBuffer: a size is too large");
    EXPECT_EQ(ParsedFlexBuffer(std::string_view("\x00\x00\xf0\x01", 4)),
              "byte 1 of the FlexBuffer: a value has an unknown type");
}

TEST(FlexBuffer, BoundsAVectorThatContainsItself) {
    // The only element of the vector refers to the vector.
    EXPECT_EQ(ParsedFlexBuffer(std::string_view("\x01\x00\x28\x02\x28\x01", 6)),
              "a FlexBuffer is nested too deep; ZARR_MAX_JSON_DEPTH allows 128");
}

TEST(FlexBuffer, BoundsValuesThatMultiply) {
    // 30 vectors are nested. Both elements of each vector refer to the previous vector, so the tree
    // has 2^30 leaves.
    std::string bytes("\x00", 1);
    std::size_t before = 1;  // position of the previous vector's elements
    for (int i = 0; i < 30; ++i) {
        const std::size_t at = bytes.size() + 1;
        bytes += std::string("\x02", 1);
        bytes += static_cast<char>(at - before);
        bytes += static_cast<char>(at + 1 - before);
        bytes += "\x28\x28";
        before = at;
    }
    bytes += static_cast<char>(bytes.size() - before);
    bytes += "\x28\x01";
    const test::ScopedLimit limit(Limit::kJsonValues, 10000);
    EXPECT_EQ(ParsedFlexBuffer(bytes),
              "a FlexBuffer has too many values; ZARR_MAX_JSON_VALUES allows 10000");
}

TEST(FlexBuffer, ReadsWithinTheBufferWhateverTheBytes) {
    for (const std::string_view good : {kMap, kVectors}) {
        for (std::size_t size = 0; size < good.size(); ++size) {
            const std::vector<char> cut(good.begin() + static_cast<std::ptrdiff_t>(size),
                                        good.end());
            static_cast<void>(ParsedFlexBuffer({cut.data(), cut.size()}));
        }
        for (std::size_t at = 0; at < good.size(); ++at)
            for (const int value : {0, 1, 2, 5, 0x24, 0x25, 0x28, 0x29, 0x7f, 0x80, 0xfe, 0xff}) {
                std::vector<char> bytes(good.begin(), good.end());
                bytes[at] = static_cast<char>(value);
                static_cast<void>(ParsedFlexBuffer({bytes.data(), bytes.size()}));
            }
    }
}

}  // namespace
}  // namespace zarr

// SPDX-License-Identifier: MIT
// Tests of data types with literal stored bytes. Hosts of either byte order must read the same
// values, from any address.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "autotest/cpp/dtype/types.h"
#include "autotest/cpp/support/checks.h"
#include "core/base/endian.h"
#include "core/dtype/element_text.h"
#include "core/dtype/fill_value.h"
#include "core/dtype/stored_converter.h"
#include "core/grid/copy.h"

namespace zarr {
namespace {

using test::Json;
using test::Succeeds;
using test::Type;

using Bytes = std::vector<std::uint8_t>;

struct Sample {
    const char* type;  // typestr without the byte order
    Bytes big;         // the stored bytes of a big-endian element
    std::string text;  // ElementText() of the element
};

const std::vector<Sample>& Samples() {
    static const std::vector<Sample> samples = {
        {"i2", {0xfe, 0x0d}, "-499"},
        {"u2", {0xfe, 0x0d}, "65037"},
        {"i4", {0x01, 0x02, 0x03, 0x04}, "16909060"},
        {"u4", {0xff, 0x02, 0x03, 0x04}, "4278321924"},
        {"i8", {0x80, 0, 0, 0, 0, 0, 0, 0x05}, "-9223372036854775803"},
        {"u8", {0x80, 0, 0, 0, 0, 0, 0, 0x05}, "9223372036854775813"},
        {"f2", {0xc1, 0x00}, "-2.5"},
        {"f4", {0x3f, 0xa0, 0x00, 0x00}, "1.25"},
        {"f8", {0x40, 0x09, 0x20, 0, 0, 0, 0, 0}, "3.140625"},
        {"M8[s]", {0, 0, 0, 0, 0x5e, 0x0b, 0xe1, 0x00}, "1577836800"},
        {"m8[D]", {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe}, "-2"},
    };
    return samples;
}

Bytes Stored(const Sample& sample, char order) {
    Bytes bytes = sample.big;
    if (order == '<') std::reverse(bytes.begin(), bytes.end());
    return bytes;
}

TEST(ByteOrder, StoredBytesMeanTheSameOnAnyHostAtAnyAddress) {
    for (const Sample& sample : Samples()) {
        for (const char order : {'<', '>'}) {
            const DataType stored = Type(order + std::string(sample.type));
            const DataType native = stored.Native();
            const auto read = ReadConverter(stored, native);
            const auto write = WriteConverter(native, stored);
            ASSERT_TRUE(Succeeds(read));
            ASSERT_TRUE(Succeeds(write));
            const auto size = static_cast<std::ptrdiff_t>(stored.size);
            const Bytes bytes = Stored(sample, order);
            for (std::size_t shift = 0; shift < 8; ++shift) {
                constexpr std::size_t kCount = 5;
                Bytes from(shift + kCount * stored.size);
                for (std::size_t i = 0; i < kCount; ++i)
                    std::copy(bytes.begin(), bytes.end(),
                              from.begin() + static_cast<std::ptrdiff_t>(shift) +
                                  static_cast<std::ptrdiff_t>(i) * size);
                Bytes memory(shift + 1 + kCount * (stored.size + 1));
                std::uint8_t* const elements = memory.data() + shift + 1;
                read->row(*read, elements, size + 1, from.data() + shift, size, kCount);
                for (std::size_t i = 0; i < kCount; ++i)
                    EXPECT_EQ(ElementText(native, elements + i * (stored.size + 1)), sample.text)
                        << order << sample.type << " " << shift;
                Bytes back(from.size());
                write->row(*write, back.data() + shift, size, elements, size + 1, kCount);
                EXPECT_TRUE(std::equal(back.begin() + static_cast<std::ptrdiff_t>(shift),
                                       back.end(),
                                       from.begin() + static_cast<std::ptrdiff_t>(shift)))
                    << order << sample.type << " " << shift;
            }
        }
    }
}

TEST(ByteOrder, ComplexNumbersAreTwoThatAreSwappedApart) {
    const std::pair<const char*, Bytes> cases[] = {
        {">c8", {0x3f, 0xa0, 0, 0, 0xc0, 0x20, 0, 0}},
        {"<c8", {0, 0, 0xa0, 0x3f, 0, 0, 0x20, 0xc0}},
    };
    for (const auto& [text, bytes] : cases) {
        const DataType stored = Type(text);
        const auto read = ReadConverter(stored, stored.Native());
        ASSERT_TRUE(Succeeds(read));
        std::uint8_t memory[9];
        read->row(*read, memory + 1, 8, bytes.data(), 8, 1);
        EXPECT_EQ(LoadNative<float>(memory + 1), 1.25F) << text;
        EXPECT_EQ(LoadNative<float>(memory + 5), -2.5F) << text;
    }
}

TEST(ByteOrder, HalvesAreWidenedFromAnyAddress) {
    const std::pair<const char*, Bytes> cases[] = {{">f2", {0xc1, 0x00}}, {"<f2", {0x00, 0xc1}}};
    for (const auto& [text, bytes] : cases) {
        const DataType stored = Type(text);
        const DataType single = Type("<f4").Native();
        const auto read = ReadConverter(stored, single);
        const auto write = WriteConverter(single, stored);
        ASSERT_TRUE(Succeeds(read));
        ASSERT_TRUE(Succeeds(write));
        std::uint8_t from[3] = {0, bytes[0], bytes[1]};
        std::uint8_t memory[7];
        read->row(*read, memory + 3, 4, from + 1, 2, 1);
        EXPECT_EQ(LoadNative<float>(memory + 3), -2.5F) << text;
        std::uint8_t back[3] = {};
        write->row(*write, back + 1, 2, memory + 3, 4, 1);
        EXPECT_TRUE(std::equal(back, back + 3, from)) << text;
    }
}

TEST(ByteOrder, TextIsInUnitsOfFour) {
    const std::pair<const char*, Bytes> cases[] = {
        {">U2", {0, 0, 0, 0x41, 0, 0x01, 0xf6, 0x00}},
        {"<U2", {0x41, 0, 0, 0, 0x00, 0xf6, 0x01, 0}},
    };
    for (const auto& [text, bytes] : cases) {
        const DataType stored = Type(text);
        const auto read = ReadConverter(stored, stored.Native());
        ASSERT_TRUE(Succeeds(read));
        std::uint8_t memory[9];
        read->row(*read, memory + 1, 8, bytes.data(), 8, 1);
        EXPECT_EQ(LoadNative<std::uint32_t>(memory + 1), 0x41U) << text;
        EXPECT_EQ(LoadNative<std::uint32_t>(memory + 5), 0x1f600U) << text;
    }
}

// Fields of a structure have no padding, so some begin at odd offsets.
TEST(ByteOrder, FieldsOfStructuresAreSwappedWhereTheyLie) {
    const auto stored = ParseDataType(
        Json(R"([["a", "|u1"], ["b", ">i2"], ["c", "<f8"], ["d", ">u4", [2]], ["e", "|S1"]])"));
    ASSERT_TRUE(Succeeds(stored));
    ASSERT_EQ(stored->size, 20U);
    const Bytes bytes = {7,    0xfe, 0x0d, 0, 0, 0, 0, 0, 0x20, 0x09,
                         0x40, 1,    2,    3, 4, 5, 6, 7, 8,    'x'};
    const auto read = ReadConverter(*stored, stored->Native());
    ASSERT_TRUE(Succeeds(read));
    Bytes memory(2 + 20);
    read->row(*read, memory.data() + 1, 20, bytes.data(), 20, 1);
    const std::uint8_t* const element = memory.data() + 1;
    EXPECT_EQ(element[0], 7);
    EXPECT_EQ(LoadNative<std::int16_t>(element + 1), -499);
    EXPECT_EQ(LoadNative<double>(element + 3), 3.140625);
    EXPECT_EQ(LoadNative<std::uint32_t>(element + 11), 0x01020304U);
    EXPECT_EQ(LoadNative<std::uint32_t>(element + 15), 0x05060708U);
    EXPECT_EQ(element[19], 'x');
    Bytes back(1 + 20);
    const auto write = WriteConverter(stored->Native(), *stored);
    ASSERT_TRUE(Succeeds(write));
    write->row(*write, back.data() + 1, 20, element, 20, 1);
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), back.begin() + 1));
}

TEST(ByteOrder, AFillValueIsInTheHostsOrderWhateverTheTypes) {
    for (const Sample& sample : Samples()) {
        for (const char order : {'<', '>'}) {
            const DataType stored = Type(order + std::string(sample.type));
            const auto fill = ParseFillValue(stored, Json(sample.text));
            ASSERT_TRUE(Succeeds(fill)) << sample.type;
            EXPECT_EQ(ElementText(stored.Native(),
                                  reinterpret_cast<const std::uint8_t*>(fill->Bytes().data())),
                      sample.text)
                << order << sample.type;
        }
    }
}

// Copies and fills blocks. All addresses are unaligned, and the destination has gaps between
// elements.
TEST(ByteOrder, BlocksAreCopiedAndFilledAtAnyAddress) {
    for (const Sample& sample : Samples()) {
        for (const char order : {'<', '>'}) {
            const DataType stored = Type(order + std::string(sample.type));
            const auto read = ReadConverter(stored, stored.Native());
            ASSERT_TRUE(Succeeds(read));
            const auto size = static_cast<std::ptrdiff_t>(stored.size);
            const DimVector<std::uint64_t> count{3, 7};
            const Strides from_strides = ContiguousStrides(count, stored.size, true);
            const Strides to_strides{8 * (size + 3), size + 3};
            const Bytes element = Stored(sample, order);
            Bytes from(1 + 21 * stored.size);
            for (std::size_t i = 0; i < 21; ++i)
                std::copy(element.begin(), element.end(),
                          from.begin() + 1 + static_cast<std::ptrdiff_t>(i) * size);
            for (const bool is_fill : {false, true}) {
                Bytes to(1 + 24 * (stored.size + 3), 0xcc);
                if (is_fill)
                    FillBlock(count, to.data() + 1, to_strides, from.data() + 1, *read);
                else
                    CopyBlock(count, to.data() + 1, to_strides, from.data() + 1, from_strides,
                              *read);
                for (std::ptrdiff_t i = 0; i < 3; ++i)
                    for (std::ptrdiff_t j = 0; j < 7; ++j)
                        ASSERT_EQ(ElementText(stored.Native(), to.data() + 1 + i * to_strides[0] +
                                                                   j * to_strides[1]),
                                  sample.text)
                            << order << sample.type << " " << i << " " << j;
            }
        }
    }
}

}  // namespace
}  // namespace zarr

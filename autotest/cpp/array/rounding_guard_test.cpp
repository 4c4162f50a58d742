// SPDX-License-Identifier: MIT
#include "core/array/rounding_guard.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/endian.h"
#include "core/dtype/fill_value.h"
#include "core/json/value.h"

namespace zarr {
namespace {

// Returns the metadata of an array of dtype `type` with the fill value `fill`. Its first codec is
// `codec`, which keeps `kept` bits of the mantissa.
ArrayMetadata Rounded(const char* type, const std::string& codec, std::int64_t kept,
                      const json::Value& fill) {
    ArrayMetadata metadata;
    metadata.dtype = *ParseTypestr(type);
    metadata.codecs = {{codec, json::Value(json::Object{{"keepbits", json::Value(kept)}}), "codec",
                        CodecNames::kNumcodecs}};
    metadata.has_fill_value = !fill.is_null();
    if (metadata.has_fill_value) metadata.fill_value = *ParseFillValue(metadata.dtype, fill);
    return metadata;
}

// Returns the bits of the elements of `chunk` after GuardRounding().
template <class Bits>
std::vector<Bits> Guarded(const ArrayMetadata& metadata, const std::vector<Bits>& chunk) {
    Buffer copy;
    const ByteSpan bytes{reinterpret_cast<const std::uint8_t*>(chunk.data()),
                         chunk.size() * sizeof(Bits)};
    const auto guarded = GuardRounding(metadata, bytes, copy);
    EXPECT_TRUE(guarded.ok());
    std::vector<Bits> result;
    for (std::size_t i = 0; i < chunk.size(); ++i)
        result.push_back(LoadNative<Bits>(guarded->data + i * sizeof(Bits)));
    return result;
}

using Halves = std::vector<std::uint16_t>;
using Floats = std::vector<std::uint32_t>;

TEST(RoundingGuard, HalvesBesideTheFillValue) {
    // The fill value is 1 (0x3c00). Numbers that would round to 1 must become 0.875 (0x3b00) or
    // 1.25 (0x3d00), the next float16 numbers with 2 mantissa bits.
    for (const char* const name : {"bitround", "numcodecs.bitround"}) {
        const ArrayMetadata metadata = Rounded("<f2", name, 2, json::Value(1.0));
        EXPECT_EQ(Guarded(metadata, Halves{0x3c00, 0x3c01, 0x3bff, 0x3d00, 0xbc01, 0x3c80}),
                  (Halves{0x3c00, 0x3d00, 0x3b00, 0x3d00, 0xbc01, 0x3d00}))
            << name;
    }
}

TEST(RoundingGuard, LargeNumbersStayFinite) {
    const ArrayMetadata metadata = Rounded("<f2", "bitround", 2, json::Value());
    EXPECT_EQ(Guarded(metadata, Halves{0x7bff, 0xfbff, 0x7c00, 0x7b7f}),
              (Halves{0x7b00, 0xfb00, 0x7c00, 0x7b7f}));
    // The fill value is 57344 (0x7b00), the largest float16 with 2 mantissa bits. Other numbers
    // that would round to it would read as nodata. GuardRounding() replaces them by the next
    // smaller rounded number (0x7a00).
    const ArrayMetadata filled = Rounded("<f2", "bitround", 2, json::Value(57344.0));
    EXPECT_EQ(Guarded(filled, Halves{0x7bff, 0x7b00, 0x7b01, 0x7aff}),
              (Halves{0x7a00, 0x7b00, 0x7a00, 0x7a00}));
}

TEST(RoundingGuard, NansStayNans) {
    const ArrayMetadata metadata = Rounded("<f4", "bitround", 7, json::Value("NaN"));
    EXPECT_EQ(Guarded(metadata, Floats{0x7fffffff, 0x7f800001, 0x7fc00000, 0xffffffff}),
              (Floats{0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000}));
}

TEST(RoundingGuard, SmallNumbersBesideAFillValueOfZero) {
    const ArrayMetadata metadata = Rounded("<f4", "bitround", 7, json::Value(0.0));
    EXPECT_EQ(Guarded(metadata, Floats{1, 0x80000001, 0, 0x80000000}),
              (Floats{0x10000, 0x80010000, 0, 0x80000000}));
}

TEST(RoundingGuard, OtherChunksAreNotCopied) {
    const std::uint32_t beside_one = 0x3f800001;
    const ByteSpan chunk{reinterpret_cast<const std::uint8_t*>(&beside_one), sizeof beside_one};
    const json::Value one(1.0);
    for (const ArrayMetadata& metadata :
         {Rounded("<f4", "delta", 7, one), Rounded("<f4", "bitround", 23, one),
          Rounded("<f4", "bitround", -1, one),
          Rounded("<i4", "bitround", 7, json::Value(std::int64_t{1})),
          Rounded(">f4", "bitround", 7, one), Rounded("<f4", "bitround", 7, json::Value(5.0))}) {
        Buffer copy;
        const auto guarded = GuardRounding(metadata, chunk, copy);
        ASSERT_TRUE(guarded.ok());
        EXPECT_EQ(guarded->data, chunk.data);
    }
}

}  // namespace
}  // namespace zarr

// SPDX-License-Identifier: MIT
// Tests of the data types of core/dtype/narrow_types.h, such as bfloat16. The reference checksums
// are CRC-32 of values that the Python package ml_dtypes 0.6 converted.
#include "core/dtype/narrow_types.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "autotest/cpp/dtype/types.h"
#include "autotest/cpp/support/checks.h"
#include "core/base/endian.h"
#include "core/dtype/element_text.h"
#include "core/dtype/fill_value.h"
#include "core/dtype/stored_converter.h"
#include "core/dtype/v3_types.h"

namespace zarr {
namespace {

using test::Fails;
using test::Json;
using test::Succeeds;
using test::Type;

struct NarrowReference {
    const char* name;
    std::uint32_t read;   // CRC-32 of all bit patterns as float32, with NaN as 0x7fc00000
    std::uint32_t write;  // CRC-32 of SampleFloats() after conversion to this type
    double largest;
    double smallest;  // smallest positive number of this type
};

constexpr NarrowReference kReferences[] = {
    {"bfloat16", 0x28c5ed34, 0x18d28fa1, 0x1.fep127, 0x1p-133},
    {"float4_e2m1fn", 0x866770b6, 0x92ba2531, 6, 0.5},
    {"float6_e2m3fn", 0x50f19834, 0x043bd7b8, 7.5, 0.125},
    {"float6_e3m2fn", 0xce26bb00, 0x5ef872a0, 28, 0.0625},
    {"float8_e3m4", 0x6bff5c51, 0xe6d5fd11, 15.5, 0x1p-6},
    {"float8_e4m3", 0x9f892b8b, 0x26f64d30, 240, 0x1p-9},
    {"float8_e4m3fn", 0x2fdee9ac, 0x4614d2eb, 448, 0x1p-9},
    {"float8_e4m3b11fnuz", 0xb58a74fe, 0xe6396a8f, 30, 0x1p-13},
    {"float8_e4m3fnuz", 0xf2dfa052, 0x1f1260da, 240, 0x1p-10},
    {"float8_e5m2", 0x3d83fd11, 0x23c57143, 57344, 0x1p-16},
    {"float8_e5m2fnuz", 0x09c70b84, 0x1ffe4452, 57344, 0x1p-17},
    {"float8_e8m0fnu", 0x719979ba, 0x89061da8, 0x1p127, 0x1p-127},
};

std::uint32_t SumOf(const std::vector<std::uint8_t>& bytes) {
    return static_cast<std::uint32_t>(crc32(0, bytes.data(), static_cast<uInt>(bytes.size())));
}

DataType NativeType(const char* typestr) { return Type(typestr).Native(); }

// Converts the elements of `src` with `op`, as one row.
std::vector<std::uint8_t> Converted(const Result<Converter>& op,
                                    const std::vector<std::uint8_t>& src) {
    EXPECT_TRUE(Succeeds(op));
    if (!op.ok()) return {};
    const std::size_t count = src.size() / op->src_size;
    std::vector<std::uint8_t> dst(count * op->dst_size);
    op->row(*op, dst.data(), static_cast<std::ptrdiff_t>(op->dst_size), src.data(),
            static_cast<std::ptrdiff_t>(op->src_size), count);
    return dst;
}

template <class T>
std::vector<std::uint8_t> ElementsOf(const std::vector<T>& values) {
    std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

template <class T>
std::vector<T> ValuesOf(const std::vector<std::uint8_t>& bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

// Returns float32 numbers with all values of the upper 16 bits except NaN. The lower 16 bits are 0,
// 0x8000, the maximum, or next to one of these.
std::vector<float> SampleFloats() {
    std::vector<float> floats;
    for (const std::uint32_t end : {0U, 1U, 0x7fffU, 0x8000U, 0x8001U, 0xffffU})
        for (std::uint32_t beginning = 0; beginning < 65536; ++beginning) {
            const std::uint32_t bits = (beginning << 16) | end;
            const auto number = LoadNative<float>(&bits);
            if (!std::isnan(number)) floats.push_back(number);
        }
    return floats;
}

std::vector<std::uint8_t> AllCodes(const NarrowFormat& format) {
    std::vector<std::uint8_t> codes;
    for (std::uint32_t code = 0; code < 1U << format.bits; ++code) {
        std::uint8_t bytes[2] = {static_cast<std::uint8_t>(code), 0};
        if (format.bits > 8) StoreNative(bytes, static_cast<std::uint16_t>(code));
        codes.insert(codes.end(), bytes, bytes + (format.bits > 8 ? 2 : 1));
    }
    return codes;
}

TEST(NarrowFloats, AreReadAsMlDtypesReadsThem) {
    for (const NarrowReference& reference : kReferences) {
        const NarrowType narrow = NarrowTypeOf(reference.name);
        ASSERT_NE(narrow, NarrowType::kNone) << reference.name;
        const DataType native = MakeNarrowType(narrow, false).Native();
        std::vector<float> read = ValuesOf<float>(
            Converted(ReadConverter(native, NativeType("<f4")), AllCodes(FormatOf(narrow))));
        double largest = 0;
        double smallest = reference.largest;
        for (std::size_t code = 0; code < read.size(); ++code) {
            const double value = NarrowToDouble(narrow, static_cast<std::uint16_t>(code));
            if (std::isnan(read[code])) {
                EXPECT_TRUE(std::isnan(value)) << reference.name << " " << code;
                read[code] = std::numeric_limits<float>::quiet_NaN();
                continue;
            }
            EXPECT_EQ(value, static_cast<double>(read[code])) << reference.name << " " << code;
            if (std::isfinite(value)) largest = std::max(largest, value);
            if (value > 0) smallest = std::min(smallest, value);
        }
        EXPECT_EQ(SumOf(ElementsOf(read)), reference.read) << reference.name;
        EXPECT_EQ(largest, reference.largest) << reference.name;
        EXPECT_EQ(smallest, reference.smallest) << reference.name;
    }
}

TEST(NarrowFloats, AreWrittenAsMlDtypesWritesThem) {
    const std::vector<float> sample = SampleFloats();
    for (const NarrowReference& reference : kReferences) {
        const NarrowType narrow = NarrowTypeOf(reference.name);
        std::vector<float> floats;
        for (const float number : sample)
            // ml_dtypes does not round subnormal numbers to the nearest float8_e8m0fnu, so the test
            // leaves these numbers out.
            if (narrow != NarrowType::kFloat8E8m0fnu || std::fabs(number) >= 0x1p-126F)
                floats.push_back(number);
        const DataType native = MakeNarrowType(narrow, false).Native();
        const auto written =
            Converted(WriteConverter(NativeType("<f4"), native), ElementsOf(floats));
        EXPECT_EQ(SumOf(written), reference.write) << reference.name;
    }
}

TEST(NarrowFloats, AreEqualInBothOrdersAndInComplexNumbers) {
    for (const NarrowReference& reference : kReferences) {
        const NarrowType narrow = NarrowTypeOf(reference.name);
        const DataType real = MakeNarrowType(narrow, false);
        const DataType complex = MakeNarrowType(narrow, true);
        const auto codes = AllCodes(FormatOf(narrow));
        const auto floats = Converted(ReadConverter(real.Native(), NativeType("<f4")), codes);
        for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
            const DataType stored = WithByteOrder(complex, order);
            std::vector<std::uint8_t> elements = codes;
            SwapElements(stored, elements.data(), elements.size() / stored.size);
            EXPECT_EQ(Converted(ReadConverter(stored, NativeType("<c8")), elements), floats)
                << reference.name;
            // Types with several bit patterns for NaN must keep the bit pattern of each NaN.
            EXPECT_EQ(Converted(WriteConverter(NativeType("<c8"), stored), floats), elements)
                << reference.name;
            const DataType part = WithByteOrder(real, order);
            EXPECT_EQ(Converted(ReadConverter(part, NativeType("<f4")), elements), floats);
            EXPECT_EQ(Converted(WriteConverter(NativeType("<f4"), part), floats), elements);
            EXPECT_EQ(Converted(ReadConverter(stored, stored.Native()), elements), codes);
            EXPECT_EQ(Converted(WriteConverter(part.Native(), part), codes), elements);
        }
    }
}

TEST(NarrowFloats, RoundADoubleOnce) {
    // The middle between two bfloat16 numbers rounds to the even one. A double next to the middle
    // rounds to the nearer one, although float32 would round it to the middle.
    EXPECT_EQ(DoubleToNarrow(NarrowType::kBfloat16, 0x1.01p0), 0x3f80);
    EXPECT_EQ(DoubleToNarrow(NarrowType::kBfloat16, 0x1.0100000000001p0), 0x3f81);
    EXPECT_EQ(DoubleToNarrow(NarrowType::kBfloat16, -0x1.02ffffffffffp0), 0xbf81);
    EXPECT_EQ(DoubleToNarrow(NarrowType::kFloat8E5m2, 0x1.2000000000001p0), 0x3d);
    EXPECT_EQ(DoubleToNarrow(NarrowType::kFloat4E2m1fn, 0x1.0000000000001p-2), 1);
    EXPECT_EQ(DoubleToNarrow(NarrowType::kBfloat16, 1e300), 0x7f80);
    EXPECT_EQ(DoubleToNarrow(NarrowType::kBfloat16, -1e-300), 0x8000);
    EXPECT_EQ(DoubleToNarrow(NarrowType::kFloat8E4m3fnuz, -1e-300), 0);
}

TEST(NarrowFloats, ConvertNumbersThatTheyLack) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    struct Case {
        NarrowType type;
        double value;
        std::uint16_t code;
        bool is_held;
    };
    const Case cases[] = {
        {NarrowType::kBfloat16, kNan, 0x7fc0, true},
        {NarrowType::kBfloat16, -kInfinity, 0xff80, true},
        {NarrowType::kFloat8E3m4, kNan, 0x78, true},
        {NarrowType::kFloat8E3m4, 16, 0x70, false},
        {NarrowType::kFloat8E4m3, kNan, 0x7c, true},
        {NarrowType::kFloat8E5m2, kNan, 0x7e, true},
        {NarrowType::kFloat8E5m2, -kInfinity, 0xfc, true},
        {NarrowType::kFloat8E5m2, 61439, 0x7b, true},
        {NarrowType::kFloat8E5m2, 61440, 0x7c, false},
        {NarrowType::kFloat8E4m3fn, kNan, 0x7f, true},
        {NarrowType::kFloat8E4m3fn, kInfinity, 0x7f, false},
        {NarrowType::kFloat8E4m3fn, -463.9, 0xfe, true},
        {NarrowType::kFloat8E4m3fn, -465, 0xff, false},
        {NarrowType::kFloat8E4m3fnuz, kNan, 0x80, true},
        {NarrowType::kFloat8E4m3fnuz, kInfinity, 0x80, false},
        {NarrowType::kFloat8E4m3fnuz, -0.0, 0, true},
        {NarrowType::kFloat8E4m3fnuz, 247.9, 0x7f, true},
        {NarrowType::kFloat8E4m3fnuz, 248, 0x80, false},
        {NarrowType::kFloat4E2m1fn, kNan, 8, false},
        {NarrowType::kFloat4E2m1fn, -kNan, 0, false},
        {NarrowType::kFloat4E2m1fn, kInfinity, 7, false},
        {NarrowType::kFloat4E2m1fn, 6.9, 7, true},
        {NarrowType::kFloat4E2m1fn, -7, 0xf, false},
        {NarrowType::kFloat6E2m3fn, -1e30, 0x3f, false},
        {NarrowType::kFloat6E3m2fn, 29, 0x1f, true},
        {NarrowType::kFloat8E8m0fnu, kNan, 0xff, true},
        {NarrowType::kFloat8E8m0fnu, 0, 0xff, false},
        {NarrowType::kFloat8E8m0fnu, -1, 0xff, false},
        {NarrowType::kFloat8E8m0fnu, 3, 0x81, true},
        {NarrowType::kFloat8E8m0fnu, 1e-300, 0, true},
        {NarrowType::kFloat8E8m0fnu, 0x1.8p127, 0xff, false},
        {NarrowType::kInt2, -2, 2, true},
        {NarrowType::kInt2, 2, 1, false},
        {NarrowType::kInt4, -9, 8, false},
        {NarrowType::kInt4, 7, 7, true},
        {NarrowType::kInt4, 2.5, 2, false},
        {NarrowType::kUint2, -1, 0, false},
        {NarrowType::kUint4, 15, 15, true},
        {NarrowType::kUint4, kInfinity, 15, false},
        {NarrowType::kUint4, kNan, 0, false},
    };
    for (const Case& one : cases) {
        const std::string_view name = FormatOf(one.type).name;
        EXPECT_EQ(DoubleToNarrow(one.type, one.value), one.code) << name << " " << one.value;
        EXPECT_EQ(IsRepresentable(one.type, one.value), one.is_held) << name << " " << one.value;
    }
}

TEST(NarrowIntegers, AreTheirLowBits) {
    std::vector<std::uint8_t> bytes;
    for (unsigned byte = 0; byte < 256; ++byte) bytes.push_back(static_cast<std::uint8_t>(byte));
    const auto read = [&](NarrowType type, const char* target) {
        return Converted(ReadConverter(MakeNarrowType(type, false), NativeType(target)), bytes);
    };
    const auto int2 = ValuesOf<std::int8_t>(read(NarrowType::kInt2, "|i1"));
    const auto int4 = ValuesOf<std::int8_t>(read(NarrowType::kInt4, "|i1"));
    const auto wide = ValuesOf<std::int16_t>(read(NarrowType::kInt4, "<i2"));
    const auto uint2 = read(NarrowType::kUint2, "|u1");
    const auto uint4 = read(NarrowType::kUint4, "|u1");
    for (unsigned byte = 0; byte < 256; ++byte) {
        const int low2 = static_cast<int>(byte & 3U);
        const int low4 = static_cast<int>(byte & 15U);
        EXPECT_EQ(int2[byte], low2 < 2 ? low2 : low2 - 4);
        EXPECT_EQ(int4[byte], low4 < 8 ? low4 : low4 - 16);
        EXPECT_EQ(wide[byte], int4[byte]);
        EXPECT_EQ(uint2[byte], low2);
        EXPECT_EQ(uint4[byte], low4);
    }
}

TEST(NarrowIntegers, AreWrittenAsTheNearestWithZerosAbove) {
    const auto write = [&](NarrowType type, const char* source, std::vector<std::uint8_t> values) {
        const auto op = WriteConverter(NativeType(source), MakeNarrowType(type, false));
        const auto written = Converted(op, values);
        return std::vector<int>(written.begin(), written.end());
    };
    const auto bytes = ElementsOf<std::int8_t>({-128, -9, -3, -1, 0, 1, 7, 127});
    EXPECT_EQ(write(NarrowType::kInt2, "|i1", bytes), (std::vector<int>{2, 2, 2, 3, 0, 1, 1, 1}));
    EXPECT_EQ(write(NarrowType::kInt4, "|i1", bytes), (std::vector<int>{8, 8, 13, 15, 0, 1, 7, 7}));
    const auto wide = ElementsOf<std::int16_t>({-32768, -256, -8, -1, 0, 256, 32767});
    EXPECT_EQ(write(NarrowType::kInt4, "<i2", wide), (std::vector<int>{8, 8, 8, 15, 0, 7, 7}));
    const std::vector<std::uint8_t> unsigned_bytes = {0, 3, 4, 15, 16, 255};
    EXPECT_EQ(write(NarrowType::kUint2, "|u1", unsigned_bytes),
              (std::vector<int>{0, 3, 3, 3, 3, 3}));
    EXPECT_EQ(write(NarrowType::kUint4, "|u1", unsigned_bytes),
              (std::vector<int>{0, 3, 4, 15, 15, 15}));
}

TEST(NarrowTypes, EqualNumbersHaveEqualBytes) {
    const std::vector<std::uint8_t> stored = {0xff, 0x1f, 0x0f};
    const auto in_memory = [&](NarrowType type, bool is_complex) {
        const DataType narrow = MakeNarrowType(type, is_complex);
        std::vector<std::uint8_t> src = stored;
        if (is_complex) src.push_back(0xe1);
        return Converted(ReadConverter(narrow, narrow), src);
    };
    EXPECT_EQ(in_memory(NarrowType::kInt4, false), (std::vector<std::uint8_t>{15, 15, 15}));
    EXPECT_EQ(in_memory(NarrowType::kUint2, false), (std::vector<std::uint8_t>{3, 3, 3}));
    EXPECT_EQ(in_memory(NarrowType::kFloat6E3m2fn, false),
              (std::vector<std::uint8_t>{0x3f, 0x1f, 0x0f}));
    EXPECT_EQ(in_memory(NarrowType::kFloat4E2m1fn, true),
              (std::vector<std::uint8_t>{15, 15, 15, 1}));
    EXPECT_EQ(in_memory(NarrowType::kFloat8E5m2, false), stored);
}

TEST(NarrowTypes, DifferFromPlainTypes) {
    const auto narrow = [](NarrowType type, bool is_complex = false) {
        return MakeNarrowType(type, is_complex).Native();
    };
    const std::pair<DataType, DataType> pairs[] = {
        {narrow(NarrowType::kBfloat16), NativeType("<f2")},
        {NativeType("<f2"), narrow(NarrowType::kBfloat16)},
        {narrow(NarrowType::kBfloat16), NativeType("<f8")},
        {narrow(NarrowType::kFloat8E4m3), narrow(NarrowType::kFloat8E3m4)},
        {narrow(NarrowType::kFloat8E4m3), narrow(NarrowType::kFloat8E4m3, true)},
        {narrow(NarrowType::kInt4), narrow(NarrowType::kUint4)},
        {narrow(NarrowType::kInt4), narrow(NarrowType::kInt2)},
        {narrow(NarrowType::kInt4), NativeType("|u1")},
        {narrow(NarrowType::kInt4), NativeType("<i4")},
        {narrow(NarrowType::kUint4), NativeType("<u2")},
        {NativeType("|u1"), narrow(NarrowType::kUint4)},
        {narrow(NarrowType::kBfloat16, true), NativeType("<f4")},
        {narrow(NarrowType::kBfloat16, true), NativeType("<c16")},
    };
    for (const auto& [stored, target] : pairs)
        EXPECT_TRUE(Fails(ReadConverter(stored, target), StatusCode::kInvalidArgument,
                          "no conversion from dtype "))
            << stored.ToString() << " " << target.ToString();
    EXPECT_TRUE(Fails(WriteConverter(NativeType("<f2"), narrow(NarrowType::kBfloat16)),
                      StatusCode::kInvalidArgument, "no conversion from dtype <f2 to bfloat16"));
}

TEST(NarrowTypes, HaveNamesAndTexts) {
    const DataType bfloat = MakeNarrowType(NarrowType::kBfloat16, true);
    EXPECT_EQ(bfloat.ToString(), "complex_bfloat16");
    EXPECT_EQ(WithByteOrder(bfloat, ByteOrder::kBig).ToString(), ">complex_bfloat16");
    EXPECT_EQ(MakeNarrowType(NarrowType::kInt2, false).ToString(), "int2");
    const auto text = [](const DataType& type, std::vector<std::uint8_t> element) {
        return ElementText(type, element.data());
    };
    EXPECT_EQ(text(bfloat.Native(), ElementsOf<std::uint16_t>({0x3dcd, 0xc040})), "0.100097656-3j");
    EXPECT_EQ(text(MakeNarrowType(NarrowType::kInt4, false), {0xf8}), "-8");
    EXPECT_EQ(text(MakeNarrowType(NarrowType::kUint4, false), {0xf8}), "8");
    EXPECT_EQ(text(MakeNarrowType(NarrowType::kFloat8E8m0fnu, false), {0xff}), "nan");
    const std::uint8_t element[] = {0x3f};
    EXPECT_EQ(ElementDouble(MakeNarrowType(NarrowType::kFloat6E2m3fn, false), element), -7.5);
}

TEST(NarrowTypes, HaveAttributesAsZarrV2HasThem) {
    const auto fill = [](NarrowType type, bool is_complex, const char* json) {
        const auto value = ParseFillValue(MakeNarrowType(type, is_complex), Json(json));
        return value.ok() ? value->Bytes() : value.status().message();
    };
    EXPECT_EQ(fill(NarrowType::kInt4, false, "-1"), "\x0f");
    EXPECT_EQ(fill(NarrowType::kInt4, false, "8"),
              "fill_value: expected a value of dtype int4, got 8");
    EXPECT_EQ(fill(NarrowType::kFloat8E5m2, true, "[1, \"NaN\"]"), "\x3c\x7e");
    const DataType bfloat = MakeNarrowType(NarrowType::kBfloat16, false).Native();
    const auto written = ElementsOf<std::uint16_t>({0xff80});
    const auto json =
        FillValueToJson(bfloat, {reinterpret_cast<const char*>(written.data()), written.size()});
    ASSERT_TRUE(Succeeds(json));
    EXPECT_EQ(json::Dump(*json), "\"-Infinity\"");
}

TEST(ComplexHalves, AreReadAndWrittenAsComplex64) {
    const auto parsed = ParseV3DataType(json::Value("complex_float16"));
    ASSERT_TRUE(Succeeds(parsed));
    const std::vector<std::uint16_t> halves = {0x3c00, 0xc000, 0x7e00, 0x0001};
    for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
        const DataType stored = WithByteOrder(*parsed, order);
        std::vector<std::uint8_t> elements = ElementsOf(halves);
        SwapElements(stored, elements.data(), 2);
        const auto floats = Converted(ReadConverter(stored, NativeType("<c8")), elements);
        const auto values = ValuesOf<float>(floats);
        ASSERT_EQ(values.size(), 4U);
        EXPECT_EQ(values[0], 1);
        EXPECT_EQ(values[1], -2);
        EXPECT_TRUE(std::isnan(values[2]));
        EXPECT_EQ(values[3], 0x1p-24F);
        EXPECT_EQ(Converted(WriteConverter(NativeType("<c8"), stored), floats), elements);
    }
    EXPECT_EQ(parsed->ToString(), "complex_float16");
    EXPECT_TRUE(Fails(ReadConverter(*parsed, NativeType("<c16")), StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace zarr

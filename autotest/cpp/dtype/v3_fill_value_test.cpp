// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>
#include <string>

#include "autotest/cpp/dtype/types.h"
#include "autotest/cpp/support/checks.h"
#include "core/base/endian.h"
#include "core/dtype/narrow_types.h"
#include "core/dtype/v3_types.h"

namespace zarr {
namespace {

using namespace std::string_literals;
using test::Fails;
using test::Json;
using test::Random;
using test::Succeeds;
using test::Type;

constexpr const char* kUtf32Of3 =
    R"({"name":"fixed_length_utf32","configuration":{"length_bytes":12}})";
constexpr const char* kPaddedOf4 =
    R"({"name":"null_terminated_bytes","configuration":{"length_bytes":4}})";
constexpr const char* kSeconds =
    R"({"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}})";
constexpr const char* kRecord = R"({"name":"struct","configuration":{"fields":[
    {"name":"a","data_type":"int16"},
    {"name":"p","data_type":{"name":"struct","configuration":{"fields":[
        {"name":"x","data_type":"float32"}]}}},
    {"name":"n","data_type":"uint4"}]}})";

// Parses a data type of Zarr v3. `text` is its JSON if it begins with "{", else its name.
DataType TypeInV3(std::string_view text) {
    auto type = ParseV3DataType(text[0] == '{' ? Json(text) : json::Value(text));
    EXPECT_TRUE(Succeeds(type)) << text;
    return type.ok() ? type.Take() : DataType();
}

// Returns the bytes of the fill value `json`, or the error message.
std::string ParsedV3Fill(std::string_view type, std::string_view json) {
    const auto fill = ParseV3FillValue(TypeInV3(type), Json(json));
    return fill.ok() ? fill->Bytes() : fill.status().message();
}

template <class T>
std::string NativeBytes(T value) {
    std::string bytes(sizeof value, '\0');
    StoreNative(bytes.data(), value);
    return bytes;
}

std::string DumpedV3Fill(std::string_view type, std::string_view element) {
    const auto value = V3FillValueToJson(TypeInV3(type), element);
    return value.ok() ? json::Dump(*value) : value.status().message();
}

void ExpectRefusedInV3(std::string_view type, std::initializer_list<const char*> values) {
    for (const char* json : values) {
        const auto fill = ParseV3FillValue(TypeInV3(type), Json(json));
        EXPECT_TRUE(Fails(fill, StatusCode::kCorrupt)) << type << " " << json;
        EXPECT_EQ(fill.status().message().rfind("fill_value: ", 0), 0U)
            << type << " " << json << ": " << fill.status().message();
    }
}

TEST(V3FillValue, OfABooleanIsTrueOrFalse) {
    EXPECT_EQ(ParsedV3Fill("bool", "true"), "\1");
    EXPECT_EQ(ParsedV3Fill("bool", "false"), "\0"s);
    EXPECT_EQ(ParsedV3Fill("bool", "1"), "\1");  // zarrita writes booleans as 0 and 1
    EXPECT_EQ(ParsedV3Fill("bool", "0"), "\0"s);
    ExpectRefusedInV3("bool", {"null", "2", "-1", "\"true\"", "[]", "1.5"});
    EXPECT_EQ(DumpedV3Fill("bool", "\1"), "true");
    EXPECT_EQ(DumpedV3Fill("bool", "\0"s), "false");
}

TEST(V3FillValue, OfIntegersIsWithoutFractionAndInRange) {
    EXPECT_EQ(ParsedV3Fill("int8", "-128"), "\x80");
    EXPECT_EQ(ParsedV3Fill("uint8", "255"), "\xff");
    EXPECT_EQ(ParsedV3Fill("int16", "-2"), NativeBytes<std::int16_t>(-2));
    EXPECT_EQ(ParsedV3Fill("uint32", "4294967295"), NativeBytes<std::uint32_t>(4294967295U));
    EXPECT_EQ(ParsedV3Fill("int64", "-9223372036854775808"), NativeBytes(INT64_MIN));
    EXPECT_EQ(ParsedV3Fill("uint64", "18446744073709551615"), NativeBytes(UINT64_MAX));
    EXPECT_EQ(ParsedV3Fill("int2", "-2"), "\2");
    EXPECT_EQ(ParsedV3Fill("int4", "-8"), "\x08");
    EXPECT_EQ(ParsedV3Fill("uint4", "15"), "\x0f");
    for (const char* type : {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64",
                             "uint64", "int2", "int4", "uint2", "uint4"})
        ExpectRefusedInV3(
            type, {"null", "true", "0.0", "1e0", "1.5", "\"1\"", "[1]", "{}", "\"NaN\"", "\"0x01\"",
                   "18446744073709551616", "-9223372036854775809"});
    ExpectRefusedInV3("int8", {"128", "-129"});
    ExpectRefusedInV3("uint8", {"256", "-1"});
    ExpectRefusedInV3("uint16", {"65536"});
    ExpectRefusedInV3("int32", {"2147483648"});
    ExpectRefusedInV3("int64", {"9223372036854775808"});
    ExpectRefusedInV3("int2", {"2", "-3"});
    ExpectRefusedInV3("int4", {"8", "-9"});
    ExpectRefusedInV3("uint2", {"4", "-1"});
    ExpectRefusedInV3("uint4", {"16"});
    EXPECT_EQ(ParsedV3Fill("int8", "300"),
              "fill_value: expected a value of data type int8, got 300");
    // Numbers beyond int64 may be strings, as GDAL's own driver writes them.
    EXPECT_EQ(ParsedV3Fill("uint64", "\"18446744073709551615\""), NativeBytes(UINT64_MAX));
    EXPECT_EQ(ParsedV3Fill("uint64", "\"9223372036854775808\""),
              NativeBytes(std::uint64_t{1} << 63));
    ExpectRefusedInV3("uint64", {"\"9223372036854775807\"", "\"18446744073709551616\"",
                                 "\" 18446744073709551615\"", "\"18446744073709551615 \""});
    ExpectRefusedInV3("int64", {"\"9223372036854775808\""});
    EXPECT_EQ(DumpedV3Fill("int4", "\xf8"), "-8");
    EXPECT_EQ(DumpedV3Fill("uint64", NativeBytes(UINT64_MAX)), "18446744073709551615");
}

TEST(V3FillValue, OfFloatsIsANumberOrTheNameOfOne) {
    EXPECT_EQ(ParsedV3Fill("float32", "0.1"), NativeBytes(0.1F));
    EXPECT_EQ(ParsedV3Fill("float32", "-0.0"), NativeBytes(-0.0F));
    EXPECT_EQ(ParsedV3Fill("float64", "3"), NativeBytes(3.0));
    EXPECT_EQ(ParsedV3Fill("float16", "2049"), NativeBytes<std::uint16_t>(0x6800));
    EXPECT_EQ(ParsedV3Fill("float32", "1e39"), NativeBytes(std::numeric_limits<float>::infinity()));
    EXPECT_EQ(ParsedV3Fill("bfloat16", "1.00390625"), NativeBytes<std::uint16_t>(0x3f80));
    EXPECT_EQ(ParsedV3Fill("float16", "\"NaN\""), NativeBytes<std::uint16_t>(0x7e00));
    EXPECT_EQ(ParsedV3Fill("float32", "\"NaN\""), NativeBytes<std::uint32_t>(0x7fc00000));
    EXPECT_EQ(ParsedV3Fill("float64", "\"NaN\""), NativeBytes<std::uint64_t>(0x7ff8000000000000));
    EXPECT_EQ(ParsedV3Fill("bfloat16", "\"NaN\""), NativeBytes<std::uint16_t>(0x7fc0));
    EXPECT_EQ(ParsedV3Fill("float8_e3m4", "\"NaN\""), "\x78");
    EXPECT_EQ(ParsedV3Fill("float8_e4m3", "\"NaN\""), "\x7c");
    EXPECT_EQ(ParsedV3Fill("float8_e5m2", "\"NaN\""), "\x7e");
    EXPECT_EQ(ParsedV3Fill("float8_e4m3fnuz", "\"NaN\""), "\x80");
    EXPECT_EQ(ParsedV3Fill("float8_e4m3fn", "\"NaN\""), "\x7f");
    EXPECT_EQ(ParsedV3Fill("float8_e8m0fnu", "\"NaN\""), "\xff");
    EXPECT_EQ(ParsedV3Fill("float64", "\"-Infinity\""),
              NativeBytes(-std::numeric_limits<double>::infinity()));
    EXPECT_EQ(ParsedV3Fill("float8_e5m2", "\"Infinity\""), "\x7c");
    for (const char* type : {"float16", "float32", "float64", "bfloat16", "float8_e5m2",
                             "float4_e2m1fn", "float8_e8m0fnu"})
        ExpectRefusedInV3(type, {"null", "true", "\"nan\"", "\"inf\"", "\"+Infinity\"", "\"1\"",
                                 "\"\"", "[1]", "NaN", "Infinity", "\"0x\"", "\"0x1\""});
}

TEST(V3FillValue, OfFloatsThatLackTheNumberIsRefused) {
    for (const char* type : {"float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn"})
        ExpectRefusedInV3(type, {"\"NaN\"", "\"Infinity\"", "\"-Infinity\"", "1000", "-1e30"});
    for (const char* type : {"float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz"})
        ExpectRefusedInV3(type, {"\"Infinity\"", "\"-Infinity\"", "1e30"});
    ExpectRefusedInV3("float8_e4m3fn", {"\"Infinity\"", "\"-Infinity\"", "465"});
    ExpectRefusedInV3("float8_e8m0fnu", {"\"Infinity\"", "-1"});
    EXPECT_EQ(ParsedV3Fill("float8_e8m0fnu", "0.0"), std::string(1, '\0'));
    EXPECT_EQ(ParsedV3Fill("float4_e2m1fn", "5.1"), "\7");
    EXPECT_EQ(ParsedV3Fill("float8_e8m0fnu", "0.5"), "\x7e");
}

TEST(V3FillValue, OfFloatsMayBeTheirBits) {
    EXPECT_EQ(ParsedV3Fill("float32", "\"0b111111110000000000000000000000\""),
              NativeBytes<std::uint32_t>(0x3fc00000));
    ExpectRefusedInV3("float16", {"\"0b\"", "\"0b2\"", "\"0b10000000000000000\""});
    EXPECT_EQ(ParsedV3Fill("float32", "\"0x7fc00001\""), NativeBytes<std::uint32_t>(0x7fc00001));
    EXPECT_EQ(ParsedV3Fill("float32", "\"0xFFA00000\""), NativeBytes<std::uint32_t>(0xffa00000));
    EXPECT_EQ(ParsedV3Fill("float16", "\"0x3c00\""), NativeBytes<std::uint16_t>(0x3c00));
    EXPECT_EQ(ParsedV3Fill("float64", "\"0x7ff0000000000001\""),
              NativeBytes<std::uint64_t>(0x7ff0000000000001));
    EXPECT_EQ(ParsedV3Fill("bfloat16", "\"0xff81\""), NativeBytes<std::uint16_t>(0xff81));
    EXPECT_EQ(ParsedV3Fill("float8_e5m2", "\"0xfd\""), "\xfd");
    EXPECT_EQ(ParsedV3Fill("float4_e2m1fn", "\"0x0f\""), "\x0f");
    ExpectRefusedInV3("float32", {"\"0x7fc0\"", "\"0x7fc000010\"", "\"7fc00001\"", "\"0X7fc00001\"",
                                  "\"0x7fc0000g\"", "\"0x-7fc0000\"", "\"0x 7fc0000\""});
    ExpectRefusedInV3("float64", {"\"0x7fc00001\""});
    ExpectRefusedInV3("float4_e2m1fn", {"\"0x1f\"", "\"0xf\""});
    ExpectRefusedInV3("float6_e3m2fn", {"\"0x40\""});
}

TEST(V3FillValue, OfFloatsKeepsTheBitsOfANan) {
    EXPECT_EQ(DumpedV3Fill("float32", NativeBytes(0.1F)), "0.10000000149011612");
    EXPECT_EQ(DumpedV3Fill("float64", NativeBytes(-0.0)), "-0.0");
    EXPECT_EQ(DumpedV3Fill("float16", NativeBytes<std::uint16_t>(0x7e00)), "\"NaN\"");
    EXPECT_EQ(DumpedV3Fill("float16", NativeBytes<std::uint16_t>(0x7c01)), "\"0x7c01\"");
    EXPECT_EQ(DumpedV3Fill("float32", NativeBytes<std::uint32_t>(0xffc00000)), "\"0xffc00000\"");
    EXPECT_EQ(DumpedV3Fill("float64", NativeBytes<std::uint64_t>(0x7ff0000000000001)),
              "\"0x7ff0000000000001\"");
    EXPECT_EQ(DumpedV3Fill("float64", NativeBytes(-std::numeric_limits<double>::infinity())),
              "\"-Infinity\"");
    EXPECT_EQ(DumpedV3Fill("float8_e5m2", "\xfd"), "\"0xfd\"");
    EXPECT_EQ(DumpedV3Fill("float8_e8m0fnu", "\xff"), "\"NaN\"");
    EXPECT_EQ(DumpedV3Fill("float6_e2m3fn", "\x1f"), "7.5");
    // Writing a number as JSON and reading it back must keep each bit pattern of a bfloat16, float8
    // or similar type.
    for (int i = 1; i <= static_cast<int>(NarrowType::kFloat8E8m0fnu); ++i) {
        const DataType type = MakeNarrowType(static_cast<NarrowType>(i), false).Native();
        for (std::uint32_t code = 0; code < 1U << FormatOf(type.narrow).bits; ++code) {
            const std::string element = type.size == 2
                                            ? NativeBytes(static_cast<std::uint16_t>(code))
                                            : NativeBytes(static_cast<std::uint8_t>(code));
            const auto value = V3FillValueToJson(type, element);
            ASSERT_TRUE(Succeeds(value));
            const auto back = ParseV3FillValue(type, Json(json::Dump(*value)));
            ASSERT_TRUE(Succeeds(back)) << type.ToString() << " " << json::Dump(*value);
            EXPECT_EQ(back->Bytes(), element) << type.ToString() << " " << json::Dump(*value);
        }
    }
}

TEST(V3FillValue, OfComplexNumbersIsAPair) {
    const std::uint32_t nan = 0x7fc00000;
    EXPECT_EQ(ParsedV3Fill("complex64", "[1, \"NaN\"]"), NativeBytes(1.0F) + NativeBytes(nan));
    EXPECT_EQ(ParsedV3Fill("complex128", "[\"-Infinity\", \"0x7ff0000000000001\"]"),
              NativeBytes(-std::numeric_limits<double>::infinity()) +
                  NativeBytes<std::uint64_t>(0x7ff0000000000001));
    EXPECT_EQ(ParsedV3Fill("complex_bfloat16", "[1, \"0x7fc1\"]"),
              NativeBytes<std::uint16_t>(0x3f80) + NativeBytes<std::uint16_t>(0x7fc1));
    EXPECT_EQ(ParsedV3Fill("complex_float16", "[1, -2]"),
              NativeBytes<std::uint16_t>(0x3c00) + NativeBytes<std::uint16_t>(0xc000));
    EXPECT_EQ(ParsedV3Fill("complex_float4_e2m1fn", "[-6, 0.5]"), "\x0f\x01");
    for (const char* type : {"complex64", "complex128", "complex_float16", "complex_float8_e5m2"})
        ExpectRefusedInV3(type, {"null", "1", "[1]", "[1, 2, 3]", "[1, null]", "[true, 1]",
                                 "\"NaN\"", "[[1], 2]", "{\"re\": 1}", "[1, \"0x1\"]"});
    EXPECT_EQ(DumpedV3Fill("complex64", NativeBytes(1.0F) + NativeBytes<std::uint32_t>(0xffc00000)),
              "[1.0, \"0xffc00000\"]");
    EXPECT_EQ(DumpedV3Fill("complex_float16", NativeBytes<std::uint32_t>(0xc0003c00)),
              HostIsLittleEndian() ? "[1.0, -2.0]" : "[-2.0, 1.0]");
    EXPECT_EQ(DumpedV3Fill("complex_float8_e4m3fnuz", "\x40\x80"), "[1.0, \"NaN\"]");
}

TEST(V3FillValue, OfTimesIsAnIntegerOrNat) {
    EXPECT_EQ(ParsedV3Fill(kSeconds, "-5"), NativeBytes<std::int64_t>(-5));
    EXPECT_EQ(ParsedV3Fill(kSeconds, "\"NaT\""), NativeBytes(kNotATime));
    EXPECT_EQ(ParsedV3Fill(kSeconds, "-9223372036854775808"), NativeBytes(kNotATime));
    ExpectRefusedInV3(kSeconds, {"null", "\"NaN\"", "1.0", "1.5", "true", "9223372036854775808",
                                 "\"2020-01-01\"", "[0]"});
    EXPECT_EQ(DumpedV3Fill(kSeconds, NativeBytes(kNotATime)), "\"NaT\"");
    EXPECT_EQ(DumpedV3Fill(kSeconds, NativeBytes<std::int64_t>(7)), "7");
}

TEST(V3FillValue, OfBytesIsAnArrayOrBase64) {
    EXPECT_EQ(ParsedV3Fill("r24", "[1, 0, 255]"), "\1\0\xff"s);
    EXPECT_EQ(ParsedV3Fill("r24", "\"AQD/\""), "\1\0\xff"s);
    EXPECT_EQ(ParsedV3Fill(kPaddedOf4, "\"YWI=\""), "ab\0\0"s);
    EXPECT_EQ(ParsedV3Fill(kPaddedOf4, "[97, 98]"), "ab\0\0"s);
    EXPECT_EQ(ParsedV3Fill(kPaddedOf4, "\"\""), "\0\0\0\0"s);
    EXPECT_EQ(ParsedV3Fill("bytes", "[1, 2, 0]"), "\1\2\0"s);
    EXPECT_EQ(ParsedV3Fill("bytes", "\"AQIA\""), "\1\2\0"s);
    EXPECT_EQ(ParsedV3Fill("variable_length_bytes", "[]"), "");
    for (const char* type : {"r24", "bytes", kPaddedOf4})
        ExpectRefusedInV3(type, {"null", "0", "[256]", "[-1]", "[1.0]", "[true]", "[\"a\"]", "{}",
                                 "\"A\"", "\"AQI\"", "\"A?==\""});
    ExpectRefusedInV3("r24", {"[]", "[1, 2]", "[1, 2, 3, 4]", "\"\"", "\"AQI=\"", "\"AQIDBA==\""});
    ExpectRefusedInV3(kPaddedOf4, {"[1, 2, 3, 4, 5]", "\"AQIDBAU=\""});
    EXPECT_EQ(ParsedV3Fill("r24", "[1]"),
              "fill_value: holds 1 bytes, but an element of data type r24 has 3");
    EXPECT_EQ(DumpedV3Fill("r24", "\1\0\xff"s), "[1, 0, 255]");
    EXPECT_EQ(DumpedV3Fill(kPaddedOf4, "ab\0\0"s), "\"YWI=\"");
    EXPECT_EQ(DumpedV3Fill("bytes", "\1\2\3"), "\"AQID\"");
}

TEST(V3FillValue, OfTextIsText) {
    EXPECT_EQ(ParsedV3Fill("string", "\"f\xc3\xb6o\""), "f\xc3\xb6o");
    EXPECT_EQ(ParsedV3Fill("string", "\"\""), "");
    ExpectRefusedInV3("string", {"null", "0", "[]", "true", "{}"});
    EXPECT_EQ(ParsedV3Fill(kUtf32Of3, "\"\xc3\xb6z\""), NativeBytes<std::uint32_t>(0xf6) +
                                                            NativeBytes<std::uint32_t>('z') +
                                                            NativeBytes<std::uint32_t>(0));
    EXPECT_EQ(ParsedV3Fill(kUtf32Of3, "\"\""), std::string(12, '\0'));
    ExpectRefusedInV3(kUtf32Of3, {"null", "0", "[]", "\"abcd\"", "\"abc\\u0000\""});
    EXPECT_EQ(DumpedV3Fill("string", "f\xc3\xb6o"), "\"f\xc3\xb6o\"");
    EXPECT_EQ(DumpedV3Fill("string", "\xff"), "fill_value: \"\xff\" is not UTF-8 text");
    EXPECT_EQ(DumpedV3Fill(kUtf32Of3, NativeBytes<std::uint32_t>('a') + std::string(8, '\0')),
              "\"a\"");
    EXPECT_TRUE(Fails(V3FillValueToJson(TypeInV3(kUtf32Of3), std::string(12, '\xff')),
                      StatusCode::kInvalidArgument, "fill_value: "));
}

TEST(V3FillValue, OfStructuresHasEveryField) {
    const std::string element = NativeBytes<std::int16_t>(-2) + NativeBytes(2.5F) + "\x0f";
    EXPECT_EQ(ParsedV3Fill(kRecord, R"({"a": -2, "p": {"x": 2.5}, "n": 15})"), element);
    EXPECT_EQ(ParsedV3Fill(kRecord, R"({"n": 15, "p": {"x": 2.5}, "a": -2})"), element);
    EXPECT_EQ(ParsedV3Fill(kRecord, R"({"a": 0, "p": {"x": 0}, "n": 1})"), "\0\0\0\0\0\0\1"s);
    // Fill values of structures are written in Base64, which zarr-python 3.1 reads.
    EXPECT_EQ(DumpedV3Fill(kRecord, element), "\"/v8AACBADw==\"");
    ExpectRefusedInV3(kRecord,
                      {"null", "0", "[]", "{}", R"({"a": 1, "p": {"x": 1}})",
                       R"({"a": 1, "p": {"x": 1}, "n": 1, "z": 1})",
                       R"({"a": 1, "p": {"x": 1}, "z": 1})", R"({"a": 1, "p": {"x": 1}, "n": 16})",
                       R"({"a": 1, "p": 1, "n": 1})", "\"AAAA\"", "\"\"", "\"?\""});
    EXPECT_EQ(ParsedV3Fill(kRecord, R"({"a": 1, "p": {"x": null}, "n": 1})"),
              "fill_value: field \"p\": field \"x\": expected a value of data type float32, "
              "got null");
    EXPECT_EQ(ParsedV3Fill(kRecord, R"({"a": 1, "p": {"x": 1}, "z": 1})"),
              "fill_value: field \"n\" is missing");
}

TEST(V3FillValue, OfOldStructuresIsBase64InTheOrderOfTheType) {
    const DataType type = TypeInV3(
        R"({"name":"structured","configuration":{"fields":[["a","int16"],["b","uint8"]]}})");
    for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
        const char* const text = order == ByteOrder::kLittle ? "\"AgED\"" : "\"AQID\"";
        const auto fill = ParseV3FillValue(WithByteOrder(type, order), Json(text));
        ASSERT_TRUE(Succeeds(fill));
        EXPECT_EQ(fill->Bytes(), NativeBytes<std::int16_t>(0x102) + "\3");
    }
}

TEST(V3FillValue, NeedsNoMemoryForPadding) {
    const DataType type =
        TypeInV3(R"({"name":"null_terminated_bytes","configuration":{"length_bytes":999999999}})");
    const auto fill = ParseV3FillValue(type, Json("\"aGk=\""));
    ASSERT_TRUE(Succeeds(fill));
    EXPECT_EQ(fill->size(), 999999999U);
    EXPECT_EQ(fill->TrimmedBytes(), "hi");
}

TEST(V3FillValue, IsNotWrittenOfAnotherSize) {
    for (const char* type : {"float32", "r24", "complex64", "bool", kRecord, kUtf32Of3, "bfloat16"})
        for (const std::size_t size : {0, 100})
            EXPECT_TRUE(Fails(V3FillValueToJson(TypeInV3(type), std::string(size, '\1')),
                              StatusCode::kInvalidArgument, "fill_value: has "))
                << type;
    const DataType subarray = Type(R"([["a", "<i2", [2]]])");
    EXPECT_TRUE(Fails(V3FillValueToJson(subarray, std::string(4, '\0')), StatusCode::kUnsupported,
                      "fill_value: field \"a\": Zarr v3 has no subarrays in structures"));
    EXPECT_TRUE(Fails(ParseV3FillValue(subarray, Json(R"({"a": [1, 2]})")),
                      StatusCode::kUnsupported, "fill_value: field \"a\""));
}

TEST(V3FillValue, ComesBackFromItsJson) {
    Random random(23);
    for (const char* type :
         {"int8", "uint16", "int64", "float16", "float32", "float64", "complex64", "complex128",
          "complex_float16", "complex_bfloat16", "r40", kSeconds,
          R"({"name":"struct","configuration":{"fields":[
                                 {"name":"a","data_type":"float16"},
                                 {"name":"b","data_type":"r24"},
                                 {"name":"c","data_type":"complex64"}]}})"})
        for (int i = 0; i < 200; ++i) {
            const DataType parsed = TypeInV3(type);
            const std::string element = random.Bytes(parsed.size);
            const auto value = V3FillValueToJson(parsed, element);
            ASSERT_TRUE(Succeeds(value)) << type;
            const auto back = ParseV3FillValue(parsed, Json(json::Dump(*value)));
            ASSERT_TRUE(Succeeds(back)) << type << " " << json::Dump(*value);
            EXPECT_EQ(back->Bytes(), element) << type << " " << json::Dump(*value);
        }
}

}  // namespace
}  // namespace zarr

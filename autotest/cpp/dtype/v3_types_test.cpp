// SPDX-License-Identifier: MIT
#include "core/dtype/v3_types.h"

#include <string>

#include "autotest/cpp/dtype/types.h"
#include "autotest/cpp/support/checks.h"
#include "core/dtype/narrow_types.h"

namespace zarr {
namespace {

using test::Fails;
using test::Json;
using test::Succeeds;
using test::Type;

DataType V3Type(std::string_view text) {
    auto type = ParseV3DataType(Json(text));
    EXPECT_TRUE(Succeeds(type)) << text;
    return type.ok() ? type.Take() : DataType();
}

std::string V3Text(const DataType& type) {
    const auto value = V3DataTypeToJson(type);
    return value.ok() ? json::Dump(*value) : value.status().message();
}

// Returns the JSON text with the spacing of json::Dump().
std::string AsDumped(std::string_view text) { return json::Dump(Json(text)); }

std::string FixedText(const char* name, int bytes) {
    return std::string(R"({"name":")") + name + R"(","configuration":{"length_bytes":)" +
           std::to_string(bytes) + "}}";
}

std::string TimeText(const char* name, const char* unit, const char* factor) {
    return std::string(R"({"name":")") + name + R"(","configuration":{"unit":")" + unit +
           R"(","scale_factor":)" + factor + "}}";
}

std::string StructText(const std::string& fields, const char* name = "struct") {
    return std::string(R"({"name":")") + name + R"(","configuration":{"fields":[)" + fields + "]}}";
}

TEST(V3Types, AreThoseOfNumPy) {
    const std::pair<std::string, const char*> pairs[] = {
        {"\"bool\"", "|b1"},
        {"\"int8\"", "|i1"},
        {"\"int16\"", "<i2"},
        {"\"int32\"", "<i4"},
        {"\"int64\"", "<i8"},
        {"\"uint8\"", "|u1"},
        {"\"uint16\"", "<u2"},
        {"\"uint32\"", "<u4"},
        {"\"uint64\"", "<u8"},
        {"\"float16\"", "<f2"},
        {"\"float32\"", "<f4"},
        {"\"float64\"", "<f8"},
        {"\"complex64\"", "<c8"},
        {"\"complex128\"", "<c16"},
        {"\"r8\"", "|V1"},
        {"\"r136\"", "|V17"},
        {FixedText("fixed_length_utf32", 48), "<U12"},
        {FixedText("null_terminated_bytes", 5), "|S5"},
        {TimeText("numpy.datetime64", "us", "10"), "<M8[10us]"},
        {TimeText("numpy.timedelta64", "generic", "1"), "<m8"},
        {TimeText("numpy.datetime64", "Y", "2147483647"), "<M8[2147483647Y]"},
    };
    for (const auto& [text, typestr] : pairs) {
        EXPECT_EQ(V3Type(text).ToString(), typestr) << text;
        EXPECT_EQ(V3Text(V3Type(text)), AsDumped(text));
        EXPECT_EQ(V3Text(Type(typestr)), AsDumped(text));
        EXPECT_EQ(V3Text(WithByteOrder(V3Type(text), ByteOrder::kBig)), AsDumped(text));
    }
}

TEST(V3Types, HaveOtherNamesThatAreNotWritten) {
    EXPECT_EQ(V3Text(V3Type("\"complex_float32\"")), "\"complex64\"");
    EXPECT_EQ(V3Text(V3Type("\"complex_float64\"")), "\"complex128\"");
    EXPECT_EQ(V3Text(V3Type("\"variable_length_bytes\"")), "\"bytes\"");
    EXPECT_EQ(V3Text(V3Type(FixedText("raw_bytes", 4))), "\"r32\"");
    EXPECT_EQ(V3Text(V3Type(TimeText("numpy.datetime64", "\xce\xbcs", "1.0"))),
              AsDumped(TimeText("numpy.datetime64", "us", "1")));
    EXPECT_EQ(V3Text(Type("|O")), "\"string\"");
}

TEST(V3Types, MayBeObjectsOfANameAlone) {
    for (const char* text :
         {R"({"name": "float32"})", R"({"name": "float32", "configuration": {}})",
          R"({"name": "float32", "must_understand": true})"})
        EXPECT_EQ(V3Type(text).ToString(), "<f4") << text;
    EXPECT_EQ(V3Type(R"({"name": "string"})").object_kind, ObjectKind::kText);
}

TEST(V3Types, OfVariableLengthAreObjects) {
    const DataType text = V3Type("\"string\"");
    EXPECT_EQ(text.kind, DataKind::kObject);
    EXPECT_EQ(text.size, sizeof(ObjectRef));
    EXPECT_EQ(text.object_kind, ObjectKind::kText);
    EXPECT_EQ(V3Text(text), "\"string\"");
    const DataType bytes = V3Type("\"bytes\"");
    EXPECT_EQ(bytes.kind, DataKind::kObject);
    EXPECT_EQ(bytes.object_kind, ObjectKind::kBytes);
    EXPECT_EQ(V3Text(bytes), "\"bytes\"");
}

TEST(V3Types, OfFewBitsAreNarrow) {
    for (int i = 1; i <= static_cast<int>(NarrowType::kFloat8E8m0fnu); ++i) {
        const auto narrow = static_cast<NarrowType>(i);
        const NarrowFormat& format = FormatOf(narrow);
        EXPECT_EQ(format.type, narrow);
        const std::string name = "\"" + std::string(format.name) + "\"";
        const DataType type = V3Type(name);
        EXPECT_EQ(type.narrow, narrow);
        EXPECT_EQ(type.kind, format.kind);
        EXPECT_EQ(type.size, narrow == NarrowType::kBfloat16 ? 2U : 1U);
        EXPECT_EQ(type.order,
                  narrow == NarrowType::kBfloat16 ? ByteOrder::kLittle : ByteOrder::kNotRelevant);
        EXPECT_EQ(V3Text(type), name);
        const std::string complex_name = "\"complex_" + std::string(format.name) + "\"";
        if (format.kind != DataKind::kFloat) {
            EXPECT_TRUE(Fails(ParseV3DataType(Json(complex_name)), StatusCode::kUnsupported,
                              "data_type: unknown data type " + complex_name));
            continue;
        }
        const DataType complex = V3Type(complex_name);
        EXPECT_EQ(complex.kind, DataKind::kComplex);
        EXPECT_EQ(complex.narrow, narrow);
        EXPECT_EQ(complex.size, 2 * type.size);
        EXPECT_EQ(complex.order, type.order);
        EXPECT_EQ(V3Text(complex), complex_name);
    }
    const DataType half = V3Type("\"complex_float16\"");
    EXPECT_EQ(half.kind, DataKind::kComplex);
    EXPECT_EQ(half.size, 4U);
    EXPECT_EQ(half.narrow, NarrowType::kNone);
    EXPECT_EQ(V3Text(half), "\"complex_float16\"");
}

TEST(V3Types, StructuresHaveConsecutiveFields) {
    const std::string point =
        StructText(R"({"name":"x","data_type":"float32"},{"name":"y","data_type":"bfloat16"})");
    const std::string text =
        StructText(R"({"name":"id","data_type":"int32"},{"name":"p","data_type":)" + point +
                   R"(},{"name":"t","data_type":)" + TimeText("numpy.datetime64", "s", "1") + "}");
    const DataType type = V3Type(text);
    EXPECT_EQ(type.size, 18U);
    ASSERT_EQ(type.fields.size(), 3U);
    EXPECT_EQ(type.fields[0].name, "id");
    EXPECT_EQ(type.fields[1].offset, 4U);
    EXPECT_EQ(type.fields[2].offset, 10U);
    EXPECT_EQ(type.fields[1].type.fields[1].offset, 4U);
    // zarr-python 3 writes structures with the type name "structured".
    const std::string old_point = StructText(R"(["x","float32"],["y","bfloat16"])", "structured");
    const std::string old_text = StructText(R"(["id","int32"],["p",)" + old_point + R"(],["t",)" +
                                                TimeText("numpy.datetime64", "s", "1") + "]",
                                            "structured");
    EXPECT_EQ(V3Text(type), AsDumped(old_text));
    const DataType big = WithByteOrder(type, ByteOrder::kBig);
    EXPECT_EQ(big.ToString(),
              R"([["id", ">i4"], ["p", [["x", ">f4"], ["y", ">bfloat16"]]], ["t", ">M8[s]"]])");
    EXPECT_EQ(big.order, ByteOrder::kNotRelevant);
    EXPECT_EQ(V3Text(big), AsDumped(old_text));
    EXPECT_EQ(V3Text(V3Type(old_text)), AsDumped(old_text));
    EXPECT_EQ(V3Text(V3Type(StructText(R"({"name":"x","data_type":"r24"})", "structured"))),
              AsDumped(StructText("[\"x\"," + FixedText("raw_bytes", 3) + "]", "structured")));
}

TEST(V3Types, OfUnknownNamesAreNotSupported) {
    for (const char* name : {"", "float128", "int1", "Float32", "<f4", "|u1", "r", "rx", "r8x",
                             "r-8", "datetime64", "complex_int4", "complex_", "complex_bool",
                             "float8_e4m3fnu", "numpy.datetime64x", "object"})
        EXPECT_TRUE(Fails(ParseV3DataType(json::Value(name)), StatusCode::kUnsupported,
                          "data_type: unknown data type \"" + std::string(name) + "\""))
            << name;
    EXPECT_TRUE(Fails(ParseV3DataType(Json(R"({"name":"geometry","configuration":{"a":1}})")),
                      StatusCode::kUnsupported, "data_type: unknown data type \"geometry\""));
    EXPECT_TRUE(Fails(ParseV3DataType(Json(StructText(R"({"name":"x","data_type":"no"})"))),
                      StatusCode::kUnsupported,
                      "data_type: field \"x\": unknown data type \"no\""));
}

TEST(V3Types, OfUnknownNamesAreReadAsTheirFallback) {
    EXPECT_EQ(V3Type(R"({"name":"geometry","fallback":"r16"})").ToString(), "|V2");
    EXPECT_EQ(V3Type(R"({"name":"int8","fallback":"uint8"})").ToString(), "|i1") << "is known";
    EXPECT_TRUE(Fails(ParseV3DataType(Json(R"({"name":"geometry","fallback":"no"})")),
                      StatusCode::kUnsupported, "fallback: unknown data type \"no\""));
}

TEST(V3Types, InvalidTextsAreRefused) {
    const std::pair<std::string, const char*> cases[] = {
        {"null", "data_type: expected a name, or an object with a \"name\", got null"},
        {"4", "expected a name"},
        {"[\"int8\"]", "expected a name"},
        {"{}", "expected a name"},
        {R"({"name":4})", "expected a name"},
        {R"({"name":"int8","configuration":[]})", "configuration: expected an object, got []"},
        {R"({"name":"int8","configuration":null})", "configuration: expected an object, got null"},
        {R"({"name":"int8","configuration":{"endian":"little"}})",
         "unknown member \"endian\" of \"int8\""},
        {R"({"name":"r8","configuration":{"endian":"little"}})",
         "unknown member \"endian\" of \"r8\""},
        {R"({"name":"int8","endian":"little"})", "unknown member \"endian\" of the object"},
        {R"({"name":"int8","must_understand":false})", "must_understand: expected true, got false"},
        {"\"r0\"", "\"r0\": expected a multiple of 8 bits"},
        {"\"r12\"", "\"r12\": expected a multiple of 8 bits"},
        {"\"r08\"", "\"r08\": expected a multiple of 8 bits"},
        {"\"numpy.datetime64\"", "the configuration of \"numpy.datetime64\" is missing"},
        {"\"fixed_length_utf32\"", "the configuration of \"fixed_length_utf32\" is missing"},
        {"\"struct\"", "the configuration of \"struct\" is missing"},
        {R"({"name":"numpy.datetime64","configuration":{"unit":"s"}})",
         "the compulsory member \"scale_factor\" of \"numpy.datetime64\" is missing"},
        {R"({"name":"numpy.datetime64","configuration":{"scale_factor":1}})",
         "the compulsory member \"unit\" of \"numpy.datetime64\" is missing"},
        {R"({"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1,"x":0}})",
         "unknown member \"x\" of \"numpy.datetime64\""},
        {TimeText("numpy.datetime64", "sec", "1"), "unit: expected a time unit of NumPy, got"},
        {TimeText("numpy.datetime64", "", "1"), "unit: expected a time unit of NumPy, got"},
        {TimeText("numpy.datetime64", "s", "0"),
         "scale_factor: expected an integer from 1 to 2147483647, got 0"},
        {TimeText("numpy.datetime64", "s", "2147483648"), "scale_factor: expected an integer"},
        {TimeText("numpy.timedelta64", "s", "1.5"), "scale_factor: expected an integer"},
        {TimeText("numpy.timedelta64", "s", "-1"), "scale_factor: expected an integer"},
        {TimeText("numpy.timedelta64", "s", "\"1\""), "scale_factor: expected an integer"},
        {FixedText("fixed_length_utf32", 0), "length_bytes: expected an integer >= 1, got 0"},
        {FixedText("fixed_length_utf32", 6), "length_bytes: expected a multiple of 4, got 6"},
        {FixedText("raw_bytes", -1), "length_bytes: expected an integer >= 1, got -1"},
        {R"({"name":"raw_bytes","configuration":{}})", "the compulsory member \"length_bytes\""},
        {StructText(""), "fields: expected an array of at least one field, got []"},
        {R"({"name":"struct","configuration":{"fields":{}}})", "fields: expected an array"},
        {StructText(R"(["x","int8"])"), "expected a field with a name and a data_type"},
        {StructText(R"(["x","int8","int8"])", "structured"), "expected a field with a name"},
        {StructText(R"([1,"int8"])", "structured"), "expected a field with a name"},
        {StructText(R"({"name":"x"})"), "expected a field with a name and a data_type"},
        {StructText(R"({"name":"","data_type":"int8"})"),
         "name: expected a name that is not empty"},
        {StructText(R"({"name":"x","data_type":"int8","shape":[2]})"),
         "unknown member \"shape\" of a field"},
        {StructText(R"({"name":"x","data_type":"int8"},{"name":"x","data_type":"int8"})"),
         "two fields are called \"x\""},
        {StructText(R"({"name":"x","data_type":"string"})"),
         "field \"x\": a data type of variable length is not allowed inside a structure"},
        {StructText(R"({"name":"x","data_type":"bytes"})"), "field \"x\": a data type of variable"},
        {StructText(R"({"name":"x","data_type":"r4"})"), "field \"x\": \"r4\": expected"},
    };
    for (const auto& [text, message] : cases) {
        const auto type = ParseV3DataType(Json(text));
        EXPECT_TRUE(Fails(type, StatusCode::kCorrupt, message)) << text;
        EXPECT_EQ(type.status().message().rfind("data_type: ", 0), 0U) << text;
    }
}

TEST(V3Types, ThatAreTooLargeAreRefused) {
    std::string nested = "\"int8\"";
    for (int i = 0; i < 17; ++i) nested = StructText(R"({"name":"x","data_type":)" + nested + "}");
    const std::string large = FixedText("raw_bytes", 1 << 30);
    for (const std::string& text :
         {nested, std::string("\"r99999999999\""), std::string("\"r99999999999999999999999\""),
          FixedText("null_terminated_bytes", 2147483647),
          StructText(R"({"name":"x","data_type":)" + large + R"(},{"name":"y","data_type":)" +
                     large + "}")})
        EXPECT_TRUE(Fails(ParseV3DataType(Json(text)), StatusCode::kLimit, "data_type: ")) << text;
}

TEST(V3Types, WithoutANameAreNotWritten) {
    for (const char* typestr :
         {"|S0", "<U0", "|V0", "<M8[2147483648s]", R"([["a", "<i2"], ["", "<i2"]])",
          R"([["a", "<i2"], ["a", "<i2"]])", R"([["a", "|S0"]])"})
        EXPECT_TRUE(
            Fails(V3DataTypeToJson(Type(typestr)), StatusCode::kInvalidArgument, "data_type: "))
            << typestr;
    EXPECT_TRUE(Fails(V3DataTypeToJson(Type(R"([["a", "<i2", [2]]])")), StatusCode::kUnsupported,
                      "data_type: field \"a\": Zarr v3 has no subarrays in structures"));
    EXPECT_EQ(V3DataTypeText(Type("|S0")), "|S0");
    EXPECT_EQ(V3DataTypeText(Type("<f4")), "float32");
}

}  // namespace
}  // namespace zarr

// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>

#include "autotest/cpp/hierarchy/trees.h"
#include "core/base/endian.h"
#include "core/conventions/attributes/attributes.h"
#include "core/conventions/cf/nodata.h"
#include "core/metadata/v2_metadata.h"

namespace zarr {
namespace {

using test::Json;
using test::Succeeds;

ArrayMetadata Metadata(const std::string& dtype, const std::string& fill) {
    std::string text = test::ArrayText("[2, 2]", "\"" + dtype + "\"");
    text.replace(text.find("\"fill_value\": 0"), 15, "\"fill_value\": " + fill);
    auto metadata = ParseArrayMetadata(text);
    EXPECT_TRUE(Succeeds(metadata));
    return metadata.ok() ? metadata.Take() : ArrayMetadata();
}

// Returns the nodata value of an int16 array with the fill value `fill`. Expects `warned` warnings.
std::optional<int> Nodata(const char* attributes, FillAsNodata fill_counts, std::size_t warned = 0,
                          const char* fill = "-1") {
    Warnings warnings;
    const auto element =
        ReadNodata(Json(attributes), Metadata(">i2", fill), fill_counts).Report(warnings);
    EXPECT_EQ(warnings.size(), warned) << attributes;
    if (!element) return std::nullopt;
    return LoadNative<std::int16_t>(element->Bytes().data());
}

TEST(Nodata, HasAnOrderOfSources) {
    EXPECT_EQ(Nodata(R"({"_FillValue": 5, "missing_value": 6})", FillAsNodata::kYes), 5);
    EXPECT_EQ(Nodata(R"({"missing_value": 6})", FillAsNodata::kYes), 6);
    EXPECT_EQ(Nodata("{}", FillAsNodata::kYes), -1);
    EXPECT_EQ(Nodata("{}", FillAsNodata::kNo), std::nullopt);
    EXPECT_EQ(Nodata("{}", FillAsNodata::kYes, 0, "null"), std::nullopt);
    EXPECT_EQ(Nodata("{}", FillAsNodata::kAuto), -1);
    EXPECT_EQ(Nodata("{}", FillAsNodata::kAuto, 0, "0"), 0) << "as xarray has it in Zarr v2";
    EXPECT_EQ(Nodata(R"({"_FillValue": 5})", FillAsNodata::kNo), 5);
    EXPECT_EQ(Nodata(R"({"_FillValue": null, "missing_value": 6})", FillAsNodata::kYes), 6);
}

TEST(Nodata, OfTimesIsNaT) {
    Warnings warnings;
    const auto nodata = [&](const char* attributes) {
        const auto element =
            ReadNodata(Json(attributes), Metadata("<M8[s]", "0"), FillAsNodata::kYes)
                .Report(warnings);
        return element ? LoadNative<std::int64_t>(element->Bytes().data()) : 0;
    };
    EXPECT_EQ(nodata("{}"), std::numeric_limits<std::int64_t>::min()) << "the epoch is a time";
    EXPECT_EQ(nodata(R"({"_FillValue": -1})"), -1);
}

// xarray 2026.9 writes the `_FillValue` of floats in Zarr v3 as the Base64 of a double. Nodata
// values must be written and read in this form.
TEST(Nodata, OfFloatsIsADoubleInBase64InV3) {
    const auto written = [](auto value, Format format) {
        const std::string_view element(reinterpret_cast<const char*>(&value), sizeof value);
        const char letter = sizeof value == 2 ? 'i' : 'f';
        const ArrayMetadata metadata = Metadata("<" + (letter + std::to_string(sizeof value)), "0");
        const auto attribute = NodataAttribute(metadata.dtype, format, element);
        if (!attribute.ok()) return attribute.status().message();
        Warnings warnings;
        const auto read =
            ReadNodata(json::Value(json::Object{*attribute}), metadata, FillAsNodata::kNo)
                .Report(warnings);
        EXPECT_TRUE(read && warnings.empty());
        if (read) {
            EXPECT_EQ(read->Bytes(), element);
        }
        return json::Dump(attribute->second);
    };
    EXPECT_EQ(written(-9999.0F, Format::kV3), "\"AAAAAICHw8A=\"");
    EXPECT_EQ(written(1e20, Format::kV3), "\"QIy1eB2vFUQ=\"");
    EXPECT_EQ(written(std::numeric_limits<float>::quiet_NaN(), Format::kV3), "\"AAAAAAAA+H8=\"");
    EXPECT_EQ(written(std::int16_t{-32768}, Format::kV3), "-32768");
    EXPECT_EQ(written(-9999.0F, Format::kV2), "-9999.0");
}

// In Zarr v3, xarray 2026.9 reads `_FillValue` of numbers and booleans only. Other types must use
// `missing_value`.
TEST(Nodata, IsAnAttributeThatXarrayReadsInV3) {
    const auto name = [](const char* dtype, Format format) {
        const DataType type = Metadata(dtype, "null").dtype;
        const auto attribute = NodataAttribute(type, format, std::string(type.size, '\0'));
        return attribute.ok() ? attribute->first : attribute.status().message();
    };
    for (const char* dtype : {"|u1", "<i8", "<f2", "<c16", "|b1"})
        EXPECT_EQ(name(dtype, Format::kV3), "_FillValue") << dtype;
    for (const char* dtype : {"<M8[s]", "<m8[D]", "|S4", "<U4"})
        EXPECT_EQ(name(dtype, Format::kV3), "missing_value") << dtype;
    EXPECT_EQ(name("<M8[s]", Format::kV2), "_FillValue");
    Warnings warnings;
    const auto complex = ReadNodata(Json(R"({"_FillValue": ["AAAAAAAA8D8=", "AAAAAAAAAAA="]})"),
                                    Metadata("<c8", "0"), FillAsNodata::kNo)
                             .Report(warnings);
    ASSERT_TRUE(complex && warnings.empty());
    EXPECT_EQ(LoadNative<float>(complex->Bytes().data()), 1.0F);
}

TEST(Nodata, ReadsTheSpellingsOfOtherWriters) {
    EXPECT_EQ(Nodata(R"({"_FillValue": [5]})", FillAsNodata::kYes), 5);
    EXPECT_EQ(Nodata(R"({"_FillValue": -9999.0})", FillAsNodata::kYes), -9999);
}

TEST(Nodata, SkipsInvalidSourcesWithAWarning) {
    EXPECT_EQ(Nodata(R"({"_FillValue": NaN, "missing_value": 6})", FillAsNodata::kYes, 1), 6);
    EXPECT_EQ(Nodata(R"({"_FillValue": 40000, "missing_value": "x"})", FillAsNodata::kYes, 2), -1);
    EXPECT_EQ(Nodata(R"({"_FillValue": [1, 2]})", FillAsNodata::kNo, 1), std::nullopt);
    Warnings warnings;
    static_cast<void>(
        ReadNodata(Json(R"({"missing_value": 0.5})"), Metadata("<i4", "0"), FillAsNodata::kYes)
            .Report(warnings));
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0], "attribute missing_value: 0.5 is not a value of dtype <i4");
}

TEST(Nodata, IsExactForEveryType) {
    Warnings warnings;
    const auto big = ReadNodata(Json(R"({"_FillValue": 18446744073709551615})"),
                                Metadata("<u8", "0"), FillAsNodata::kYes)
                         .Report(warnings);
    EXPECT_EQ(LoadNative<std::uint64_t>(big->Bytes().data()), UINT64_MAX);
    for (const char* nan : {"NaN", "\"NaN\""}) {
        const auto element = ReadNodata(Json(std::string("{\"_FillValue\": ") + nan + "}"),
                                        Metadata(">f4", "0"), FillAsNodata::kYes)
                                 .Report(warnings);
        EXPECT_TRUE(std::isnan(LoadNative<float>(element->Bytes().data())));
    }
    const auto complex =
        ReadNodata(Json(R"({"_FillValue": [1, 2]})"), Metadata("<c8", "0"), FillAsNodata::kYes)
            .Report(warnings);
    EXPECT_EQ(LoadNative<float>(complex->Bytes().data() + 4), 2.0F);
    EXPECT_TRUE(warnings.empty());
}

TEST(Packing, ReadsScaleOffsetAndUnits) {
    Warnings warnings;
    const Packing packing =
        ReadPacking(Json(R"({"scale_factor": [0.1], "add_offset": "273.15", "units": "K"})"))
            .Report(warnings);
    EXPECT_EQ(packing.scale, 0.1);
    EXPECT_EQ(packing.offset, 273.15);
    EXPECT_EQ(packing.units, "K");
    EXPECT_TRUE(warnings.empty());
    const Packing none =
        ReadPacking(Json(R"({"scale_factor": "big", "units": 5})")).Report(warnings);
    EXPECT_EQ(none.scale, std::nullopt);
    EXPECT_EQ(none.offset, std::nullopt);
    EXPECT_EQ(none.units, "");
    EXPECT_EQ(warnings.size(), 1U);
}

TEST(TimeUnits, AreSpelledAsUdunitsDoes) {
    const std::pair<const char*, const char*> cases[] = {
        {"<M8[s]", "seconds since 1970-01-01"},
        {"<M8[25s]", "seconds since 1970-01-01"},
        {">M8[ns]", "nanoseconds since 1970-01-01"},
        {"<M8[D]", "days since 1970-01-01"},
        {"<m8[D]", "days"},
        {"<m8[Y]", "years"},
        {"<m8[3h]", "hours"},
        {"<m8[m]", "minutes"},
        {"<M8[M]", "days since 1970-01-01"},
        {"<M8[3Y]", "days since 1970-01-01"},
        {"<M8[W]", "days since 1970-01-01"},
        {"<m8[2W]", "days"},
        {"<m8[3M]", "months"},
        {"<m8[as]", "attoseconds"},
        {"<M8", ""},
        {"<i8", ""},
        {"|S4", ""}};
    for (const auto& [type, units] : cases) EXPECT_EQ(TimeUnits(*ParseTypestr(type)), units);
}

}  // namespace
}  // namespace zarr

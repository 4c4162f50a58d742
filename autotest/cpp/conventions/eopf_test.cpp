// SPDX-License-Identifier: MIT
#include "core/conventions/facts/eopf.h"

#include "autotest/cpp/conventions/pyramids.h"
#include "core/conventions/cf/flags.h"
#include "core/metadata/v2_metadata.h"

namespace zarr {
namespace {

using test::StringList;
using test::Succeeds;
using test::WarnsOnce;

ArrayMetadata EopfMetadata(const std::string& dtype, const std::string& shape = "[2, 3]") {
    auto metadata = ParseArrayMetadata(test::ArrayText(shape, "\"" + dtype + "\""));
    EXPECT_TRUE(Succeeds(metadata));
    return metadata.Take();
}

// Returns the result of WithEopf() as JSON, without `_eopf_attrs`.
std::string Merged(const std::string& attributes, const std::string& dtype = "<u2") {
    Warnings warnings;
    auto parsed = json::Parse(attributes);
    EXPECT_TRUE(Succeeds(parsed));
    const json::Value merged = WithEopf(parsed.Take(), EopfMetadata(dtype)).Report(warnings);
    EXPECT_TRUE(warnings.empty());
    json::Object others;
    for (const auto& [name, value] : *merged.as_object())
        if (name != "_eopf_attrs") others.emplace_back(name, value);
    return json::Dump(json::Value(others));
}

TEST(Eopf, FillsMissingAttributes) {
    EXPECT_EQ(Merged(R"({"_eopf_attrs": {"units": "m", "long_name": "n", "valid_min": 1,
                         "dimensions": ["y", "x"], "coordinates": ["x", "lat", "y", "lon"]}})"),
              Merged(R"({"units": "m", "long_name": "n", "_ARRAY_DIMENSIONS": ["y", "x"],
                         "coordinates": "lat lon"})"));
    EXPECT_EQ(Merged(R"({"a": 1, "_eopf_attrs": {"a": 2, "b": 3}})"), Merged(R"({"a": 1})"));
    EXPECT_EQ(Merged(R"({"a": 1})"), Merged(R"({"a": 1, "_eopf_attrs": null})"));
}

TEST(Eopf, KeepsExistingAttributes) {
    const std::string stated = R"("units": "m", "scale_factor": 2, "_ARRAY_DIMENSIONS": ["a", "b"],
                                  "coordinates": "lat", "_FillValue": 3)";
    EXPECT_EQ(Merged("{" + stated + R"(, "_eopf_attrs": {"units": "K", "scale_factor": 5,
                         "dimensions": ["y", "x"], "coordinates": ["p"], "fill_value": 0}})"),
              Merged("{" + stated + "}"));
    EXPECT_EQ(Merged(R"({"missing_value": 1, "_eopf_attrs": {"fill_value": 0}})"),
              Merged(R"({"missing_value": 1})"));
}

TEST(Eopf, PackingIsOfStoredElementsOnly) {
    const std::string eopf = R"("scale_factor": 0.1, "add_offset": 2, "fill_value": 0)";
    const std::string packed = R"({"scale_factor": 0.1, "add_offset": 2, "_FillValue": 0})";
    const auto with = [&](const std::string& dtype) {
        return "{\"_eopf_attrs\": {" + eopf +
               (dtype.empty() ? "" : ", \"dtype\": \"" + dtype + "\"") + "}}";
    };
    EXPECT_EQ(Merged(with("<u2")), Merged(packed));
    EXPECT_EQ(Merged(with(">u2")), Merged(packed));
    EXPECT_EQ(Merged(with("")), Merged(packed));
    EXPECT_EQ(Merged(with("<f4"), "<f4"), Merged(packed));
    for (const char* decoded : {"<u2", "<f8", "", "strange"})
        EXPECT_EQ(Merged(with(decoded), "<f4"), "{}") << "applied already: " << decoded;
}

TEST(Eopf, InvalidMembersAreLeftOut) {
    EXPECT_EQ(
        Merged(R"({"_eopf_attrs": {"dimensions": ["y"], "coordinates": [1], "units": null}})"),
        "{}");
    EXPECT_EQ(Merged(R"({"_eopf_attrs": {"dimensions": "yx", "coordinates": {}}})"), "{}");
    Warnings warnings;
    auto parsed = json::Parse(R"({"_eopf_attrs": [1]})");
    ASSERT_TRUE(Succeeds(parsed));
    WithEopf(parsed.Take(), EopfMetadata("<u2")).Report(warnings);
    EXPECT_TRUE(WarnsOnce(warnings, {"attribute _eopf_attrs: expected an object, got [1]"}));
}

TEST(Eopf, TheCrsIsACodeOrANumber) {
    const auto code = [](const std::string& value) {
        auto root = json::Parse("{\"other_metadata\": {\"horizontal_CRS_code\": " + value + "}}");
        EXPECT_TRUE(Succeeds(root));
        return EopfCrsCode(*root).value_or("none");
    };
    EXPECT_EQ(code("\"EPSG:32632\""), "EPSG:32632");
    EXPECT_EQ(code("\"32632\""), "EPSG:32632");
    EXPECT_EQ(code("32632"), "EPSG:32632");
    for (const char* none : {"null", "\"\"", "-1", "[32632]", "1.5"}) EXPECT_EQ(code(none), "none");
    EXPECT_FALSE(EopfCrsCode(json::Value(json::Object{})));
}

TEST(Eopf, FlagsMayBeAListAndBitsAreNoClasses) {
    const auto names = [](const std::string& attributes) {
        Warnings warnings;
        auto parsed = json::Parse(attributes);
        EXPECT_TRUE(Succeeds(parsed));
        auto found = FlagNames(*parsed).Report(warnings);
        EXPECT_TRUE(warnings.empty());
        return found;
    };
    const StringList wanted = {"none", "", "dark area"};
    EXPECT_EQ(names(R"({"flag_values": [0, 2], "flag_meanings": ["none", "dark area"]})"), wanted);
    EXPECT_TRUE(names(R"({"flag_values": [0, 2], "flag_meanings": ["none", 3]})").empty());
    EXPECT_TRUE(
        names(R"({"flag_values": [0, 2], "flag_masks": [2, 2], "flag_meanings": "a b"})").empty());
}

}  // namespace
}  // namespace zarr

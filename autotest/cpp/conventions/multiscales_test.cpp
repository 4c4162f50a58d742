// SPDX-License-Identifier: MIT
#include "core/conventions/group/multiscales.h"

#include "autotest/cpp/conventions/pyramids.h"
#include "core/conventions/group/level_statement.h"

namespace zarr {
namespace {

using test::Json;
using test::StringList;
using test::WarnsOnce;

StringList Paths(const Multiscale& multiscale) {
    StringList paths;
    for (const MultiscaleLevel& level : multiscale.levels) paths.push_back(level.path);
    return paths;
}

TEST(Multiscales, AreReadInTheirOrder) {
    const json::Value attributes = Json(R"({"multiscales": [
        {"version": "0.4", "datasets": [{"path": "big"}, {"path": "sub/small"}]},
        {"datasets": [{"path": "."}]}]})");
    Warnings warnings;
    const auto found = ReadMultiscales(attributes).Report(warnings);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(Paths(found[0]), (StringList{"big", "sub/small"}));
    EXPECT_EQ(found[0].levels[1].origin, "multiscales[0].datasets[1]");
    EXPECT_EQ(Paths(found[1]), StringList{""}) << "the group itself";
    EXPECT_TRUE(warnings.empty());
    EXPECT_EQ(FindLevels(found, "big").size(), 1U);
    EXPECT_TRUE(FindLevels(found, "other").empty());
}

TEST(Multiscales, OfZarrConventionsHaveAssets) {
    Warnings warnings;
    const json::Value attributes = Json(R"({"multiscales": {"layout": [
        {"asset": "0/data"}, {"group": "1", "derived_from": "0", "transform": {"scale": [2, 2]}}],
        "resampling_method": "average"}})");
    const auto found = ReadMultiscales(attributes).Report(warnings);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].kind, Multiscale::Kind::kLayout);
    EXPECT_EQ(Paths(found[0]), (StringList{"0/data", "1"}));
    EXPECT_TRUE(warnings.empty());
    EXPECT_TRUE(FindLevels(found, "1").empty()) << "a layout is not one of OME's";
    EXPECT_EQ(FindLevels(found, "1", Multiscale::Kind::kLayout).size(), 1U);
}

TEST(Multiscales, OfGeoZarrMayBeOnAGroup) {
    Warnings warnings;
    const auto found =
        ReadMultiscales(
            Json(
                R"({"multiscales": {"tile_matrix_set": {"tileMatrices": [{"id": "7"}, {"id": 8}]}}})"))
            .Report(warnings);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(Paths(found[0]), (StringList{"7", "8"}));
    EXPECT_TRUE(warnings.empty());
}

TEST(Multiscales, UnknownVersionsAreTried) {
    for (const char* version : {"\"0.9\"", "7", "[]"}) {
        Warnings warnings;
        const auto found = ReadMultiscales(Json(std::string(R"({"multiscales": [{"version": )") +
                                                version + R"(, "datasets": [{"path": "0"}]}]})"))
                               .Report(warnings);
        EXPECT_EQ(found.size(), 1U) << version;
        EXPECT_TRUE(WarnsOnce(warnings, {"multiscales[0].version", version, "unknown"}));
    }
    for (const char* version : {"\"0.1\"", "\"0.2\"", "\"0.3\"", "\"0.4\"", "null"}) {
        Warnings warnings;
        ReadMultiscales(Json(std::string(R"({"multiscales": [{"version": )") + version +
                             R"(, "datasets": [{"path": "0"}]}]})"))
            .Report(warnings);
        EXPECT_TRUE(warnings.empty()) << version;
    }
}

// An invalid `multiscales`, and the only warning that it gives.
struct Fault {
    const char* multiscales;
    const char* warning;
    std::size_t levels = 0;  // number of valid levels
};

class MultiscaleFaults : public testing::TestWithParam<Fault> {};

TEST_P(MultiscaleFaults, GiveAWarning) {
    Warnings warnings;
    const auto found =
        ReadMultiscales(Json(std::string("{\"multiscales\": ") + GetParam().multiscales + "}"))
            .Report(warnings);
    EXPECT_TRUE(WarnsOnce(warnings, {GetParam().warning})) << GetParam().multiscales;
    std::size_t levels = 0;
    for (const Multiscale& multiscale : found) levels += multiscale.levels.size();
    EXPECT_EQ(levels, GetParam().levels) << GetParam().multiscales;
}

INSTANTIATE_TEST_SUITE_P(
    All, MultiscaleFaults,
    testing::Values(
        Fault{"5", "multiscales: expected an array or an object, got 5"},
        Fault{"\"x\"", "multiscales: expected an array or an object"},
        Fault{"[5]", "multiscales[0]: expected an object, got 5"},
        Fault{"{}", "multiscales: has no datasets, layout or tile_matrix_set"},
        Fault{"[{}]", "multiscales[0]: has no datasets"},
        Fault{R"([{"datasets": null}])", "multiscales[0].datasets: expected an array, got null"},
        Fault{R"([{"datasets": {"path": "0"}}])", "multiscales[0].datasets: expected an array"},
        Fault{R"([{"datasets": []}])", "multiscales[0].datasets: is empty"},
        Fault{R"({"layout": []})", "multiscales.layout: is empty"},
        Fault{R"({"layout": "0"})", "multiscales.layout: expected an array"},
        Fault{R"([{"datasets": [7, {"path": "0"}]}])",
              "multiscales[0].datasets[0]: expected an object with \"path\", got 7", 1},
        Fault{R"([{"datasets": [{"path": 0}]}])",
              "multiscales[0].datasets[0].path: expected a string, got 0"},
        Fault{R"({"layout": [{"asset": {}}]})", "multiscales.layout[0].asset: expected a string"},
        Fault{R"([{"datasets": [{"path": "../b"}, {"path": "0"}]}])",
              "multiscales[0].datasets[0]: \"../b\" is not a path", 1},
        Fault{R"([{"datasets": [{"path": "a/../../b"}]}])", "is not a path"},
        Fault{R"([{"datasets": [{"path": "/0"}]}])", "is not a path"},
        Fault{R"([{"datasets": [{"path": "a//b"}]}])", "is not a path"},
        Fault{R"([{"datasets": [{"path": "a\\b"}]}])", "is not a path"},
        Fault{R"([{"datasets": [{"path": "a\u0000b"}]}])", "is not a path"},
        Fault{R"([{"datasets": [{"path": ""}]}])", "is not a path"},
        Fault{R"({"layout": [{"asset": "0", "transform": {"scale": [0, 2]}}]})",
              "multiscales.layout[0]: scale: expected numbers above 0, got [0, 2]", 1},
        Fault{R"({"layout": [{"asset": "0", "scale": [-1, 2]}]})", "numbers above 0", 1},
        Fault{R"({"layout": [{"asset": "0", "transform": {"scale": "2"}}]})", "numbers above 0", 1},
        Fault{R"({"tile_matrix_set": 5})", "multiscales.tile_matrix_set: expected a name"},
        Fault{R"({"tile_matrix_set": {}})", "multiscales.tile_matrix_set: expected a name"},
        Fault{R"({"tile_matrix_set": {"tileMatrices": 1}})",
              "tileMatrices: expected an object or a list of tile"},
        Fault{R"({"tile_matrix_set": {"tileMatrices": [{}, {"id": "1"}]}})",
              "tileMatrices[0]: expected a tile matrix with an id", 1},
        Fault{R"({"tile_matrix_set": "T", "tile_matrix_limits": 3})",
              "limits: expected an object or a list of tile"},
        Fault{R"({"tile_matrix_set": "T", "tile_matrix_limits": {"..": {}}})", "is not a path"}));

// Returns the JSON of a `multiscales` entry with `count` levels.
std::string List(std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
        text += (i > 0 ? ", {\"path\": \"" : "{\"path\": \"") + std::to_string(i) + "\"}";
    return "{\"datasets\": [" + text + "]}";
}

// Returns attributes whose `multiscales` repeats `item` `count` times.
json::Value Repeated(const std::string& item, int count) {
    std::string text = item;
    for (int i = 1; i < count; ++i) text.append(", ").append(item);
    return Json("{\"multiscales\": [" + text + "]}");
}

TEST(Multiscales, WithTooManyLevelsAreIgnored) {
    Warnings warnings;
    EXPECT_TRUE(ReadMultiscales(Repeated(List(kMaxPyramidLevels + 1), 1)).Report(warnings).empty());
    EXPECT_TRUE(WarnsOnce(warnings, {"multiscales[0].datasets", "exceed the maximum of 256"}));
}

TEST(Multiscales, ShareALimitOfLevels) {
    Warnings warnings;
    EXPECT_EQ(ReadMultiscales(Repeated(List(kMaxPyramidLevels), 5)).Report(warnings).size(), 4U);
    EXPECT_TRUE(WarnsOnce(warnings, {"multiscales[4]", "more than 1024 levels"}));
}

TEST(Multiscales, AreReadUpToALimit) {
    Warnings warnings;
    EXPECT_TRUE(ReadMultiscales(Repeated("5", 1000)).Report(warnings).empty());
    EXPECT_EQ(warnings.size(), 65U);
    EXPECT_NE(warnings[64].find("only the first 64 of 1000 entries are read"), std::string::npos);
}

}  // namespace
}  // namespace zarr

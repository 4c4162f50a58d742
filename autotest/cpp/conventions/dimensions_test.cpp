// SPDX-License-Identifier: MIT
#include "core/conventions/facts/dimensions.h"

#include "autotest/cpp/support/checks.h"
#include "core/conventions/attributes/axis_roles.h"

namespace zarr {
namespace {

using test::Json;
using StringList = std::vector<std::string>;

TEST(DimensionNames, AreThoseOfXarray) {
    Warnings warnings;
    EXPECT_EQ(FindDimensionNames(Json(R"({"_ARRAY_DIMENSIONS": ["time", "lat"]})"), 2)
                  .Report(warnings)
                  .names,
              (StringList{"time", "lat"}));
    EXPECT_EQ(FindDimensionNames(Json(R"({"_ARRAY_DIMENSIONS": []})"), 0).Report(warnings).names,
              StringList());
    EXPECT_EQ(FindDimensionNames(Json("{}"), 3).Report(warnings).names,
              (StringList{"dim0", "dim1", "dim2"}));
    EXPECT_TRUE(warnings.empty());
}

TEST(DimensionNames, OfWrongNumberGiveAWarning) {
    for (const char* value : {"[\"time\"]", "[\"a\", \"b\", \"c\"]", "[\"a\", 1]", "\"a b\"", "{}",
                              "[]", "[\"a\", \"b\", 3]", "3"}) {
        Warnings warnings;
        const std::string text = std::string("{\"_ARRAY_DIMENSIONS\": ") + value + "}";
        EXPECT_EQ(FindDimensionNames(Json(text), 2).Report(warnings).names,
                  (StringList{"dim0", "dim1"}))
            << value;
        ASSERT_EQ(warnings.size(), 1U) << value;
        EXPECT_EQ(warnings[0].rfind("attribute _ARRAY_DIMENSIONS: expected 2 names, got ", 0), 0U);
    }
}

TEST(AxisRoles, ComeFromAttributesInTheirOrder) {
    const std::pair<const char*, AxisRole> cases[] = {
        {R"({"axis": "X"})", AxisRole::kX},
        {R"({"axis": "y"})", AxisRole::kY},
        {R"({"axis": "Z"})", AxisRole::kZ},
        {R"({"axis": "T"})", AxisRole::kTime},
        {R"({"standard_name": "longitude"})", AxisRole::kX},
        {R"({"standard_name": "projection_y_coordinate"})", AxisRole::kY},
        {R"({"standard_name": "grid_longitude"})", AxisRole::kX},
        {R"({"standard_name": "time"})", AxisRole::kTime},
        {R"({"units": "degrees_east"})", AxisRole::kX},
        {R"({"units": "degree_E"})", AxisRole::kX},
        {R"({"units": "degreesN"})", AxisRole::kY},
        {R"({"axis": "X", "standard_name": "latitude", "units": "degrees_north"})", AxisRole::kX},
        {R"({"standard_name": "latitude", "units": "degrees_east"})", AxisRole::kY},
        {R"({"axis": "Q", "standard_name": "latitude"})", AxisRole::kY},
        {R"({"axis": 1, "standard_name": 2, "units": "m"})", AxisRole::kNone},
        {"{}", AxisRole::kNone},
    };
    for (const auto& [text, role] : cases) EXPECT_EQ(RoleFromAttributes(Json(text)), role) << text;
}

TEST(AxisRoles, ComeFromNamesInAnyCase) {
    for (const char* name : {"x", "X", "lon", "Longitude", "EASTING", "rlon"})
        EXPECT_EQ(RoleFromName(name), AxisRole::kX) << name;
    for (const char* name : {"y", "LAT", "Latitude", "northing", "rlat"})
        EXPECT_EQ(RoleFromName(name), AxisRole::kY) << name;
    EXPECT_EQ(RoleFromName("time"), AxisRole::kTime);
    for (const char* name : {"", "xx", "band", "dim0", "latin"})
        EXPECT_EQ(RoleFromName(name), AxisRole::kNone) << name;
}

TEST(AxisRoles, ComeFromPartsOfNames) {
    for (const char* name : {"x_geostationary", "X_osgb", "pixel_x", "GRID_X"})
        EXPECT_EQ(RoleFromPartOfName(name), AxisRole::kX) << name;
    for (const char* name : {"y_geostationary", "Y_osgb", "pixel_y", "grid_Y"})
        EXPECT_EQ(RoleFromPartOfName(name), AxisRole::kY) << name;
    for (const char* name : {"", "x", "_", "x1", "max", "box", "x-y", "ax_b", "y_x", "x_y"})
        EXPECT_EQ(RoleFromPartOfName(name), AxisRole::kNone) << name;
}

// Returns the indices of the Y and X axes as "Y X", with "-" for a missing axis. A dimension is
// "NAME", "NAME=ATTRIBUTES" in JSON, or "NAME=text" if its coordinates are texts.
std::string Axes(const StringList& dimensions) {
    std::vector<json::Value> attributes(dimensions.size());
    std::vector<DimensionFacts> facts;
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        const std::size_t equals = std::min(dimensions[i].find('='), dimensions[i].size());
        DimensionFacts fact;
        fact.name = dimensions[i].substr(0, equals);
        fact.size = 10 + i;
        if (equals < dimensions[i].size()) {
            const std::string its = dimensions[i].substr(equals + 1);
            fact.has_text_coordinates = its == "text";
            attributes[i] = Json(its == "text" ? "{}" : its);
            fact.coordinate_attributes = &attributes[i];
        }
        facts.push_back(fact);
    }
    const HorizontalAxes axes = FindHorizontalAxes(facts);
    const auto text = [](const std::optional<std::size_t>& axis) {
        return axis ? std::to_string(*axis) : std::string("-");
    };
    return text(axes.y) + " " + text(axes.x);
}

TEST(AxisRoles, NamesWithTheSameNumberAreXAndY) {
    EXPECT_EQ(Axes({"Y1", "X1", "S"}), "0 1");
    EXPECT_EQ(Axes({"x12", "y12", "time"}), "1 0");
    for (const StringList& names : {StringList{"x0", "x1"}, {"x1", "y2"}, {"y1", "z"}})
        EXPECT_EQ(Axes(names), "0 1") << names[0];
}

TEST(HorizontalAxes, AreFoundByName) {
    EXPECT_EQ(Axes({"time", "lat", "lon"}), "1 2");
    EXPECT_EQ(Axes({"x", "y"}), "1 0");
    EXPECT_EQ(Axes({"y", "x", "band"}), "0 1");
    EXPECT_EQ(Axes({"Lon", "level", "LAT"}), "2 0");
}

TEST(HorizontalAxes, AreFoundByAttributesBeforeNames) {
    EXPECT_EQ(Axes({R"(a={"axis": "X"})", R"(b={"axis": "Y"})", "c"}), "1 0");
    EXPECT_EQ(Axes({R"(x={"axis": "Y"})", R"(y={"axis": "X"})"}), "0 1");
    EXPECT_EQ(Axes({R"(u={"standard_name": "longitude"})", "t", R"(v={"units": "degrees_north"})"}),
              "2 0");
    EXPECT_EQ(Axes({"y", R"(i={"axis": "X"})", "k"}), "0 1") << "one each";
}

TEST(HorizontalAxes, AreTheLastTwoOtherwise) {
    EXPECT_EQ(Axes({"a", "b"}), "0 1");
    EXPECT_EQ(Axes({"a", "b", "c", "d"}), "2 3");
    EXPECT_EQ(Axes({"a", "b", "x"}), "1 2") << "one known, the other the last that is left";
    EXPECT_EQ(Axes({"a", "x", "b"}), "2 1");
    EXPECT_EQ(Axes({"y", "a", "b"}), "0 2");
}

TEST(HorizontalAxes, AreFoundByPartsOfNamesAfterWholeOnes) {
    EXPECT_EQ(Axes({"time", "y_geo", "x_geo", "variable"}), "1 2");
    EXPECT_EQ(Axes({"y", "x", "x_bnds", "y_bnds"}), "0 1");
    EXPECT_EQ(Axes({"grid_y", "a", "x"}), "0 2");
}

TEST(HorizontalAxes, AreNotDimensionsWithTextCoordinates) {
    EXPECT_EQ(Axes({"a", "b", "c=text"}), "0 1");
    EXPECT_EQ(Axes({"a", "x=text", "b"}), "0 2") << "whatever it is called";
    EXPECT_EQ(Axes({"a=text", "b", "c=text"}), "2 1") << "unless nothing else is left";
    EXPECT_EQ(Axes({"y=text", "x=text"}), "0 1");
    EXPECT_EQ(RoleOf({"x", 3, nullptr, AxisRole::kNone, true}), AxisRole::kNone);
    EXPECT_EQ(RoleOf({"time", 3, nullptr, AxisRole::kNone, true}), AxisRole::kTime);
}

TEST(HorizontalAxes, AreTheLastDimensionsWithARole) {
    EXPECT_EQ(Axes({"lat", "lon", "y", "x"}), "2 3");
}

TEST(HorizontalAxes, OfFewerDimensions) {
    EXPECT_EQ(Axes({}), "- -");
    EXPECT_EQ(Axes({"a"}), "- 0");
    EXPECT_EQ(Axes({"x"}), "- 0");
    EXPECT_EQ(Axes({"lat"}), "- 0");
}

TEST(HorizontalAxes, AreNeverOneDimension) {
    EXPECT_EQ(Axes({"t", R"(y={"axis": "X"})", "b"}), "2 1") << "its name says Y";
}

}  // namespace
}  // namespace zarr

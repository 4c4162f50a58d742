// SPDX-License-Identifier: MIT
#include "core/conventions/cf/cf_grid_mapping.h"

#include <gtest/gtest.h>

namespace zarr {

namespace {

struct ReadMapping {
    Result<CfGridMapping> mapping = Status::Invalid("not read");
    Warnings warnings;
};

ReadMapping Parse(const json::Value& attributes) {
    ReadMapping read;
    read.mapping = ParseCfGridMapping(attributes, read.warnings);
    return read;
}

ReadMapping Parse(std::string_view text) {
    auto attributes = json::Parse(text);
    EXPECT_TRUE(attributes.ok()) << text;
    return Parse(attributes.ok() ? *attributes : json::Value());
}

// Each grid mapping of appendix F of the CF conventions, with all its required attributes.
const char* const kComplete[] = {
    R"({"grid_mapping_name": "albers_conical_equal_area", "standard_parallel": [30, 60],
        "longitude_of_central_meridian": 10, "latitude_of_projection_origin": 45})",
    R"({"grid_mapping_name": "azimuthal_equidistant", "longitude_of_projection_origin": 10,
        "latitude_of_projection_origin": 45})",
    R"({"grid_mapping_name": "geostationary", "longitude_of_projection_origin": 10,
        "perspective_point_height": 35785831, "sweep_angle_axis": "x"})",
    R"({"grid_mapping_name": "lambert_azimuthal_equal_area", "longitude_of_projection_origin": 10,
        "latitude_of_projection_origin": 45})",
    R"({"grid_mapping_name": "lambert_conformal_conic", "standard_parallel": 45,
        "longitude_of_central_meridian": 10, "latitude_of_projection_origin": 45})",
    R"({"grid_mapping_name": "lambert_cylindrical_equal_area", "standard_parallel": 30,
        "longitude_of_central_meridian": 10})",
    R"({"grid_mapping_name": "latitude_longitude"})",
    R"({"grid_mapping_name": "mercator", "longitude_of_projection_origin": 10,
        "standard_parallel": 30})",
    R"({"grid_mapping_name": "oblique_mercator", "azimuth_of_central_line": 30,
        "longitude_of_projection_origin": 10, "latitude_of_projection_origin": 45,
        "scale_factor_at_projection_origin": 0.9})",
    R"({"grid_mapping_name": "orthographic", "longitude_of_projection_origin": 10,
        "latitude_of_projection_origin": 45})",
    R"({"grid_mapping_name": "polar_stereographic", "longitude_of_projection_origin": 10,
        "latitude_of_projection_origin": 90, "standard_parallel": 70})",
    R"({"grid_mapping_name": "rotated_latitude_longitude", "grid_north_pole_latitude": 39.25,
        "grid_north_pole_longitude": -162})",
    R"({"grid_mapping_name": "sinusoidal", "longitude_of_projection_origin": 10})",
    R"({"grid_mapping_name": "stereographic", "longitude_of_projection_origin": 10,
        "latitude_of_projection_origin": 45, "scale_factor_at_projection_origin": 0.9})",
    R"({"grid_mapping_name": "transverse_mercator", "scale_factor_at_central_meridian": 0.9996,
        "longitude_of_central_meridian": 10, "latitude_of_projection_origin": 0})",
    R"({"grid_mapping_name": "vertical_perspective", "longitude_of_projection_origin": 10,
        "latitude_of_projection_origin": 45, "perspective_point_height": 5000000})",
};

TEST(CfGridMapping, ReadsEveryProjection) {
    for (const char* text : kComplete) {
        const ReadMapping read = Parse(text);
        ASSERT_TRUE(read.mapping.ok()) << read.mapping.status().message();
        EXPECT_TRUE(read.warnings.empty()) << text << read.warnings[0];
    }
}

TEST(CfGridMapping, FailsOrWarnsIfAParameterIsMissing) {
    for (const char* text : kComplete) {
        const json::Object whole = *json::Parse(text)->as_object();
        for (std::size_t i = 1; i < whole.size(); ++i) {
            json::Object part = whole;
            part.erase(part.begin() + static_cast<std::ptrdiff_t>(i));
            const ReadMapping read = Parse(json::Value(std::move(part)));
            const std::string& name = whole[i].first;
            if (name == "sweep_angle_axis" || name.rfind("scale_factor", 0) == 0 ||
                (name == "standard_parallel" &&
                 whole[0].second.as_string()->find("conic") == std::string::npos)) {
                EXPECT_TRUE(read.mapping.ok()) << text << name;
                ASSERT_EQ(read.warnings.size(), 1U) << text << name;
            } else if (name == "latitude_of_projection_origin" &&
                       *whole[0].second.as_string() == "polar_stereographic") {
                ASSERT_EQ(read.warnings.size(), 1U);
                // Without the latitude of the origin, the pole in the hemisphere of the standard
                // parallel is assumed.
                EXPECT_EQ(read.mapping->origin_latitude, 90);
            } else {
                ASSERT_FALSE(read.mapping.ok()) << text << name;
                EXPECT_EQ(read.mapping.status().code(), StatusCode::kCorrupt);
                EXPECT_NE(read.mapping.status().message().find(name), std::string::npos)
                    << read.mapping.status().message();
            }
        }
    }
}

TEST(CfGridMapping, InvalidNumbersCountAsMissing) {
    for (const char* text : kComplete) {
        const json::Object whole = *json::Parse(text)->as_object();
        for (std::size_t i = 1; i < whole.size(); ++i)
            for (const char* bad : {"\"north\"", "[]", "[1, 2, 3]", "{}", "1e300", "NaN", "true"}) {
                json::Object broken = whole;
                broken[i].second = json::Parse(bad).Take();
                const ReadMapping read = Parse(json::Value(std::move(broken)));
                ASSERT_FALSE(read.warnings.empty()) << text << whole[i].first << bad;
                EXPECT_EQ(read.warnings[0].rfind("attribute " + whole[i].first + ": ", 0), 0U)
                    << read.warnings[0];
            }
    }
}

TEST(CfGridMapping, ReadsTheParameters) {
    const ReadMapping read = Parse(
        R"({"grid_mapping_name": "transverse_mercator", "scale_factor_at_central_meridian": [0.9996],
            "longitude_of_central_meridian": "9.0", "latitude_of_projection_origin": 1,
            "false_easting": 500000, "false_northing": -2.5, "earth_radius": 6371229,
            "projected_crs_name": "somewhere"})");
    ASSERT_TRUE(read.mapping.ok());
    const CfGridMapping& mapping = *read.mapping;
    EXPECT_EQ(mapping.name, "transverse_mercator");
    EXPECT_EQ(mapping.scale_factor, 0.9996);
    EXPECT_EQ(mapping.origin_longitude, 9);
    EXPECT_EQ(mapping.origin_latitude, 1);
    EXPECT_EQ(mapping.false_easting, 500000);
    EXPECT_EQ(mapping.false_northing, -2.5);
    EXPECT_EQ(mapping.earth.ellipsoid->semi_major_axis, 6371229);
    EXPECT_EQ(mapping.projected_crs_name, "somewhere");
    EXPECT_TRUE(read.warnings.empty());
}

TEST(CfGridMapping, ReadsStandardParallelsHoweverTheyAreWritten) {
    const auto parallels = [](const std::string& value) {
        const ReadMapping read = Parse(R"({"grid_mapping_name": "lambert_conformal_conic",
            "longitude_of_central_meridian": 0, "latitude_of_projection_origin": 0,
            "standard_parallel": )" + value +
                                       "}");
        return read.mapping.ok() ? read.mapping->standard_parallels : std::vector<double>{};
    };
    using List = std::vector<double>;
    EXPECT_EQ(parallels("30"), (List{30}));
    EXPECT_EQ(parallels("[30]"), (List{30}));
    EXPECT_EQ(parallels("[30, 60]"), (List{30, 60}));
    EXPECT_EQ(parallels("\"30\""), (List{30}));
    EXPECT_EQ(parallels("\"30 60\""), (List{30, 60}));
    EXPECT_EQ(parallels("\"30, 60\""), (List{30, 60}));
    EXPECT_EQ(parallels("[\"30\", 60.0]"), (List{30, 60}));
    EXPECT_EQ(parallels("[30, 91]"), List{});
    EXPECT_EQ(parallels("[30, 60, 70]"), List{});
}

TEST(CfGridMapping, TakesSynonyms) {
    const auto longitude = [](const char* text, std::size_t warnings) {
        const ReadMapping read = Parse(text);
        EXPECT_TRUE(read.mapping.ok());
        EXPECT_EQ(read.warnings.size(), warnings) << text;
        return read.mapping.ok() ? read.mapping->origin_longitude : -999;
    };
    EXPECT_EQ(longitude(R"({"grid_mapping_name": "sinusoidal",
                            "longitude_of_central_meridian": 5})",
                        0),
              5);
    EXPECT_EQ(longitude(R"({"grid_mapping_name": "sinusoidal", "longitude_of_central_meridian": 5,
                            "longitude_of_projection_origin": 6})",
                        1),
              6);
    EXPECT_EQ(longitude(R"({"grid_mapping_name": "polar_stereographic", "standard_parallel": -71,
                            "straight_vertical_longitude_from_pole": -45,
                            "latitude_of_projection_origin": -90})",
                        0),
              -45);
    EXPECT_EQ(longitude(R"({"grid_mapping_name": "polar_stereographic", "standard_parallel": -71,
                            "straight_vertical_longitude_from_pole": -45,
                            "longitude_of_projection_origin": 0,
                            "latitude_of_projection_origin": -90})",
                        1),
              -45);
}

TEST(CfGridMapping, ReadsTheSweepAxisFromEitherAngleAxis) {
    const auto sweep = [](const std::string& members, std::size_t warnings) {
        const ReadMapping read = Parse(R"({"grid_mapping_name": "geostationary",
            "longitude_of_projection_origin": 0, "perspective_point_height": 1e7)" +
                                       members + "}");
        EXPECT_TRUE(read.mapping.ok());
        EXPECT_EQ(read.warnings.size(), warnings) << members;
        return read.mapping.ok() ? read.mapping->sweep_angle_axis : '?';
    };
    EXPECT_EQ(sweep(R"(, "sweep_angle_axis": "x")", 0), 'x');
    EXPECT_EQ(sweep(R"(, "sweep_angle_axis": "Y")", 0), 'y');
    EXPECT_EQ(sweep(R"(, "fixed_angle_axis": "y")", 0), 'x');
    EXPECT_EQ(sweep(R"(, "fixed_angle_axis": "X")", 0), 'y');
    EXPECT_EQ(sweep(R"(, "fixed_angle_axis": "y", "sweep_angle_axis": "x")", 0), 'x');
    EXPECT_EQ(sweep(R"(, "fixed_angle_axis": "x", "sweep_angle_axis": "x")", 1), 'x');
    EXPECT_EQ(sweep("", 1), 'y');
    EXPECT_EQ(sweep(R"(, "sweep_angle_axis": 1, "fixed_angle_axis": "y")", 1), 'x');
    EXPECT_EQ(sweep(R"(, "sweep_angle_axis": "x", "latitude_of_projection_origin": 0)", 0), 'x');
    EXPECT_EQ(sweep(R"(, "sweep_angle_axis": "x", "latitude_of_projection_origin": 5)", 1), 'x');
}

TEST(CfGridMapping, FindsThePole) {
    const auto polar = [](const std::string& members) {
        return Parse(R"({"grid_mapping_name": "polar_stereographic",
            "longitude_of_projection_origin": 0)" +
                     members + "}");
    };
    ReadMapping read = polar(R"(, "latitude_of_projection_origin": -90, "standard_parallel": -71)");
    EXPECT_EQ(read.mapping->origin_latitude, -90);
    EXPECT_TRUE(read.warnings.empty());
    // The mapping states the latitude of true scale, -71, as the latitude of the origin. The south
    // pole must be assumed as the origin.
    read = polar(R"(, "latitude_of_projection_origin": -71)");
    EXPECT_EQ(read.mapping->origin_latitude, -90);
    EXPECT_EQ(read.mapping->standard_parallels, std::vector<double>{-71});
    EXPECT_FALSE(read.mapping->scale_factor);
    EXPECT_EQ(read.warnings.size(), 1U);
    read = polar(R"(, "latitude_of_projection_origin": 60,
                      "scale_factor_at_projection_origin": 0.994)");
    EXPECT_EQ(read.mapping->origin_latitude, 90);
    EXPECT_EQ(read.mapping->scale_factor, 0.994);
    EXPECT_EQ(read.warnings.size(), 1U);
    EXPECT_FALSE(polar("").mapping.ok());
    EXPECT_FALSE(polar(R"(, "latitude_of_projection_origin": 0)").mapping.ok());
}

TEST(CfGridMapping, StandardParallelOverridesScale) {
    ReadMapping read =
        Parse(R"({"grid_mapping_name": "mercator", "longitude_of_projection_origin": 0,
        "standard_parallel": 20, "scale_factor_at_projection_origin": 0.9})");
    EXPECT_EQ(read.mapping->standard_parallels, std::vector<double>{20});
    EXPECT_FALSE(read.mapping->scale_factor);
    EXPECT_EQ(read.warnings.size(), 1U);
    read = Parse(R"({"grid_mapping_name": "mercator", "longitude_of_projection_origin": 0,
        "standard_parallel": 0, "scale_factor_at_projection_origin": 1})");
    EXPECT_TRUE(read.warnings.empty());
}

TEST(CfGridMapping, RefusesInvalidGridMappings) {
    EXPECT_EQ(Parse("{}").mapping.status().code(), StatusCode::kCorrupt);
    EXPECT_EQ(Parse("null").mapping.status().code(), StatusCode::kCorrupt);
    EXPECT_EQ(Parse("[1]").mapping.status().code(), StatusCode::kCorrupt);
    EXPECT_EQ(Parse(R"({"grid_mapping_name": 5})").mapping.status().code(), StatusCode::kCorrupt);
    for (const char* name : {"\"\"", "\"healpix\"", "\"mercator2\"", "\"\\u0000\""})
        EXPECT_EQ(
            Parse("{\"grid_mapping_name\": " + std::string(name) + "}").mapping.status().code(),
            StatusCode::kUnsupported)
            << name;
    // Some files write the value of `grid_mapping_name` with capitals and trailing spaces.
    EXPECT_TRUE(Parse(R"({"grid_mapping_name": "Latitude_Longitude "})").mapping.ok());
}

}  // namespace

}  // namespace zarr

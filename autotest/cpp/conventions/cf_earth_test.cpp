// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "core/conventions/cf/cf_grid_mapping.h"

namespace zarr {

namespace {

struct Read {
    CfEarth earth;
    Warnings warnings;
};

Read Earth(std::string_view text) {
    auto attributes = json::Parse(text);
    EXPECT_TRUE(attributes.ok()) << text;
    Read read;
    if (attributes.ok()) read.earth = ParseCfEarth(*attributes, read.warnings);
    return read;
}

// Expects exactly one warning. It names the attribute.
void ExpectWarning(const Read& read, const std::string& attribute) {
    ASSERT_EQ(read.warnings.size(), 1U);
    EXPECT_EQ(read.warnings[0].rfind("attribute " + attribute + ": ", 0), 0U) << read.warnings[0];
}

void ExpectEllipsoid(std::string_view text, double major, double inverse, const char* name = "") {
    const Read read = Earth(text);
    ASSERT_TRUE(read.earth.ellipsoid) << text;
    EXPECT_DOUBLE_EQ(read.earth.ellipsoid->semi_major_axis, major) << text;
    EXPECT_NEAR(read.earth.ellipsoid->inverse_flattening, inverse, 1e-9) << text;
    EXPECT_EQ(read.earth.ellipsoid_name, name) << text;
    EXPECT_TRUE(read.warnings.empty()) << text << ": " << read.warnings[0];
}

TEST(CfEarth, ReadsEveryPairOfAxes) {
    ExpectEllipsoid(R"({"semi_major_axis": 6378137, "inverse_flattening": 298.257223563})", 6378137,
                    298.257223563, "WGS 84");
    ExpectEllipsoid(R"({"semi_major_axis": [6378137.0], "inverse_flattening": "298.257222101"})",
                    6378137, 298.257222101, "GRS 1980");
    ExpectEllipsoid(R"({"semi_major_axis": 6378137, "semi_minor_axis": 6356752.314245})", 6378137,
                    298.257223563, "WGS 84");
    ExpectEllipsoid(R"({"semi_major_axis": 6378137, "semi_minor_axis": 6356752.31414})", 6378137,
                    298.257222101, "GRS 1980");
    ExpectEllipsoid(R"({"semi_major_axis": 6377563.396, "semi_minor_axis": 6356256.909237})",
                    6377563.396, 299.3249646, "Airy 1830");
    ExpectEllipsoid(R"({"semi_minor_axis": 6300000, "inverse_flattening": 300})",
                    6300000 / (1 - 1 / 300.0), 300);
    ExpectEllipsoid(R"({"semi_major_axis": 6378137})", 6378137, 0);
    ExpectEllipsoid(R"({"semi_major_axis": 6378137, "semi_minor_axis": 6378137})", 6378137, 0);
    ExpectEllipsoid(R"({"semi_major_axis": 6378137, "inverse_flattening": 0})", 6378137, 0);
    ExpectEllipsoid(R"({"semi_major_axis": 6378137, "inverse_flattening": Infinity})", 6378137, 0);
    ExpectEllipsoid(R"({"earth_radius": 6371229})", 6371229, 0);
    ExpectEllipsoid(R"({"radius_of_sphere": 6371229})", 6371229, 0);
    ExpectEllipsoid(R"({"radius_of_sphere": 6371, "earth_radius": 6371229})", 6371229, 0);
    ExpectEllipsoid(R"({"earth_radius": 6371229, "semi_major_axis": 6371229})", 6371229, 0);
}

TEST(CfEarth, KnowsEllipsoidsByName) {
    ExpectEllipsoid(R"({"reference_ellipsoid_name": "GRS 1980"})", 6378137, 298.257222101,
                    "GRS 1980");
    ExpectEllipsoid(R"({"reference_ellipsoid_name": "Clarke_1866"})", 6378206.4, 294.9786982139006,
                    "Clarke 1866");
    // The stated flattening is that of WGS 84, rounded to float32.
    ExpectEllipsoid(R"({"reference_ellipsoid_name": "WGS 84", "semi_major_axis": 6378137,
                        "inverse_flattening": 298.2572326660156})",
                    6378137, 298.257223563, "WGS 84");
    ExpectEllipsoid(R"({"reference_ellipsoid_name": "Mars", "semi_major_axis": 3396190})", 3396190,
                    0, "Mars");
    EXPECT_FALSE(Earth(R"({"reference_ellipsoid_name": "of nobody"})").earth.ellipsoid);
    EXPECT_FALSE(Earth("{}").earth.ellipsoid);
}

TEST(CfEarth, WarnsOfContradictions) {
    Read read = Earth(R"({"reference_ellipsoid_name": "GRS 1980", "earth_radius": 6371229})");
    ExpectWarning(read, "reference_ellipsoid_name");
    EXPECT_EQ(read.earth.ellipsoid->semi_major_axis, 6371229);
    EXPECT_EQ(read.earth.ellipsoid_name, "");

    read = Earth(R"({"semi_major_axis": 6378137, "semi_minor_axis": 6356752.3,
                     "inverse_flattening": 290})");
    ExpectWarning(read, "semi_minor_axis");
    EXPECT_EQ(read.earth.ellipsoid->inverse_flattening, 290);

    read = Earth(R"({"semi_major_axis": 6378137, "inverse_flattening": 298.257223563,
                     "earth_radius": 6400000})");
    ExpectWarning(read, "earth_radius");

    read = Earth(R"({"semi_major_axis": 6350000, "semi_minor_axis": 6378137})");
    ExpectWarning(read, "semi_minor_axis");
    EXPECT_EQ(read.earth.ellipsoid->inverse_flattening, 0);
}

TEST(CfEarth, WarnsOfInvalidNumbers) {
    for (const char* name :
         {"semi_major_axis", "semi_minor_axis", "earth_radius", "inverse_flattening"})
        for (const char* value : {"\"long\"", "[1, 2]", "{}", "-1", "NaN", "true"}) {
            const Read read = Earth("{\"" + std::string(name) + "\": " + value + "}");
            ExpectWarning(read, name);
            EXPECT_FALSE(read.earth.ellipsoid);
        }
    ExpectWarning(Earth(R"({"inverse_flattening": 0.0033})"), "inverse_flattening");
    const Read kilometres = Earth(R"({"earth_radius": 6371.229})");
    ExpectWarning(kilometres, "earth_radius");
    EXPECT_DOUBLE_EQ(kilometres.earth.ellipsoid->semi_major_axis, 6371229);
}

TEST(CfEarth, ReadsThePrimeMeridian) {
    const Read none = Earth("{}");
    EXPECT_EQ(none.earth.prime_meridian, 0);
    EXPECT_FALSE(none.earth.prime_meridian_is_given);

    const Read number = Earth(R"({"longitude_of_prime_meridian": 2.5})");
    EXPECT_EQ(number.earth.prime_meridian, 2.5);
    EXPECT_TRUE(number.earth.prime_meridian_is_given);

    const Read name = Earth(R"({"prime_meridian_name": "Paris"})");
    EXPECT_EQ(name.earth.prime_meridian, 2.33722917);
    EXPECT_TRUE(name.warnings.empty());

    const Read both =
        Earth(R"({"prime_meridian_name": "Paris", "longitude_of_prime_meridian": 2.337229})");
    EXPECT_EQ(both.earth.prime_meridian, 2.337229);
    EXPECT_EQ(both.earth.prime_meridian_name, "Paris");

    const Read wrong =
        Earth(R"({"prime_meridian_name": "Paris", "longitude_of_prime_meridian": 0.0})");
    ExpectWarning(wrong, "prime_meridian_name");
    EXPECT_EQ(wrong.earth.prime_meridian, 0);
    EXPECT_EQ(wrong.earth.prime_meridian_name, "");

    ExpectWarning(Earth(R"({"prime_meridian_name": "Atlantis"})"), "prime_meridian_name");
    ExpectWarning(Earth(R"({"longitude_of_prime_meridian": 1000})"), "longitude_of_prime_meridian");
    ExpectWarning(Earth(R"({"longitude_of_prime_meridian": NaN})"), "longitude_of_prime_meridian");
}

TEST(CfEarth, ReadsTheDatum) {
    const Read read = Earth(R"({"horizontal_datum_name": "OSGB_1936", "towgs84": [1, 2, 3],
                                "geographic_crs_name": "OSGB36"})");
    EXPECT_EQ(read.earth.datum_name, "OSGB_1936");
    EXPECT_EQ(read.earth.geographic_crs_name, "OSGB36");
    EXPECT_EQ(read.earth.to_wgs84, (std::vector<double>{1, 2, 3, 0, 0, 0, 0}));
    EXPECT_EQ(Earth(R"({"towgs84": "1,2,3,4,5,6,7"})").earth.to_wgs84,
              (std::vector<double>{1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(Earth(R"({"towgs84": ["1", 2, 3, 4, 5, 6]})").earth.to_wgs84.size(), 7U);
    for (const char* value :
         {"[1, 2]", "[1, 2, 3, 4, 5, 6, 7, 8]", "\"1 2 x\"", "{}", "[1, [2], 3]", "[NaN, 2, 3]"}) {
        const Read bad = Earth("{\"towgs84\": " + std::string(value) + "}");
        ExpectWarning(bad, "towgs84");
        EXPECT_TRUE(bad.earth.to_wgs84.empty()) << value;
    }
}

}  // namespace

}  // namespace zarr

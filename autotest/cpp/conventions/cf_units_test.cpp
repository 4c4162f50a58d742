// SPDX-License-Identifier: MIT
#include "core/conventions/cf/cf_units.h"

#include <gtest/gtest.h>

namespace zarr {

namespace {

struct Case {
    std::string text;
    SpaceUnit::Kind kind;
    double factor;
    std::string name;
};

constexpr auto kLength = SpaceUnit::Kind::kLength;
constexpr auto kAngle = SpaceUnit::Kind::kAngle;

TEST(CfUnits, KnowsTheSpellings) {
    const Case cases[] = {
        {"m", kLength, 1, "metre"},
        {"metre", kLength, 1, "metre"},
        {"Meters", kLength, 1, "metre"},
        {" metres ", kLength, 1, "metre"},
        {"M", kLength, 1, "metre"},
        {"km", kLength, 1000, "kilometre"},
        {"KM", kLength, 1000, "kilometre"},
        {"kilometers", kLength, 1000, "kilometre"},
        {"1000 m", kLength, 1000, "kilometre"},
        {"1e3 m", kLength, 1000, "kilometre"},
        {"1000m", kLength, 1000, "kilometre"},
        {"0.001 km", kLength, 1, "metre"},
        {"10 km", kLength, 10000, "10 km"},
        {"cm", kLength, 0.01, "centimetre"},
        {"foot", kLength, 0.3048, "foot"},
        {"feet", kLength, 0.3048, "foot"},
        {"US survey foot", kLength, 1200.0 / 3937, "US survey foot"},
        {"US_survey_foot", kLength, 1200.0 / 3937, "US survey foot"},
        {"us_survey_feet", kLength, 1200.0 / 3937, "US survey foot"},
        {"us-ft", kLength, 1200.0 / 3937, "US survey foot"},
        {"Foot_US", kLength, 1200.0 / 3937, "US survey foot"},
        {"nautical mile", kLength, 1852, "nautical mile"},
        {"rad", kAngle, 1, "radian"},
        {"radians", kAngle, 1, "radian"},
        {"1e-6 rad", kAngle, 1e-6, "1e-6 rad"},
        {"microradian", kAngle, 1e-6, "microradian"},
        {"\xc2\xb5rad", kAngle, 1e-6, "microradian"},
        {"degrees", kAngle, kRadiansPerDegree, "degree"},
        {"degree", kAngle, kRadiansPerDegree, "degree"},
        {"degrees_east", kAngle, kRadiansPerDegree, "degree"},
        {"degree_north", kAngle, kRadiansPerDegree, "degree"},
        {"degreesE", kAngle, kRadiansPerDegree, "degree"},
        {"degree_N", kAngle, kRadiansPerDegree, "degree"},
        {"\xc2\xb0", kAngle, kRadiansPerDegree, "degree"},
        {"arcsec", kAngle, kRadiansPerDegree / 3600, "arc-second"},
    };
    for (const Case& c : cases) {
        const auto unit = ParseSpaceUnit(c.text);
        ASSERT_TRUE(unit) << c.text;
        EXPECT_EQ(unit->kind, c.kind) << c.text;
        EXPECT_DOUBLE_EQ(unit->factor, c.factor) << c.text;
        EXPECT_EQ(unit->name, c.name) << c.text;
    }
}

TEST(CfUnits, RefusesOtherUnitsThanOfLength) {
    const std::string texts[] = {
        "",        "1",   "banana",  "K",        "m s-1", "m2",       "m/s",
        "m.m",     "m*m", "Mm",      "Mrad",     "ms",    "s",        "kg m",
        "-5 m",    "0 m", "1e999 m", "nan m",    "1000",  "m 10",     "\xff\xfe",
        "\xffrad", "e",   "- m",     "degrees%", "()",    "1e308 km", std::string("m\0x", 3)};
    for (const std::string& text : texts) EXPECT_FALSE(ParseSpaceUnit(text)) << text;
    EXPECT_FALSE(ParseSpaceUnit(std::string(100000, 'm')));
    EXPECT_FALSE(ParseSpaceUnit(std::string(50, '9') + std::string(50, ' ') + "m"));
}

}  // namespace

}  // namespace zarr

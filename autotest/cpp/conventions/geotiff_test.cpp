// SPDX-License-Identifier: MIT
#include "core/conventions/crs/geotiff.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/conventions/facts/tiff_tags.h"

namespace zarr {
namespace {

GeoTiffTags Tags(const std::string& json) {
    auto parsed = json::Parse(json);
    EXPECT_TRUE(parsed.ok()) << json;
    GeoTiffTags tags;
    if (parsed.ok()) tags.attributes = parsed.Take();
    return tags;
}

TEST(GeoTiff, NamesOfBothWritersAreTags) {
    for (const char* name : {"ProjLinearUnitsGeoKey", "ModelTiepoint", "KeyRevision", "model_type",
                             "projected_type", "proj_std_parallel1", "geog_inv_flattening"})
        EXPECT_TRUE(IsGeoTiffTag(name)) << name;
    for (const char* name : {"GeoKey", "citation", "projection", "proj:code", "model", "projected"})
        EXPECT_FALSE(IsGeoTiffTag(name)) << name;
}

TEST(GeoTiff, NamesOfGeoTiff11AreFound) {
    const GeoTiffTags tags = Tags(R"({"GTModelTypeGeoKey": 1, "ProjectedCRSGeoKey": 25832})");
    const auto sources = ReadGeoTiffCrs(tags);
    ASSERT_EQ(sources.size(), 1U);
    EXPECT_EQ(sources[0].text, "EPSG:25832");
    EXPECT_EQ(sources[0].origin, "attribute ProjectedCRSGeoKey");
}

TEST(GeoTiff, TransformsOfLevelsKeepTheExtent) {
    GeoTiffTags tags = Tags(
        R"({"ModelPixelScale": [2, -4, 0], "ModelTiepoint": [10, 5, 0, 100, 200, 0],
            "GTRasterTypeGeoKey": 2})");
    tags.x_factor = 2;
    tags.y_factor = 3;
    Warnings warnings;
    const auto source = ReadGeoTiffTransform(tags, warnings);
    ASSERT_TRUE(source);
    EXPECT_EQ(source->transform, (GeoTransform{79, 4, 0, 222, 0, -12}));
    EXPECT_TRUE(warnings.empty());
}

TEST(GeoTiff, ZonesOfUtmAreTransverseMercator) {
    const auto sources = ReadGeoTiffCrs(Tags(
        R"({"model_type": 1, "projected_type": 32767, "geographic_type": 4267, "projection": 16133})"));
    ASSERT_EQ(sources.size(), 1U);
    EXPECT_EQ(sources[0].kind, CrsSource::Kind::kGridMapping);
    EXPECT_EQ(*StringAttribute(sources[0].attributes, "geographic_crs_name"), "EPSG:4267");
    EXPECT_EQ(NumberAttribute(sources[0].attributes, "longitude_of_central_meridian").value, 15);
    EXPECT_EQ(NumberAttribute(sources[0].attributes, "false_northing").value, 1e7);
}

TEST(GeoTiff, WktOfEsriIsText) {
    const auto sources = ReadGeoTiffCrs(Tags(
        R"({"GTModelTypeGeoKey": 1, "ProjectedCSTypeGeoKey": 32767,
            "GTCitationGeoKey": "ESRI PE String = PROJCS[\"a\"]"})"));
    ASSERT_EQ(sources.size(), 1U);
    EXPECT_EQ(sources[0].text, "PROJCS[\"a\"]");
}

TEST(GeoTiff, GeoKeysThatAreNotSupportedAreNamed) {
    struct Case {
        const char* more;
        const char* name;
    };
    const Case cases[] = {
        {R"("ProjCoordTransGeoKey": 18)", "ProjCoordTransGeoKey"},
        {R"("ProjCoordTransGeoKey": 10, "ProjLinearUnitsGeoKey": 9005)", "ProjLinearUnitsGeoKey"},
        {R"("ProjCoordTransGeoKey": 10, "ProjFalseEastingGeoKey": "x")", "ProjFalseEastingGeoKey"},
        {R"("ProjCoordTransGeoKey": 10, "GeogAngularUnitsGeoKey": 9105)", "GeogAngularUnitsGeoKey"},
        {R"("ProjCoordTransGeoKey": 10, "GeographicTypeGeoKey": 32767)", "GeographicTypeGeoKey"},
        {R"("ProjCoordTransGeoKey": 7, "ProjNatOriginLatGeoKey": 3)", "ProjNatOriginLatGeoKey"},
        {R"("ProjCoordTransGeoKey": 9815, "ProjAzimuthAngleGeoKey": 3,
             "ProjRectifiedGridAngleGeoKey": 4)",
         "ProjRectifiedGridAngleGeoKey"},
        {R"("KeyRevision": 1)", "ProjCoordTransGeoKey"},
    };
    for (const Case& item : cases) {
        const bool has_base = std::string(item.more).find("GeographicType") == std::string::npos;
        const auto sources = ReadGeoTiffCrs(
            Tags(std::string(R"({"GTModelTypeGeoKey": 1, "ProjectedCSTypeGeoKey": 32767, )") +
                 (has_base ? R"("GeographicTypeGeoKey": 4326, )" : "") + item.more + "}"));
        ASSERT_EQ(sources.size(), 1U) << item.more;
        EXPECT_EQ(sources[0].kind, CrsSource::Kind::kBroken) << item.more;
        EXPECT_NE(sources[0].text.find(item.name), std::string::npos) << sources[0].text;
    }
}

}  // namespace
}  // namespace zarr

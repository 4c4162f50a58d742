// SPDX-License-Identifier: MIT
// Tests of CRS texts from a store, before PROJ parses them.
#include "core/conventions/crs/crs_text.h"

#include <string>

#include "autotest/cpp/support/checks.h"

namespace zarr {
namespace {

using test::Succeeds;

std::string Safe(const std::string& text, std::size_t warned = 0) {
    Warnings warnings;
    const auto safe = SafeCrsText(text).Report(warnings);
    EXPECT_TRUE(Succeeds(safe)) << text;
    EXPECT_EQ(warnings.size(), warned) << text;
    return safe.ok() ? *safe : std::string();
}

TEST(CrsText, WithoutFileNamesIsUnchanged) {
    for (const char* text :
         {"EPSG:32632", "epsg:4326+5773", "IAU_2015:30100", "IAU:2015:30100", "OGC:CRS84",
          "urn:ogc:def:crs:EPSG::4326", "urn:ogc:def:crs,crs:EPSG::27700,crs:EPSG::5701",
          "http://www.opengis.net/def/crs/EPSG/0/32632", "WGS84", "AUTO:42001,9,50", "IGNF:LAMB93",
          R"(GEOGCS["a ""[b], EXTENSION[""PROJ4_GRIDS"",""/x""]"" c",DATUM["d"]])",
          R"(PROJCRS["a", ID["EPSG",1]])", R"(GEOGCS("a",EXTENSION("PROJ4_GRIDS","@null")))",
          R"(PROJCS["m",EXTENSION["PROJ4","+proj=merc +a=1 +nadgrids=@null +wktext"]])",
          R"(LOCAL_CS["x",EXTENSION["other","/path"]])",
          R"({"type": "GeographicCRS", "$schema": "https://proj.org/x", "id": {"code": 1}})",
          R"({"parameters": [{"name": "file", "value": "@null"}, {"value": 3}]})"})
        EXPECT_EQ(Safe(text), text);
}

TEST(CrsText, SurroundingSpacesAreRemoved) { EXPECT_EQ(Safe(" \nEPSG:1 "), "EPSG:1"); }

TEST(CrsText, ProjStringsAreFiltered) {
    EXPECT_EQ(Safe("+proj=utm +zone=32  +south\t+datum=WGS84 +units=m +no_defs"),
              "+proj=utm +zone=32 +south +datum=WGS84 +units=m +no_defs");
    EXPECT_EQ(Safe("proj=merc a=6378137 nadgrids=@null lat_ts=12d30'N"),
              "+proj=merc +a=6378137 +nadgrids=@null +lat_ts=12d30'N");
    EXPECT_EQ(Safe("+proj=longlat +towgs84=1,-2.5,3 +title=K\xc3\xb6ln"),
              "+proj=longlat +towgs84=1,-2.5,3 +title=K\xc3\xb6ln");
    EXPECT_EQ(Safe("+init=epsg:32632"), "EPSG:32632");
    EXPECT_EQ(Safe("init=esri:54009 +no_defs"), "ESRI:54009");
}

TEST(CrsText, GridShiftFilesAreLeftOut) {
    EXPECT_EQ(Safe("+proj=longlat +nadgrids=/etc/x +geoidgrids=b.gtx,@c +ellps=GRS80", 2),
              "+proj=longlat +ellps=GRS80");
    EXPECT_EQ(Safe("+proj=longlat +nadgrids=@null,/etc/x", 1), "+proj=longlat");
    EXPECT_EQ(
        Safe(R"(VERT_CS["a",VERT_DATUM["n",2005 , EXTENSION [ "PROJ4_GRIDS" , "g.gtx" ],X[1]]])",
             1),
        R"(VERT_CS["a",VERT_DATUM["n",2005 ,X[1]]])");
    EXPECT_EQ(Safe(R"(GEOGCS["a",Extension["proj4_Grids","/dev/x"]])", 1), R"(GEOGCS["a"])");
    EXPECT_EQ(
        Safe(
            R"(PROJCS["m",EXTENSION["PROJ4","+proj=merc +nadgrids=/x"],EXTENSION["PROJ4_GRIDS","y"]])",
            2),
        R"(PROJCS["m"])");
}

TEST(CrsText, OtherFileNamesAndInvalidTextsAreRefused) {
    for (const std::string text :
         {"",
          "/etc/passwd",
          "file.prj",
          "./x:y/z",
          "https://evil.example/crs",
          "+init=/tmp/x:1",
          "+init=epsg",
          "+proj=pipeline +step +proj=utm",
          "+proj=utm +file=x",
          "+proj=tinshift +file=a",
          "+proj=utm +ellps=/x",
          "+proj=utm +title=http://x",
          "+proj=defmodel +model=m.json",
          "DICT:epsg.wkt,4326",
          "WGS 84 / UTM zone 32N",
          "http://www.opengis.net/def/crs/../../x",
          R"(BOUNDCRS["a",ABRIDGEDTRANSFORMATION["t",PARAMETERFILE["f","/etc/x"]]])",
          R"(GEOGCS["a)",
          R"(GEOGCS["a",EXTENSION["PROJ4_GRIDS","x")",
          R"(PROJCS["m",EXTENSION["PROJ4","+init=/x"]])",
          R"({"parameters": [{"name": "Geoid file", "value": "/etc/x"}]})",
          R"({"a": )",
          "/vsicurl/http://x",
          "<gml:x/>",
          "a\xff:"}) {
        Warnings warnings;
        EXPECT_FALSE(SafeCrsText(text).Report(warnings).ok()) << text;
    }
    Warnings warnings;
    EXPECT_FALSE(SafeCrsText(std::string("EPSG:1\0/x", 9)).Report(warnings).ok());
}

}  // namespace
}  // namespace zarr

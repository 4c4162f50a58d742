// SPDX-License-Identifier: MIT
#include "core/conventions/ome/omero.h"

#include "autotest/cpp/conventions/pyramids.h"

namespace zarr {
namespace {

using test::Json;
using test::WarnsOnce;

TEST(Omero, DescribesChannels) {
    Warnings warnings;
    const auto channels = ReadOmeroChannels(Json(R"({"omero": {"channels": [
        {"label": "LaminB1", "color": "0000FF", "active": true,
         "window": {"min": 0, "max": 65535, "start": 0.5, "end": 1500}},
        {"color": "#fF8001", "active": false}, {}]}})"),
                                            warnings);
    ASSERT_EQ(channels.size(), 3U);
    EXPECT_EQ(channels[0].label, "LaminB1");
    EXPECT_EQ(channels[0].colour, (std::array<std::uint8_t, 3>{0, 0, 255}));
    EXPECT_EQ(channels[0].min, 0);
    EXPECT_EQ(channels[0].max, 65535);
    EXPECT_EQ(channels[0].start, 0.5);
    EXPECT_EQ(channels[0].end, 1500);
    EXPECT_EQ(channels[0].active, true);
    EXPECT_EQ(channels[1].colour, (std::array<std::uint8_t, 3>{255, 128, 1}));
    EXPECT_EQ(channels[1].active, false);
    EXPECT_EQ(channels[2].label, "");
    EXPECT_FALSE(channels[2].colour || channels[2].min || channels[2].end || channels[2].active);
    EXPECT_TRUE(warnings.empty());
}

TEST(Omero, MayBeAbsent) {
    Warnings warnings;
    for (const char* text :
         {"{}", R"({"omero": null})", R"({"omero": {"id": 1}})", R"({"omero": {"channels": []}})"})
        EXPECT_TRUE(ReadOmeroChannels(Json(text), warnings).empty()) << text;
    EXPECT_TRUE(warnings.empty());
}

TEST(Omero, OfTheWrongTypeGivesAWarning) {
    const std::pair<const char*, const char*> faults[] = {
        {R"("x")", "omero: expected an object"},
        {R"([])", "omero: expected an object"},
        {R"({"channels": {}})", "omero.channels: expected an array"},
        {R"({"channels": null})", "omero.channels: expected an array"},
        {R"({"channels": [1]})", "omero.channels[0]: expected an object, got 1"},
        {R"({"channels": [{}, {"label": true}]})", "omero.channels[1].label: expected a string"},
        {R"({"channels": [{"color": "red"}]})", "omero.channels[0].color: expected six"},
        {R"({"channels": [{"color": "0000FFFF"}]})", "color: expected six"},
        {R"({"channels": [{"color": "-10000"}]})", "color: expected six"},
        {R"({"channels": [{"color": "+1+1+1"}]})", "color: expected six"},
        {R"({"channels": [{"color": 255}]})", "color: expected six"},
        {R"({"channels": [{"active": 1}]})", "active: expected true or false"},
        {R"({"channels": [{"window": [0, 1]}]})", "window: expected an object"},
        {R"({"channels": [{"window": {"min": "0"}}]})", "window.min: expected a number"}};
    for (const auto& [omero, warning] : faults) {
        Warnings warnings;
        ReadOmeroChannels(Json(std::string("{\"omero\": ") + omero + "}"), warnings);
        EXPECT_TRUE(WarnsOnce(warnings, {warning})) << omero;
    }
}

TEST(Omero, ABrokenChannelKeepsItsIndex) {
    Warnings warnings;
    const auto channels =
        ReadOmeroChannels(Json(R"({"omero": {"channels": [null, {"label": "b"}]}})"), warnings);
    ASSERT_EQ(channels.size(), 2U);
    EXPECT_EQ(channels[1].label, "b");
}

}  // namespace
}  // namespace zarr

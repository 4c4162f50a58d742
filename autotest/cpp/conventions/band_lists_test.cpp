// SPDX-License-Identifier: MIT
#include "core/conventions/cf/band_lists.h"

#include "autotest/cpp/hierarchy/trees.h"
#include "core/conventions/cf/flags.h"
#include "core/conventions/cf/nodata.h"

namespace zarr {
namespace {

using test::ArrayText;
using test::Json;
using test::Succeeds;
using test::Tree;

constexpr const char* kLists =
    R"({"_ARRAY_DIMENSIONS": ["band", "y", "x"], "scales": [0.1, "0.2", 0.3],
        "offsets": [1, 2, 3], "units": ["m", null, "K"], "long_name": ["red", "", "nir"],
        "descriptions": ["a", "b", "c"]})";

// Returns the lists of an array with `bands` bands, whose coordinates are bytes.
BandLists Lists(const std::string& bands, const std::string& numbers) {
    const std::string size = std::to_string(numbers.size());
    const auto tree = Tree({{"a/.zarray", ArrayText("[" + bands + ", 4, 5]")},
                            {"a/.zattrs", kLists},
                            {"band/.zarray", ArrayText("[" + size + "]", "\"|u1\"")},
                            {"band/0", numbers}});
    const auto facts = DescribeArray(*tree, "a");
    EXPECT_TRUE(Succeeds(facts));
    return facts.ok() ? BandLists::Find(*tree, *facts) : BandLists();
}

std::string Scales(const BandLists& lists, std::size_t bands) {
    std::string text;
    for (std::size_t band = 0; band < bands; ++band) {
        const auto scale = lists.Of(Json(kLists), band).scale;
        text += scale ? std::to_string(static_cast<int>(*scale * 10 + 0.5)) : "-";
    }
    return text;
}

TEST(BandLists, EntriesBelongToTheNumbersOfBands) {
    EXPECT_EQ(Scales(Lists("3", "\1\2\3"), 3), "123");
    EXPECT_EQ(Scales(Lists("3", "\3\2\1"), 3), "321");
    EXPECT_EQ(Scales(Lists("2", "\3\1"), 2), "31");
    EXPECT_EQ(Scales(Lists("1", "\2"), 1), "2");
    EXPECT_EQ(Lists("2", "\3\1").axis(), 0U);
}

TEST(BandLists, EntriesAreInTheOrderOfBandsWithoutNumbers) {
    EXPECT_EQ(Scales(Lists("3", "\7\2\1"), 3), "123");
    EXPECT_EQ(Scales(Lists("3", "\1\1\2"), 3), "123");
    EXPECT_EQ(Scales(Lists("3", ""), 3), "123");
    EXPECT_EQ(Scales(Lists("2", ""), 2), "--");
    EXPECT_EQ(Scales(Lists("2", "\7\1"), 2), "--");
    EXPECT_EQ(Scales(BandLists(), 2), "--");
    EXPECT_EQ(Lists("3", "").WarningsOf(Json(kLists)).size(), 0U);
    EXPECT_EQ(Lists("2", "").WarningsOf(Json(kLists)).size(), 5U);
    EXPECT_EQ(Lists("2", "").WarningsOf(Json(R"({"scales": [1, 1, 1], "nodatavals": [0]})")).size(),
              0U);
}

TEST(BandLists, StateTheColourOfASlice) {
    const json::Value text = Json(R"({"COLOR_INTERPRETATION": "Alpha"})");
    const json::Value list = Json(R"({"COLOR_INTERPRETATION": ["Red", "Green", 3]})");
    const json::Value equal = Json(R"({"COLOR_INTERPRETATION": ["Gray", "Gray"]})");
    EXPECT_EQ(BandLists().ColourOf(text, 5, 5), "Alpha");
    EXPECT_EQ(BandLists().ColourOf(list, 0, 0), std::nullopt);
    EXPECT_EQ(BandLists().ColourOf(equal, 0, 0), "Gray");
    EXPECT_EQ(BandLists().ColourOf(Json("{}"), 0, 0), std::nullopt);
    EXPECT_EQ(Lists("2", "\2\1").ColourOf(list, 0, 0), "Green");
    EXPECT_EQ(Lists("3", "").ColourOf(list, 2, 2), std::nullopt);
    EXPECT_EQ(Lists("3", "").WarningsOf(list).size(), 0U);
    EXPECT_EQ(Lists("2", "").WarningsOf(list).size(), 1U);
}

TEST(BandLists, StateFactsOfABand) {
    const BandLists lists = Lists("3", "\1\2\3");
    const BandStatement first = lists.Of(Json(kLists), 0);
    EXPECT_EQ(first.units, "m");
    EXPECT_EQ(first.offset, 1);
    EXPECT_EQ(first.name, "red");
    const BandStatement second = lists.Of(Json(kLists), 1);
    EXPECT_EQ(second.units, std::nullopt);
    EXPECT_EQ(second.name, "b") << "`long_name` is empty";
    EXPECT_EQ(lists.Of(Json(R"({"descriptions": ["a", "b", "c"]})"), 1).name, "b");
    EXPECT_EQ(lists.Of(Json(R"({"scales": 2, "long_name": "all"})"), 1).name, std::nullopt);
}

TEST(BandLists, ChangeOneEntry) {
    const BandLists lists = Lists("2", "\3\1");
    const auto changed = lists.Changed(Json(kLists), kScalesOfBands, 0, json::Value(0.1));
    ASSERT_TRUE(changed);
    EXPECT_EQ(json::Dump(json::Value(*changed)), R"([0.1, "0.2", 0.1])");
    EXPECT_TRUE(lists.AreEqual(*changed)) << "the other entry belongs to no band";
    EXPECT_FALSE(lists.AreEqual(*Json(kLists).Find("scales")->as_array()));
    EXPECT_FALSE(lists.Changed(Json("{}"), kScalesOfBands, 0, json::Value(1.0)));
}

TEST(BandLists, OfEqualEntriesStateTheValueOfTheArray) {
    const Packing packing =
        ReadPacking(Json(R"({"scales": [2, 2], "offsets": [3], "units": ["m", "m"]})")).value;
    EXPECT_EQ(packing.scale, 2);
    EXPECT_EQ(packing.offset, 3);
    EXPECT_EQ(packing.units, "m");
    const Fact<Packing> none = ReadPacking(
        Json(R"({"scales": [1, 1], "offsets": [0, 0], "units": ["m", "K"], "add_offset": null})"));
    EXPECT_EQ(none.value.scale, std::nullopt);
    EXPECT_EQ(none.value.offset, std::nullopt);
    EXPECT_EQ(none.value.units, "");
    EXPECT_TRUE(none.warnings.empty());
    EXPECT_EQ(ReadPacking(Json(R"({"scales": [2], "scale_factor": 5})")).value.scale, 5);
}

std::string TextsOf(const std::vector<std::optional<FillValue>>& entries) {
    std::string text;
    for (const auto& entry : entries)
        text += (entry ? std::to_string(int{static_cast<unsigned char>(entry->Bytes()[0])}) : "-") +
                " ";
    return text;
}

TEST(NodataOfBands, AreKnownIfTheyDiffer) {
    const ArrayMetadata metadata = test::MetadataOf(ArrayText("[3, 4, 5]", "\"|u1\""));
    const auto entries = [&](const char* attributes) {
        return TextsOf(NodataOfBands(Json(attributes), metadata));
    };
    EXPECT_EQ(entries(R"({"nodatavals": [0, "255", null, 256]})"), "0 255 - - ");
    EXPECT_EQ(entries(R"({"nodatavals": [0, 0]})"), "");
    EXPECT_EQ(entries(R"({"nodatavals": [0, 255], "_FillValue": 3})"), "");
    EXPECT_EQ(entries(R"({"nodatavals": [0, 255], "nodata": 3})"), "");
    EXPECT_EQ(entries(R"({"nodatavals": [0, 255], "nodata": -3})"), "0 255 ");
    EXPECT_EQ(entries(R"({"nodatavals": 0})"), "");
}

TEST(ContradictingNodata, AreStatementsOfOtherValues) {
    const ArrayMetadata metadata = test::MetadataOf(ArrayText("[3, 4, 5]", "\"|u1\""));
    const auto names = [&](const char* attributes, const std::optional<std::string>& element) {
        std::string text;
        for (const std::string& name :
             ContradictingNodata(Json(attributes), metadata, "_FillValue", element))
            text += name + " ";
        return text;
    };
    constexpr const char* kAll = R"({"_FillValue": 1, "missing_value": [7], "fill_value": "7",
                                     "nodata": 8, "nodatavals": [7, 7, 8]})";
    EXPECT_EQ(names(kAll, "\7"), "nodata nodatavals ");
    EXPECT_EQ(names(kAll, std::nullopt), "missing_value fill_value nodata nodatavals ");
    EXPECT_EQ(names(R"({"nodata": "none", "fill_value": -1, "nodatavals": []})", "\7"), "");
    EXPECT_EQ(names(R"({"missing_value": -1})", "\7"), "missing_value ");
}

TEST(FlagValues, MayBeTexts) {
    const auto values = [](const char* attributes) {
        return json::Dump(json::Value(FlagValues(Json(attributes))));
    };
    for (const char* text : {R"([1, 2])", R"("1, 2")", R"("1b 2b")", R"(["1", "2"])", R"("{1,2}")",
                             R"(["1UB", "2s"])"})
        EXPECT_EQ(values((R"({"flag_values": )" + std::string(text) + "}").c_str()), "[1, 2]")
            << text;
    EXPECT_EQ(values(R"({"flag_values": 3})"), "[3]");
    EXPECT_EQ(values(R"({"flag_values": ["a", 1.5]})"), R"(["a", 1.5])");
    EXPECT_EQ(values("{}"), "[]");
}

}  // namespace
}  // namespace zarr

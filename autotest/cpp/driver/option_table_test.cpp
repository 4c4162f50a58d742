// SPDX-License-Identifier: MIT
// Tests that a row of a table of options gives GDAL's list, the parsed value and the error.
#include "driver/base/option_table.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <gtest/gtest.h>

#include <string>

namespace zarr_driver {
namespace {

enum class Answer { kAuto, kYes, kNo };

struct Parsed {
    Answer answer = Answer::kAuto;
    bool flag = false;
    std::string text;
    std::uint64_t count = 0;
    std::vector<std::uint64_t> sizes;
};

constexpr OptionRow<Parsed> kRows[] = {
    {{"ANSWER|OLD_ANSWER", "string-select", "AUTO", "Help, `A<B`\n. See [page](page.md)",
      "AUTO=ANY|YES|NO"},
     Into<&Parsed::answer, ReadOneOf<Answer::kAuto, Answer::kYes, Answer::kNo>>},
    {{"FLAG", "boolean", "NO", "GDAL's [flag](page.md#flag) of a row", "", "ZARR_TEST_FLAG"},
     Into<&Parsed::flag, ReadBool>},
    {{"TEXT", "string", "", "Text"}, Into<&Parsed::text, ReadText>},
    {{"COUNT", "int min='1'", "", "Count"}, Into<&Parsed::count, ReadCount>},
    {{"SIZES", "string", "", "Sizes"}, Into<&Parsed::sizes, ReadSizes>},
};

// Parses options that spaces separate. Returns the error in `error`.
Parsed Parse(const char* options, std::string& error) {
    const CPLStringList list(CSLTokenizeString2(options, " ", 0));
    Parsed parsed;
    error = ParseOptions(kCreationOption, list.List(), kRows, parsed).message();
    return parsed;
}

TEST(OptionTable, ReadsValuesIntoMembers) {
    std::string error;
    const Parsed parsed = Parse("answer=no FLAG=on TEXT=a COUNT=3 SIZES=4,5x6", error);
    EXPECT_EQ(error, "");
    EXPECT_EQ(parsed.answer, Answer::kNo);
    EXPECT_TRUE(parsed.flag);
    EXPECT_EQ(parsed.text, "a");
    EXPECT_EQ(parsed.count, 3U);
    EXPECT_EQ(parsed.sizes, (std::vector<std::uint64_t>{4, 5, 6}));
}

TEST(OptionTable, KnowsOtherNamesAndWords) {
    std::string error;
    EXPECT_EQ(Parse("OLD_ANSWER=TRUE", error).answer, Answer::kYes);
    EXPECT_EQ(Parse("OLD_ANSWER=YES ANSWER=0", error).answer, Answer::kNo);
    EXPECT_EQ(Parse("ANSWER=any", error).answer, Answer::kAuto);
    EXPECT_TRUE(Parse("FLAG", error).flag);
    EXPECT_EQ(Parse("TEXT", error).text, "");
    EXPECT_EQ(error, "");
}

TEST(OptionTable, AsksTheConfigurationForOptionsThatAreNotGiven) {
    std::string error;
    CPLSetThreadLocalConfigOption("ZARR_TEST_FLAG", "YES");
    EXPECT_TRUE(Parse("", error).flag);
    EXPECT_FALSE(Parse("FLAG=NO", error).flag);
    CPLSetThreadLocalConfigOption("ZARR_TEST_FLAG", nullptr);
    EXPECT_FALSE(Parse("", error).flag);
}

TEST(OptionTable, ErrorsNameTheOptionAndTheValues) {
    std::string error;
    Parse("OLD_ANSWER=maybe", error);
    EXPECT_EQ(error, "creation option OLD_ANSWER: expected AUTO, YES or NO, got \"maybe\"");
    Parse("COUNT=0", error);
    EXPECT_EQ(error, "creation option COUNT: expected a number >= 1, got \"0\"");
    Parse("SIZES=1,b", error);
    EXPECT_EQ(error,
              "creation option SIZES: expected numbers >= 1, slowest dimension first, got \"1,b\"");
}

TEST(OptionTable, DescribesOptionsToGdalWithoutMarkdown) {
    EXPECT_EQ(ToXml(kRows[0].text),
              "<Option name='ANSWER' alias='OLD_ANSWER' type='string-select' "
              "description='Help, A&lt;B' default='AUTO'><Value alias='ANY'>AUTO</Value>"
              "<Value>YES</Value><Value>NO</Value></Option>");
    EXPECT_EQ(ToXml(kRows[1].text),
              "<Option name='FLAG' type='boolean' description='GDAL&apos;s flag of a row' "
              "default='NO'></Option>");
    EXPECT_EQ(ToXml(kRows[3].text),
              "<Option name='COUNT' type='int' min='1' description='Count'></Option>");
}

}  // namespace
}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#include "core/dtype/time_types.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "autotest/cpp/dtype/types.h"
#include "autotest/cpp/support/checks.h"
#include "core/dtype/stored_converter.h"

namespace zarr {
namespace {

using test::Fails;
using test::Succeeds;
using test::Type;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(PlainTimes, CountOneUnitOfCf) {
    const std::pair<const char*, const char*> kCases[] = {
        {">M8[M]", "<M8[D]"},   {"<M8[Y]", "<M8[D]"},   {"<M8[3M]", "<M8[D]"},
        {"<M8[2W]", "<M8[D]"},  {"<M8[25s]", "<M8[s]"}, {"<M8[ns]", "<M8[ns]"},
        {"<m8[M]", "<m8[M]"},   {"<m8[10Y]", "<m8[Y]"}, {"<m8[W]", "<m8[D]"},
        {"<m8[90m]", "<m8[m]"}, {"<M8", "<M8"},         {">i4", "<i4"}};
    for (const auto& [type, plain] : kCases) {
        EXPECT_EQ(IsPlain(Type(type)),
                  Type(type).Native().ToString() == Type(plain).Native().ToString())
            << type;
        EXPECT_EQ(PlainTimeType(Type(type)).ToString(), Type(plain).Native().ToString()) << type;
    }
}

// The days are NumPy's: np.datetime64(ticks, unit).astype("M8[D]").
TEST(PlainTimes, MonthsAndYearsBeginOnTheirFirstDay) {
    struct Case {
        const char* type;
        std::int64_t ticks;
        std::int64_t days;
    };
    const Case kCases[] = {{"<M8[M]", 0, 0},
                           {"<M8[M]", 602, 18322},
                           {"<M8[M]", -1, -31},
                           {"<M8[M]", 1, 31},
                           {"<M8[M]", 2, 59},
                           {"<M8[M]", 361, 10988},
                           {"<M8[M]", -23640, -719528},
                           {"<M8[M]", -23639, -719497},
                           {"<M8[M]", -23638, -719468},
                           {"<M8[Y]", 50, 18262},
                           {"<M8[Y]", -1970, -719528},
                           {"<M8[Y]", -2, -731},
                           {"<M8[10Y]", 3, 10957},
                           {"<M8[3M]", -1, -92},
                           {"<M8[W]", 2, 14},
                           {"<M8[10s]", -5, -50},
                           {"<m8[M]", 7, 7},
                           {"<m8[3M]", 7, 21}};
    for (const Case& one : kCases) {
        const DataType type = Type(one.type);
        EXPECT_EQ(ToPlainTicks(type, one.ticks), one.days) << one.type << " " << one.ticks;
        EXPECT_EQ(FromPlainTicks(type, one.days), one.ticks) << one.type << " " << one.days;
    }
}

TEST(PlainTimes, EveryDayLiesInItsMonth) {
    const DataType months = Type("<M8[M]");
    const DataType years = Type("<M8[Y]");
    std::int64_t month = -30'000;
    for (std::int64_t day = ToPlainTicks(months, month); day < 800'000; ++day) {
        if (day == ToPlainTicks(months, month + 1)) ++month;
        ASSERT_EQ(FromPlainTicks(months, day), month) << day;
        const std::int64_t year = month >= 0 ? month / 12 : -((11 - month) / 12);
        ASSERT_EQ(FromPlainTicks(years, day), year) << day;
    }
}

TEST(PlainTimes, MissingAndFarTimesAreMissing) {
    for (const char* text : {"<M8[M]", "<M8[Y]", "<M8[10s]", "<m8[3M]", "<M8[W]", "<M8[s]"}) {
        EXPECT_EQ(ToPlainTicks(Type(text), kNotATime), kNotATime) << text;
        EXPECT_EQ(FromPlainTicks(Type(text), kNotATime), kNotATime) << text;
    }
    for (const char* text : {"<M8[M]", "<M8[Y]", "<M8[10s]", "<m8[3M]", "<M8[W]"})
        for (const std::int64_t ticks : {kMost, -kMost})
            EXPECT_EQ(ToPlainTicks(Type(text), ticks), kNotATime) << text;
    EXPECT_EQ(ToPlainTicks(Type("<M8[s]"), kMost), kMost);
    for (const std::int64_t ticks : {kMost, -kMost}) FromPlainTicks(Type("<M8[M]"), ticks);
}

TEST(PlainTimes, AreReadAndWrittenInEachByteOrder) {
    for (const char* text : {"<M8[M]", ">M8[M]"}) {
        const DataType type = Type(text);
        const DataType plain = PlainTimeType(type);
        const auto read = ReadConverter(type, plain);
        const auto write = WriteConverter(plain, type);
        ASSERT_TRUE(Succeeds(read));
        ASSERT_TRUE(Succeeds(write));
        const std::vector<std::int64_t> days = {31, kNotATime, -31, 18322};
        std::vector<std::int64_t> stored(days.size());
        std::vector<std::int64_t> again(days.size());
        const auto bytes = [](auto& values) {
            return reinterpret_cast<std::uint8_t*>(values.data());
        };
        std::vector<std::int64_t> source = days;
        write->row(*write, bytes(stored), 8, bytes(source), 8, days.size());
        read->row(*read, bytes(again), 8, bytes(stored), 8, days.size());
        EXPECT_EQ(again, days);
        SwapElements(type, bytes(stored), stored.size());
        EXPECT_EQ(stored, (std::vector<std::int64_t>{1, kNotATime, -1, 602}));
    }
    EXPECT_TRUE(Fails(ReadConverter(Type("<M8[M]"), Type("<M8[s]")), StatusCode::kInvalidArgument));
    EXPECT_TRUE(Fails(ReadConverter(Type("<M8[M]"), Type("<m8[D]")), StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace zarr

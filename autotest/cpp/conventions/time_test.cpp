// SPDX-License-Identifier: MIT
#include "core/conventions/cf/time.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "autotest/cpp/support/project_file.h"
#include "core/json/value.h"

namespace zarr {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

template <class T>
std::string Text(const std::string& units, const std::string& calendar, T value) {
    const auto known = CalendarByName(calendar);
    if (!known) return "unknown calendar";
    const auto reference = TimeReference::Parse(units, *known);
    if (!reference.ok()) return "error: " + reference.status().message();
    return reference->TextOf(value).value_or("none");
}

std::string Epoch(const std::string& date, const std::string& calendar = "standard") {
    return Text("hours since " + date, calendar, std::int64_t{0});
}

DataType Type(const std::string& typestr) {
    auto type = ParseTypestr(typestr);
    EXPECT_TRUE(type.ok()) << typestr;
    return type.Take();
}

std::string Datetime(const std::string& unit, std::int64_t ticks) {
    return DatetimeText(Type("<M8[" + unit + "]"), ticks).value_or("none");
}

std::string Timedelta(const std::string& unit, std::int64_t ticks) {
    return TimedeltaText(Type("<m8[" + unit + "]"), ticks).value_or("none");
}

// ---------------------------------------------------------------------------------------------
// Comparison with cftime and NumPy

TEST(TimeTable, AgreesWithCftimeAndNumPy) {
    std::ifstream file(test::ProjectFile("autotest/cpp/conventions/time_table.txt"));
    ASSERT_TRUE(file.is_open());
    std::string units;
    std::string calendar;
    int checked = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.front() == '[') {
            const std::size_t bar = line.find('|');
            units = line.substr(1, (bar == std::string::npos ? line.size() - 1 : bar) - 1);
            calendar = bar == std::string::npos ? "" : line.substr(bar + 1);
            if (!calendar.empty()) calendar.pop_back();
            continue;
        }
        const std::string value = line.substr(0, line.find(' '));
        const std::string wanted = line.substr(value.size() + 1);
        const bool is_float = value.find('x') != std::string::npos;
        std::string got;
        if (calendar.empty())
            got = Datetime(units, std::strtoll(value.c_str(), nullptr, 10));
        else if (is_float)
            got = Text(units, calendar, std::strtod(value.c_str(), nullptr));
        else
            got = Text(units, calendar, std::int64_t{std::strtoll(value.c_str(), nullptr, 10)});
        EXPECT_EQ(got, wanted) << value << " " << units << " " << calendar;
        ++checked;
    }
    EXPECT_GT(checked, 700);
}

// ---------------------------------------------------------------------------------------------
// Units

TEST(TimeUnits, EverySpelling) {
    const std::pair<const char*, const char*> kCases[] = {
        {"s,sec,secs,second,seconds,S,Seconds", "2000-01-01T00:00:01Z"},
        {"min,mins,minute,minutes", "2000-01-01T00:01:00Z"},
        {"h,hr,hrs,hour,hours,HOURS", "2000-01-01T01:00:00Z"},
        {"d,day,days,D", "2000-01-02T00:00:00Z"},
        {"week,weeks", "2000-01-08T00:00:00Z"},
        {"fortnight", "2000-01-15T00:00:00Z"},
        {"common_year,common_years", "2000-12-31T00:00:00Z"},
        {"month,months", "2000-01-31T10:29:03.831223200Z"},
        {"year,years,yr,yrs", "2000-12-31T05:48:45.974678400Z"},
        {"ms,msec,msecs,millisec,millisecond,milliseconds", "2000-01-01T00:00:00.001Z"},
        {"us,usec,microsec,microsecs,microseconds,\xc2\xb5s,\xce\xbcs",
         "2000-01-01T00:00:00.000001Z"},
        {"ns,nsec,nanosecond,nanoseconds", "2000-01-01T00:00:00.000000001Z"},
        {"25 seconds,25 s", "2000-01-01T00:00:25Z"},
    };
    for (const auto& [names, wanted] : kCases) {
        std::string list(names);
        for (std::size_t at = 0; at != std::string::npos;) {
            const std::size_t comma = list.find(',', at);
            const std::string name = list.substr(at, comma - at);
            EXPECT_EQ(Text(name + " since 2000-01-01", "standard", std::int64_t{1}), wanted)
                << name;
            at = comma == std::string::npos ? comma : comma + 1;
        }
    }
}

TEST(TimeUnits, MonthsAndYearsOf360Days) {
    EXPECT_EQ(Text("months since 2000-01-30", "360_day", std::int64_t{1}),
              "2000-02-30T00:00:00 (360_day)");
    EXPECT_EQ(Text("years since 2000-01-30", "360_day", std::int64_t{-1}),
              "1999-01-30T00:00:00 (360_day)");
    EXPECT_EQ(Text("months since 2000-01-01", "360_day", 1.5), "2000-02-16T00:00:00 (360_day)");
}

TEST(TimeUnits, InvalidTextsAreRefused) {
    for (const char* units : {"",
                              " ",
                              "since",
                              "hours",
                              "hours since",
                              "since 2000-01-01",
                              "hPa since 2000-01-01",
                              "hours since yesterday",
                              "hourss since 2000-01-01",
                              "mss since 2000-01-01",
                              "hours until 2000-01-01",
                              "0 hours since 2000-01-01",
                              "1.5 hours since 2000-01-01",
                              "99999999999999999999 hours since 2000-01-01",
                              "hours since 2000-13-01",
                              "hours since 2000-00-01",
                              "hours since 2000-01-00",
                              "hours since 2000-01-32",
                              "hours since 2001-02-29",
                              "hours since 0-1-1",
                              "hours since 1582-10-05",
                              "hours since 1582-10-14",
                              "hours since 2000-01-01 24:00",
                              "hours since 2000-01-01 12:60",
                              "hours since 2000-01-01 12:30:60",
                              "hours since 2000-01-01 12:",
                              "hours since 2000-",
                              "hours since 2000-01-",
                              "hours since 2000/01/01",
                              "hours since 20000",
                              "hours since -",
                              "hours since 2000-01-01T",
                              "hours since 2000-01-01 00:00 America",
                              "hours since 2000-01-01 00:00 +",
                              "hours since 2000-01-01 00:00 +25",
                              "hours since 2000-01-01 00:00 +01:",
                              "hours since 2000-01-01 00:00 +01:60",
                              "hours since 2000-01-01 00:00 Z x",
                              "hours since 9999999999-01-01",
                              "hours since 2000-001-01",
                              "hours since 2000-01-01T123",
                              "hours since 2000-01-01 1234"})
        EXPECT_EQ(Text(units, "standard", std::int64_t{1}).substr(0, 6), "error:") << units;
    EXPECT_EQ(Epoch("2000-02-29", "noleap").substr(0, 6), "error:");
    EXPECT_EQ(Epoch("2000-01-31", "360_day").substr(0, 6), "error:");
    EXPECT_EQ(Epoch("0000-01-01", "julian").substr(0, 6), "error:");
    EXPECT_EQ(Epoch(std::string("2000-01-01\0", 11)).substr(0, 6), "error:");
}

TEST(TimeUnits, DatesClocksAndZones) {
    const std::pair<const char*, const char*> kCases[] = {
        {"2020", "2020-01-01T00:00:00Z"},
        {"2020-2", "2020-02-01T00:00:00Z"},
        {"1-1-1", "0001-01-01T00:00:00Z"},
        {"  2020-02-03  ", "2020-02-03T00:00:00Z"},
        {"+2020-02-03", "2020-02-03T00:00:00Z"},
        {"12345-02-03", "+012345-02-03T00:00:00Z"},
        {"20200203", "2020-02-03T00:00:00Z"},
        {"20200203T0405", "2020-02-03T04:05:00Z"},
        {"20200203T040506Z", "2020-02-03T04:05:06Z"},
        {"2020-02-03T04:05:06Z", "2020-02-03T04:05:06Z"},
        {"2020-02-03 4", "2020-02-03T04:00:00Z"},
        {"2020-02-03 4:5:6.", "2020-02-03T04:05:06Z"},
        {"2020-02-03 00:00:0.25", "2020-02-03T00:00:00.250Z"},
        {"2020-02-03 00:00:00.123456789", "2020-02-03T00:00:00.123456789Z"},
        {"2020-02-03 00:00:00.1234567890123456789", "2020-02-03T00:00:00.123456789012345678Z"},
        {"2020-02-03 UTC", "2020-02-03T00:00:00Z"},
        {"2020-02-03 00:00 gmt", "2020-02-03T00:00:00Z"},
        {"2020-02-03 12:00:00.5 +01:00", "2020-02-03T11:00:00.500Z"},
        {"2020-02-03 00:00:00+1", "2020-02-02T23:00:00Z"},
        {"2020-02-03 00:00:00 -1:30", "2020-02-03T01:30:00Z"},
        {"2020-02-03 00:00 +0130", "2020-02-02T22:30:00Z"},
        {"2020-02-03 00:00 0130", "2020-02-02T22:30:00Z"},
        {"2020-02-03 -3", "2020-02-03T03:00:00Z"},
        {"2020-02-03 00:00:0.0 0:00", "2020-02-03T00:00:00Z"},
        {"2020-12-31 23:00 -10", "2021-01-01T09:00:00Z"},
        {"-44-03-15", "-000043-03-15T00:00:00Z"},
        {"-1-12-31", "0000-12-31T00:00:00Z"},
    };
    for (const auto& [date, wanted] : kCases) EXPECT_EQ(Epoch(date), wanted) << date;
    EXPECT_EQ(Epoch("0000-01-01", "proleptic_gregorian"), "0000-01-01T00:00:00Z");
    EXPECT_EQ(Epoch("0000-01-01", "noleap"), "0000-01-01T00:00:00 (noleap)");
    EXPECT_EQ(Epoch("2020-02-30", "360_day"), "2020-02-30T00:00:00 (360_day)");
    EXPECT_EQ(Epoch("2019-02-29", "366_day"), "2019-02-29T00:00:00 (all_leap)");
    EXPECT_EQ(Epoch("1900-02-29", "julian"), "1900-02-29T00:00:00 (julian)");
}

// ---------------------------------------------------------------------------------------------
// Values

TEST(TimeValues, TheSwitchOf1582) {
    EXPECT_EQ(Text("days since 1582-10-04", "standard", std::int64_t{1}), "1582-10-15T00:00:00Z");
    EXPECT_EQ(Text("days since 1582-10-15", "gregorian", std::int64_t{-1}), "1582-10-04T00:00:00Z");
    EXPECT_EQ(Text("days since 1582-10-04", "proleptic_gregorian", std::int64_t{1}),
              "1582-10-05T00:00:00Z");
    EXPECT_EQ(Text("days since 1500-02-28", "standard", std::int64_t{1}), "1500-02-29T00:00:00Z");
    EXPECT_EQ(Text("days since 1500-02-28", "proleptic_gregorian", std::int64_t{1}),
              "1500-03-01T00:00:00Z");
}

TEST(TimeValues, IntegersAreExact) {
    EXPECT_EQ(Text("nanoseconds since 1970-01-01", "standard", std::int64_t{1577923200000000001}),
              "2020-01-02T00:00:00.000000001Z");
    EXPECT_EQ(Text("nanoseconds since 1970-01-01", "standard", kMax),
              "2262-04-11T23:47:16.854775807Z");
    EXPECT_EQ(Text("nanoseconds since 1970-01-01", "standard", kMin),
              "1677-09-21T00:12:43.145224192Z");
    // In UDUNITS, a year has 365.242198781 days, so 1000 years have 365242.198781 days.
    EXPECT_EQ(Text("years since 2000-01-01", "proleptic_gregorian", std::int64_t{1000}),
              "2999-12-31T04:46:14.678400Z");
    EXPECT_EQ(Text("months since 2000-01-01", "proleptic_gregorian", std::int64_t{12000}),
              "2999-12-31T04:46:14.678400Z");
}

TEST(TimeValues, DoublesAreRoundedToTheMicrosecond) {
    EXPECT_EQ(Text("days since 2000-01-01", "standard", 0.1), "2000-01-01T02:24:00Z");
    EXPECT_EQ(Text("hours since 2000-01-01", "standard", 1.0 / 3), "2000-01-01T00:20:00Z");
    EXPECT_EQ(Text("seconds since 2000-01-01", "standard", 1e-9), "2000-01-01T00:00:00Z");
    EXPECT_EQ(Text("seconds since 2000-01-01", "standard", -1e-6), "1999-12-31T23:59:59.999999Z");
    EXPECT_EQ(Text("us since 2000-01-01", "standard", 2.5), "2000-01-01T00:00:00.000002Z");
    EXPECT_EQ(Text("us since 2000-01-01", "standard", 3.5), "2000-01-01T00:00:00.000004Z");
    EXPECT_EQ(Text("us since 2000-01-01", "standard", -0.5), "2000-01-01T00:00:00Z");
    EXPECT_EQ(Text("ns since 2000-01-01", "standard", 1499.0), "2000-01-01T00:00:00.000001Z");
    EXPECT_EQ(Text("ns since 2000-01-01", "standard", 1501.0), "2000-01-01T00:00:00.000002Z");
    EXPECT_EQ(Text("days since 2000-01-01", "standard", -0.0), "2000-01-01T00:00:00Z");
}

TEST(TimeValues, NeverOverflow) {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const char* calendar :
         {"standard", "proleptic_gregorian", "julian", "noleap", "all_leap", "360_day"}) {
        for (const double value : {std::nan(""), infinity, -infinity, 1e300, -1e300, 9.3e18})
            EXPECT_EQ(Text("days since 2000-01-01", calendar, value), "none") << calendar;
        for (const char* unit : {"weeks", "months", "years", "hours", "ms", "7 ns",
                                 "9223372036854775807 days", "9223372036854775807 years"}) {
            const std::string units = std::string(unit) + " since 2000-01-01";
            for (const std::int64_t value : {kMin, kMin + 1, kMin / 2, kMax / 2, kMax}) {
                Text(units, calendar, value);  // must not overflow, which a sanitizer would report
                Text(units, calendar, static_cast<double>(value));
            }
        }
        EXPECT_EQ(Text("days since 2000-01-01", calendar, kMax), "none") << calendar;
        EXPECT_NE(Text("days since 2000-01-01", calendar, kMin), "none") << calendar;
        EXPECT_EQ(Text("weeks since 2000-01-01", calendar, kMax), "none") << calendar;
        EXPECT_EQ(Text("7 ns since 2000-01-01", calendar, kMax), "none") << calendar;
    }
    EXPECT_EQ(Text("days since 0001-01-01", "noleap", std::int64_t{365 * 10000}),
              "+010001-01-01T00:00:00 (noleap)");
    EXPECT_EQ(Text("360 days since 0000-01-01", "360_day", std::int64_t{-1}),
              "-000001-01-01T00:00:00 (360_day)");
    EXPECT_EQ(Text("360 days since 0000-01-01", "360_day", std::int64_t{25'000'000'000'000'000}),
              "+25000000000000000-01-01T00:00:00 (360_day)");
}

// ---------------------------------------------------------------------------------------------
// The attributes units and calendar

std::string Read(const std::string& attributes, Warnings& warnings) {
    const auto value = json::Parse(attributes);
    EXPECT_TRUE(value.ok()) << attributes;
    const auto reference = ReadTimeReference(*value).Report(warnings);
    return reference ? reference->TextOf(std::int64_t{59}).value_or("none") : "no time";
}

TEST(TimeAttributes, ValidAttributes) {
    Warnings warnings;
    EXPECT_EQ(Read(R"({"units": "days since 2020-01-01"})", warnings), "2020-02-29T00:00:00Z");
    EXPECT_EQ(Read(R"({"units": "days since 2020-01-01", "calendar": null})", warnings),
              "2020-02-29T00:00:00Z");
    EXPECT_EQ(Read(R"({"units": "days Since 2020-01-01", "calendar": "NoLeap"})", warnings),
              "2020-03-01T00:00:00 (noleap)");
    EXPECT_EQ(Read(R"({"units": "days since 2020-01-01", "calendar": "360_day"})", warnings),
              "2020-02-30T00:00:00 (360_day)");
    for (const char* none : {R"({})", R"({"units": "hPa"})", R"({"units": "days"})",
                             R"({"units": 5})", R"({"units": ""})", R"({"calendar": "moon"})"})
        EXPECT_EQ(Read(none, warnings), "no time") << none;
    EXPECT_TRUE(warnings.empty()) << warnings[0];
}

TEST(TimeAttributes, InvalidAttributesGiveAWarning) {
    const std::pair<const char*, const char*> kCases[] = {
        {R"({"units": "days since 2020-01-01", "calendar": "moon"})", "attribute calendar"},
        {R"({"units": "days since 2020-01-01", "calendar": 360})", "attribute calendar"},
        {R"({"units": "days since 2020-01-01", "calendar": ""})", "attribute calendar"},
        {R"({"units": "days since the flood"})", "attribute units"},
        {R"({"units": "moons since 2020-01-01"})", "attribute units"},
        {R"({"units": "days since 2020-02-30"})", "attribute units"},
    };
    for (const auto& [attributes, wanted] : kCases) {
        Warnings warnings;
        EXPECT_EQ(Read(attributes, warnings), "no time") << attributes;
        ASSERT_EQ(warnings.size(), 1U) << attributes;
        EXPECT_NE(warnings[0].find(wanted), std::string::npos) << warnings[0];
    }
}

// ---------------------------------------------------------------------------------------------
// NumPy's types

TEST(NumPyTimes, Datetimes) {
    EXPECT_EQ(Datetime("Y", 50), "2020-01-01T00:00:00Z");
    EXPECT_EQ(Datetime("M", -1), "1969-12-01T00:00:00Z");
    EXPECT_EQ(Datetime("25s", 1), "1970-01-01T00:00:25Z");
    EXPECT_EQ(Datetime("ns", kMin), "NaT");
    EXPECT_EQ(Datetime("as", 1), "1970-01-01T00:00:00.000000000000000001Z");
    EXPECT_EQ(Datetime("fs", -1), "1969-12-31T23:59:59.999999999999999Z");
    EXPECT_EQ(Datetime("ms", kMax), "+292278994-08-17T07:12:55.807Z");
    EXPECT_EQ(Datetime("Y", 1'000'000), "+1001970-01-01T00:00:00Z");
    EXPECT_EQ(Datetime("3M", 5), "1971-04-01T00:00:00Z");
    EXPECT_EQ(Datetime("Y", kMax), "none");
    EXPECT_EQ(Datetime("M", kMax), "none");
    EXPECT_EQ(Datetime("W", kMax), "none");
    EXPECT_EQ(Datetime("D", kMax), "none");
    EXPECT_EQ(Datetime("100s", kMax), "none");
    EXPECT_EQ(DatetimeText(Type("<M8"), 5), std::nullopt);
    EXPECT_EQ(DatetimeText(Type("<M8"), kMin), "NaT");
}

TEST(NumPyTimes, Timedeltas) {
    EXPECT_EQ(Timedelta("h", 6), "6 hours");
    EXPECT_EQ(Timedelta("D", 1), "1 day");
    EXPECT_EQ(Timedelta("D", -1), "-1 day");
    EXPECT_EQ(Timedelta("25s", 2), "50 seconds");
    EXPECT_EQ(Timedelta("us", 0), "0 microseconds");
    EXPECT_EQ(Timedelta("ns", kMin), "NaT");
    EXPECT_EQ(Timedelta("25s", kMax), "none");
    EXPECT_EQ(TimedeltaText(Type("<m8"), 5), "5");
}

// ---------------------------------------------------------------------------------------------
// Calendars

TEST(Calendars, EveryDayComesAndGoes) {
    for (const Calendar calendar :
         {Calendar::kStandard, Calendar::kProlepticGregorian, Calendar::kJulian, Calendar::kNoLeap,
          Calendar::kAllLeap, Calendar::k360Day}) {
        Date last = DateOfDay(calendar, -300001);
        for (std::int64_t day = -300000; day < 900000; ++day) {
            const Date date = DateOfDay(calendar, day);
            ASSERT_EQ(DayNumber(calendar, date), day);
            const bool next_day = date.year == last.year && date.month == last.month &&
                                  (date.day == last.day + 1 || date.day == 15);
            const bool next_month =
                date.day == 1 && (date.year - last.year) * 12 + date.month - last.month == 1;
            ASSERT_TRUE(next_day || next_month) << day;
            last = date;
        }
        for (const std::int64_t day : {kMin, kMin + 1, kMax - 1, kMax}) DateOfDay(calendar, day);
    }
}

TEST(Calendars, CheckedArithmetic) {
    const std::vector<std::int64_t> values = {kMin, kMin + 1, -3, -2,       -1,  0,
                                              1,    2,        3,  kMax - 1, kMax};
    for (const std::int64_t a : values) {
        for (const std::int64_t b : values) {
            const long double product = static_cast<long double>(a) * static_cast<long double>(b);
            const bool fits =
                product >= -9223372036854775808.0L && product <= 9223372036854775807.0L;
            ASSERT_EQ(MultiplyChecked(a, b).has_value(), fits) << a << " * " << b;
            if (fits) {
                EXPECT_EQ(*MultiplyChecked(a, b), a * b);
            }
            const long double sum = static_cast<long double>(a) + static_cast<long double>(b);
            const bool sum_fits = sum >= -9223372036854775808.0L && sum <= 9223372036854775807.0L;
            EXPECT_EQ(AddChecked(a, b).has_value(), sum_fits) << a << " + " << b;
        }
    }
}

// Returns the text without the name of the calendar at its end.
std::string DateOnly(std::string text) { return text.substr(0, text.find(" (")); }

TEST(TimeReference, ConvertsTimesToNumbers) {
    const std::vector<std::string> units = {
        "seconds since 1970-01-01", "days since 1850-01-01 12:00",
        "hours since 2020-01-01",   "minutes since 1999-12-30T23:59:30Z",
        "weeks since 2000-01-03",   "6 hours since 1900-01-01",
        "ns since 1970-01-01",      "milliseconds since 2001-02-03 04:05:06.5"};
    const std::vector<Calendar> calendars = {Calendar::kStandard, Calendar::kProlepticGregorian,
                                             Calendar::kJulian,   Calendar::kNoLeap,
                                             Calendar::kAllLeap,  Calendar::k360Day};
    for (const std::string& unit : units) {
        for (const Calendar calendar : calendars) {
            auto reference = TimeReference::Parse(unit, calendar);
            ASSERT_TRUE(reference.ok()) << unit;
            for (const std::int64_t value : {0, 1, -1, 7, 59, 100000, -40000, 123456789}) {
                const auto text = reference->TextOf(value);
                if (!text || (*text)[0] == '-' || (*text)[0] == '+') continue;
                const auto count = reference->CountOf(DateOnly(*text));
                ASSERT_TRUE(count.ok()) << *text << ": " << count.status().message();
                EXPECT_EQ(*count, value) << unit << ": " << *text;
                EXPECT_EQ(*reference->ValueOf(DateOnly(*text)), static_cast<double>(value));
            }
        }
    }
}

TEST(TimeReference, ConvertsExactlyFarFromTheEpoch) {
    const auto reference = TimeReference::Parse("ns since 1970-01-01", Calendar::kStandard);
    ASSERT_TRUE(reference.ok());
    const auto count = reference->CountOf("2020-01-02T03:04:05.000000001Z");
    ASSERT_TRUE(count.ok());
    EXPECT_EQ(*count, 1577934245000000001);
}

TEST(TimeReference, FractionsHaveAValue) {
    const auto reference = TimeReference::Parse("days since 2020-01-01", Calendar::kStandard);
    ASSERT_TRUE(reference.ok());
    const auto count = reference->CountOf("2020-01-02T06:00:00");
    ASSERT_TRUE(count.ok());
    EXPECT_FALSE(count->has_value());
    EXPECT_EQ(*reference->ValueOf("2020-01-02T06:00:00"), 1.25);
    EXPECT_FALSE(reference->CountOf("tomorrow").ok());
    EXPECT_FALSE(reference->CountOf("2020-02-30").ok());
}

TEST(TimeReference, OfNumPysTypes) {
    const auto type = ParseTypestr("<M8[25s]");
    ASSERT_TRUE(type.ok());
    const auto reference = ReferenceOf(*type);
    ASSERT_TRUE(reference.ok());
    EXPECT_EQ(**reference->CountOf("1970-01-01T00:00:50"), 50);
    for (const char* text : {"<M8[M]", "<M8[3Y]", "<M8[2W]"})
        EXPECT_EQ(**ReferenceOf(*ParseTypestr(text))->CountOf("1970-03-01"), 59) << text;
    for (const char* text : {"<M8", "<i8"})
        EXPECT_FALSE(ReferenceOf(*ParseTypestr(text)).ok()) << text;
}

}  // namespace
}  // namespace zarr

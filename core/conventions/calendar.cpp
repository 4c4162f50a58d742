// SPDX-License-Identifier: MIT
#include "core/conventions/calendar.h"

#include <algorithm>
#include <array>
#include <limits>

namespace zarr {

namespace {

struct Name {
    std::string_view text;
    Calendar calendar;
};

// The first name of a calendar is the one that is printed.
constexpr Name kCalendars[] = {
    {"standard", Calendar::kStandard},
    {"gregorian", Calendar::kStandard},
    {"proleptic_gregorian", Calendar::kProlepticGregorian},
    {"julian", Calendar::kJulian},
    {"noleap", Calendar::kNoLeap},
    {"365_day", Calendar::kNoLeap},
    {"all_leap", Calendar::kAllLeap},
    {"366_day", Calendar::kAllLeap},
    {"360_day", Calendar::k360Day},
};

// After this many years, and days, a calendar repeats itself.
struct Cycle {
    std::int64_t years;
    std::int64_t days;
};

Cycle CycleOf(Calendar calendar) {
    switch (calendar) {
        case Calendar::kStandard:
        case Calendar::kProlepticGregorian:
            return {400, 146097};
        case Calendar::kJulian:
            return {4, 1461};
        case Calendar::kNoLeap:
            return {1, 365};
        case Calendar::kAllLeap:
            return {1, 366};
        default:
            return {1, 360};
    }
}

// Days from the start of a cycle to that of its year `year`, which may be the one after the last.
std::int64_t YearStart(const Cycle& cycle, std::int64_t year) {
    if (cycle.years == 1) return year * cycle.days;
    const std::int64_t julian = 365 * year + (year + 3) / 4;
    return cycle.years == 4 ? julian : julian - (year + 99) / 100 + (year + 399) / 400;
}

// Days from the start of a year of `year_days` to that of a month, 1 to 13.
std::int64_t MonthStart(std::int64_t year_days, std::int64_t month) {
    if (year_days == 360) return (month - 1) * 30;
    constexpr std::array<std::int64_t, 13> kStarts = {0,   31,  59,  90,  120, 151, 181,
                                                      212, 243, 273, 304, 334, 365};
    return kStarts[static_cast<std::size_t>(month - 1)] + (year_days == 366 && month > 2 ? 1 : 0);
}

// A day number of the Julian calendar, less the same day's of the Gregorian one.
constexpr std::int64_t kJulianLead = 2;

// The first Gregorian day of kStandard, 1582-10-15.
constexpr std::int64_t kSwitch = 578101;

std::optional<std::int64_t> RegularDayNumber(Calendar calendar, const Date& date) {
    if (date.year > kMaxYear || date.year < -kMaxYear) return std::nullopt;
    if (date.month < 1 || date.month > 12 || date.day < 1) return std::nullopt;
    const Cycle cycle = CycleOf(calendar);
    const Quotient years = FloorDivide(date.year, cycle.years);
    const std::int64_t start = YearStart(cycle, years.rest);
    const std::int64_t year_days = YearStart(cycle, years.rest + 1) - start;
    const std::int64_t day = MonthStart(year_days, date.month) + date.day - 1;
    if (day >= MonthStart(year_days, date.month + 1)) return std::nullopt;
    return years.quotient * cycle.days + start + day;
}

Date RegularDateOfDay(Calendar calendar, std::int64_t day) {
    const Cycle cycle = CycleOf(calendar);
    const Quotient days = FloorDivide(day, cycle.days);
    std::int64_t year = days.rest / 366;  // as many, or a few too few
    while (YearStart(cycle, year + 1) <= days.rest) ++year;
    const std::int64_t start = YearStart(cycle, year);
    const std::int64_t year_days = YearStart(cycle, year + 1) - start;
    Date date;
    date.year = days.quotient * cycle.years + year;
    while (MonthStart(year_days, date.month + 1) <= days.rest - start) ++date.month;
    date.day = days.rest - start - MonthStart(year_days, date.month) + 1;
    return date;
}

std::string Padded(std::int64_t number, std::size_t digits) {
    std::string text = std::to_string(number);
    if (text.size() < digits) text.insert(0, digits - text.size(), '0');
    return text;
}

std::string YearText(std::int64_t year) {
    if (year >= 0 && year <= 9999) return Padded(year, 4);
    const std::string digits = Padded(year, 0).substr(year < 0 ? 1 : 0);
    return (year < 0 ? "-" : "+") + std::string(6 - std::min<std::size_t>(6, digits.size()), '0') +
           digits;
}

std::string FractionText(std::int64_t attosecond) {
    if (attosecond == 0) return {};
    std::string digits = Padded(attosecond, 18);
    while (digits.compare(digits.size() - 3, 3, "000") == 0) digits.resize(digits.size() - 3);
    return "." + digits;
}

std::string Suffix(Calendar calendar) {
    if (calendar == Calendar::kStandard || calendar == Calendar::kProlepticGregorian) return "Z";
    const auto* const name =
        std::find_if(std::begin(kCalendars), std::end(kCalendars),
                     [&](const Name& candidate) { return candidate.calendar == calendar; });
    return " (" + std::string(name->text) + ")";
}

}  // namespace

std::optional<std::int64_t> MultiplyChecked(std::int64_t a, std::int64_t b) {
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
    // Division rounds to zero, so a factor beyond the quotient gives a product beyond the limit.
    bool fits = true;
    if (b > 0) fits = a >= kMin / b && a <= kMax / b;
    if (b == -1) fits = a != kMin;
    if (b < -1) fits = a <= kMin / b && a >= kMax / b;
    if (!fits) return std::nullopt;
    return a * b;
}

std::optional<std::int64_t> AddChecked(std::int64_t a, std::int64_t b) {
    if (b > 0 && a > std::numeric_limits<std::int64_t>::max() - b) return std::nullopt;
    if (b < 0 && a < std::numeric_limits<std::int64_t>::min() - b) return std::nullopt;
    return a + b;
}

std::optional<Calendar> CalendarByName(std::string_view name) {
    std::string lower(name);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    for (const Name& candidate : kCalendars)
        if (candidate.text == lower) return candidate.calendar;
    return std::nullopt;
}

std::optional<std::int64_t> DayNumber(Calendar calendar, const Date& date) {
    const auto day = RegularDayNumber(calendar, date);
    if (calendar != Calendar::kStandard || (day && *day >= kSwitch)) return day;
    const auto julian = RegularDayNumber(Calendar::kJulian, date);
    if (!julian || *julian - kJulianLead >= kSwitch) return std::nullopt;
    return *julian - kJulianLead;
}

Date DateOfDay(Calendar calendar, std::int64_t day) {
    if (calendar == Calendar::kStandard && day < kSwitch)
        return RegularDateOfDay(Calendar::kJulian, day + kJulianLead);
    return RegularDateOfDay(calendar, day);
}

std::optional<Instant> Add(const Instant& a, const Instant& b) {
    const Quotient seconds = FloorDivide(a.attosecond + b.attosecond, 1'000'000'000'000'000'000);
    const Quotient days = FloorDivide(a.second + b.second + seconds.quotient, 86400);
    const auto day = AddChecked(a.day, b.day);
    const auto sum = day ? AddChecked(*day, days.quotient) : std::nullopt;
    if (!sum) return std::nullopt;
    return Instant{*sum, days.rest, seconds.rest};
}

std::string DateTimeText(Calendar calendar, const Date& date, const Instant& time_of_day) {
    const std::int64_t second = time_of_day.second;
    return YearText(date.year) + "-" + Padded(date.month, 2) + "-" + Padded(date.day, 2) + "T" +
           Padded(second / 3600, 2) + ":" + Padded(second / 60 % 60, 2) + ":" +
           Padded(second % 60, 2) + FractionText(time_of_day.attosecond) + Suffix(calendar);
}

std::string DateTimeText(Calendar calendar, const Instant& instant) {
    return DateTimeText(calendar, DateOfDay(calendar, instant.day), instant);
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
#include "core/base/calendar.h"

#include <array>
#include <cstddef>

#include "core/base/checked.h"

namespace zarr {

namespace {

// Period after which a calendar repeats, in years and in days.
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

// Returns the days from the start of a cycle to the start of its year `year`, 0 to cycle.years.
std::int64_t YearStart(const Cycle& cycle, std::int64_t year) {
    if (cycle.years == 1) return year * cycle.days;
    const std::int64_t julian = 365 * year + (year + 3) / 4;
    return cycle.years == 4 ? julian : julian - (year + 99) / 100 + (year + 399) / 400;
}

// Returns the days from the start of a year of `year_days` days to the start of a month, 1 to 13.
std::int64_t MonthStart(std::int64_t year_days, std::int64_t month) {
    if (year_days == 360) return (month - 1) * 30;
    constexpr std::array<std::int64_t, 13> kStarts = {0,   31,  59,  90,  120, 151, 181,
                                                      212, 243, 273, 304, 334, 365};
    return kStarts[static_cast<std::size_t>(month - 1)] + (year_days == 366 && month > 2 ? 1 : 0);
}

// Days from 0000-01-01 of the Julian calendar to 0000-01-01 of the Gregorian calendar.
constexpr std::int64_t kJulianLead = 2;

// Days from 0000-01-01 of the Gregorian calendar to 1582-10-15, the first Gregorian day of
// kStandard.
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
    std::int64_t year = days.rest / 366;  // lower bound for the year
    while (YearStart(cycle, year + 1) <= days.rest) ++year;
    const std::int64_t start = YearStart(cycle, year);
    const std::int64_t year_days = YearStart(cycle, year + 1) - start;
    Date date;
    date.year = days.quotient * cycle.years + year;
    while (MonthStart(year_days, date.month + 1) <= days.rest - start) ++date.month;
    date.day = days.rest - start - MonthStart(year_days, date.month) + 1;
    return date;
}

}  // namespace

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

}  // namespace zarr

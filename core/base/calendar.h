// SPDX-License-Identifier: MIT
// Days of dates in the calendars of the CF conventions.
#pragma once

#include <cstdint>
#include <optional>

namespace zarr {

// Calendars of the CF conventions (section 4.4.1).
enum class Calendar : std::uint8_t {
    kStandard,            // Julian until 1582-10-04, then Gregorian from 1582-10-15, the next day
    kProlepticGregorian,  // Gregorian at all times
    kJulian,
    kNoLeap,   // years of 365 days
    kAllLeap,  // years of 366 days
    k360Day,   // months of 30 days
};

// A date in a calendar. Years are astronomical, as in ISO 8601: 1 BC is year 0.
struct Date {
    std::int64_t year = 0;
    std::int64_t month = 1;  // 1 to 12
    std::int64_t day = 1;    // 1 to 31
};

// Maximum year that DayNumber() accepts; the minimum is -kMaxYear.
inline constexpr std::int64_t kMaxYear = 1'000'000'000;

// Returns the number of days from 0000-01-01 of the calendar to the date. For kStandard, counts
// from 0000-01-01 of the proleptic Gregorian calendar. Returns nullopt if the calendar lacks the
// date.
std::optional<std::int64_t> DayNumber(Calendar calendar, const Date& date);

// Returns the date for which DayNumber() returns `day`.
Date DateOfDay(Calendar calendar, std::int64_t day);

// Day number of 1970-01-01 in kProlepticGregorian.
inline constexpr std::int64_t kUnixEpochDay = 719528;

}  // namespace zarr

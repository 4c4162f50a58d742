// SPDX-License-Identifier: MIT
// Calendars and dates. Integers only; nothing here overflows or rounds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zarr {

// The calendars of the CF conventions, section 4.4.1.
enum class Calendar : std::uint8_t {
    kStandard,            // Julian up to 1582-10-04, Gregorian from the next day, 1582-10-15
    kProlepticGregorian,  // Gregorian at all times
    kJulian,
    kNoLeap,   // years of 365 days
    kAllLeap,  // years of 366 days
    k360Day,   // months of 30 days
};

// By the name in an attribute `calendar`, in any case: "standard", "gregorian", "365_day", ...
std::optional<Calendar> CalendarByName(std::string_view name);

// A day of a calendar. Years are counted as astronomers and ISO 8601 do: 1 BC is year 0.
struct Date {
    std::int64_t year = 0;
    std::int64_t month = 1;  // 1 to 12
    std::int64_t day = 1;    // 1 to 31
};

// Largest year, and with a minus the smallest, that DayNumber() accepts.
inline constexpr std::int64_t kMaxYear = 1'000'000'000;

// The number of a date: days since 0000-01-01 of the calendar, since that of the Gregorian one for
// kStandard. None where the calendar has no such date.
std::optional<std::int64_t> DayNumber(Calendar calendar, const Date& date);

// The date of any day number.
Date DateOfDay(Calendar calendar, std::int64_t day);

// A point in time of some calendar, or the time between two of them.
struct Instant {
    std::int64_t day = 0;
    std::int64_t second = 0;      // 0 to 86399
    std::int64_t attosecond = 0;  // 0 to 10^18 - 1
};

// The sum; none where its day does not fit.
std::optional<Instant> Add(const Instant& a, const Instant& b);

// A date and time of day as text: "2020-01-02T06:00:00Z" (ISO 8601) in the calendars of the real
// world, kStandard and kProlepticGregorian. Dates of the others are none of ISO 8601's and say so:
// "2020-02-30T00:00:00 (360_day)". Seconds get 3, 6, 9, ... digits where they have a fraction.
// Years before 0 and after 9999 have a sign and at least six digits (ISO 8601's expanded form).
std::string DateTimeText(Calendar calendar, const Date& date, const Instant& time_of_day);

// The same of the instant's own date.
std::string DateTimeText(Calendar calendar, const Instant& instant);

// floor(a / b) and what is left of it, 0 to b - 1, for b > 0.
struct Quotient {
    std::int64_t quotient;
    std::int64_t rest;
};
constexpr Quotient FloorDivide(std::int64_t a, std::int64_t b) {
    const std::int64_t rest = a % b;
    return rest < 0 ? Quotient{a / b - 1, rest + b} : Quotient{a / b, rest};
}

// a * b and a + b; none where they do not fit.
std::optional<std::int64_t> MultiplyChecked(std::int64_t a, std::int64_t b);
std::optional<std::int64_t> AddChecked(std::int64_t a, std::int64_t b);

}  // namespace zarr

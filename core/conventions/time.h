// SPDX-License-Identifier: MIT
// Times as CF conventions and NumPy store them, numbers since an epoch, as ISO 8601 text. The text
// is DateTimeText()'s, which see for calendars other than the real world's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/status.h"
#include "core/conventions/attributes.h"
#include "core/dtype/data_type.h"

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
// world, kStandard and kProlepticGregorian. Dates of the others are not ISO 8601's and say so:
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

// What one of the numbers means: num / den seconds, or days, times `multiple`.
struct TimeStep {
    std::int64_t num = 1;
    std::int64_t den = 1;
    bool in_days = false;
    std::int64_t multiple = 1;
};

// CF's "hours since 2020-01-01 12:00:00.5 +01:00" in a calendar (CF conventions, section 4.4).
class TimeReference {
  public:
    // `units` as UDUNITS reads them, in any case: "[count] unit since date [clock [zone]]".
    //
    // Units are seconds, minutes, hours, days, weeks, fortnights, months, years, common_years, with
    // UDUNITS' and cftime's abbreviations, down to ns. A year is UDUNITS' 365.242198781 days and a
    // month a twelfth of it; in the calendar 360_day they are 360 and 30 days, as in cftime.
    //
    // Dates are year[-month[-day]] or YYYYMMDD; clocks h[:m[:s]] or, after a T, hhmm[ss]; zones Z,
    // UTC, GMT, [+-]h[:m], [+-]hhmm. A zone without a sign or leading zero is one too, as for
    // UDUNITS; cftime passes over those. Years before 1 in the calendars standard and julian are
    // historical, -1 being 1 BC, and there is no year 0, as in cftime.
    //
    // Errors say what is wrong with the text, not where it comes from.
    static Result<TimeReference> Parse(std::string_view units, Calendar calendar);

    // The time of an integer: exact. None where it is too far off to be counted.
    std::optional<std::string> TextOf(std::int64_t value) const;
    // The time of a double, to the nearest microsecond, ties to even, as cftime does. None too for
    // NaN and infinities.
    std::optional<std::string> TextOf(double value) const;

    // The number of a time of the same calendar, written as the date of `units` is: exact, or none
    // where it is not a whole number. Errors say what is wrong with the text.
    Result<std::optional<std::int64_t>> CountOf(std::string_view time) const;
    // The same, also for what is not a whole number, to the nearest double.
    Result<double> ValueOf(std::string_view time) const;

  private:
    Result<Instant> Since(std::string_view time) const;

    Calendar calendar_ = Calendar::kStandard;
    TimeStep step_;
    Instant epoch_;
};

// The meaning of the elements of kDatetime; kUnsupported for months and years, which have no
// length, and for a type without a unit.
Result<TimeReference> ReferenceOf(const DataType& type);

// True where `units` are meant to be time since a date: they have the word "since".
bool IsTimeSince(std::string_view units);

// The meaning of an array of times by its attributes `units` and `calendar` (default: standard).
// None, without a warning, where `units` are not time since a date; a calendar that is unknown, and
// units that say "since" and are no units, give a warning and none.
std::optional<TimeReference> ReadTimeReference(const json::Value& attributes, Warnings& warnings);

// The text of an element of kDatetime, exact in every unit of NumPy: "2020-01-02T00:00:00Z"; "NaT".
// None for a type without a unit, and where NumPy itself overflows.
std::optional<std::string> DatetimeText(const DataType& type, std::int64_t ticks);

// The text of an element of kTimedelta: "6 hours", "1 day", "NaT"; a number where the type has no
// unit. None where it does not fit.
std::optional<std::string> TimedeltaText(const DataType& type, std::int64_t ticks);

// Reads "hours since 2020-01-01 12:00" into the unit and the epoch, the latter in UTC and in days
// of `calendar`. TimeReference::Parse() tells what is accepted.
Status ParseTimeUnits(std::string_view units, Calendar calendar, TimeStep& step, Instant& epoch);

}  // namespace zarr

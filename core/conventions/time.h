// SPDX-License-Identifier: MIT
// Converts times that CF conventions and NumPy store as numbers since an epoch to ISO 8601 text.
// For calendars that ISO 8601 lacks, see DateTimeText().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/status.h"
#include "core/conventions/attributes.h"
#include "core/dtype/data_type.h"

namespace zarr {

// Calendars of the CF conventions, section 4.4.1.
enum class Calendar : std::uint8_t {
    kStandard,            // Julian to 1582-10-04, Gregorian from 1582-10-15, the next day
    kProlepticGregorian,  // Gregorian at all times
    kJulian,
    kNoLeap,   // years of 365 days
    kAllLeap,  // years of 366 days
    k360Day,   // months of 30 days
};

// Returns the calendar with the name `name` in the attribute `calendar`, ignoring case: "standard",
// "gregorian", "365_day", ... Returns nullopt if the name is unknown.
std::optional<Calendar> CalendarByName(std::string_view name);

// A date in a calendar. Years are astronomical, as in ISO 8601: 1 BC is year 0.
struct Date {
    std::int64_t year = 0;
    std::int64_t month = 1;  // 1 to 12
    std::int64_t day = 1;    // 1 to 31
};

// Maximum year that DayNumber() accepts; the minimum is -kMaxYear.
inline constexpr std::int64_t kMaxYear = 1'000'000'000;

// Returns the number of days from 0000-01-01 to the date in the calendar. For kStandard, the count
// starts at 0000-01-01 of the proleptic Gregorian calendar. Returns nullopt if the calendar does
// not have the date.
std::optional<std::int64_t> DayNumber(Calendar calendar, const Date& date);

// Returns the date whose DayNumber() is `day`.
Date DateOfDay(Calendar calendar, std::int64_t day);

// A point in time in some calendar, or a duration: the sum of `day`, `second` and `attosecond`.
struct Instant {
    std::int64_t day = 0;
    std::int64_t second = 0;      // 0 to 86399
    std::int64_t attosecond = 0;  // 0 to 10^18 - 1
};

// Returns the sum; nullopt if the day overflows.
std::optional<Instant> Add(const Instant& a, const Instant& b);

// Returns a date and time of day as text. kStandard and kProlepticGregorian give ISO 8601:
// "2020-01-02T06:00:00Z". Other calendars are named in the text: "2020-02-30T00:00:00 (360_day)".
// Fractional seconds have 3, 6, 9, ... digits. Years before 0 and after 9999 have a sign and at
// least six digits (ISO 8601, expanded form).
std::string DateTimeText(Calendar calendar, const Date& date, const Instant& time_of_day);

// Returns the date and time of day of an instant as text.
std::string DateTimeText(Calendar calendar, const Instant& instant);

// Result of a division of `a` by a positive `b`: the quotient floor(a / b), and the remainder, from
// 0 to b - 1.
struct Quotient {
    std::int64_t quotient;
    std::int64_t rest;
};
constexpr Quotient FloorDivide(std::int64_t a, std::int64_t b) {
    const std::int64_t rest = a % b;
    return rest < 0 ? Quotient{a / b - 1, rest + b} : Quotient{a / b, rest};
}

// Return a * b and a + b; nullopt if the result overflows.
std::optional<std::int64_t> MultiplyChecked(std::int64_t a, std::int64_t b);
std::optional<std::int64_t> AddChecked(std::int64_t a, std::int64_t b);

// Duration of one unit of a stored number: num / den * multiple, in seconds, or in days if
// `in_days`.
struct TimeStep {
    std::int64_t num = 1;
    std::int64_t den = 1;
    bool in_days = false;
    std::int64_t multiple = 1;
};

// Converts numbers to times and back by CF time units in a calendar (CF conventions, section 4.4).
// An example of units is "hours since 2020-01-01 12:00:00.5 +01:00".
class TimeReference {
  public:
    // Parses `units` as UDUNITS does, ignoring case: "[count] unit since date [clock [zone]]".
    //
    // Units are seconds, minutes, hours, days, weeks, fortnights, months, years, common_years, with
    // the abbreviations of UDUNITS and cftime, down to ns. A year has 365.242198781 days (UDUNITS),
    // a month is a twelfth of a year. In the calendar 360_day, a year has 360 days and a month 30
    // days, as in cftime.
    //
    // Dates are year[-month[-day]] or YYYYMMDD. Clocks are h[:m[:s]] or, after a T, hhmm[ss]. Zones
    // are Z, UTC, GMT, [+-]h[:m], [+-]hhmm. A zone may lack the sign or a leading zero, as in
    // UDUNITS; cftime ignores such a zone. Years before 1 in the calendars standard and julian are
    // historical, as in cftime: -1 is 1 BC, and there is no year 0.
    //
    // Error messages describe the fault in `units`, but do not say where `units` come from.
    static Result<TimeReference> Parse(std::string_view units, Calendar calendar);

    // Returns the exact time of the integer `value` as text. Returns nullopt on overflow.
    std::optional<std::string> TextOf(std::int64_t value) const;
    // Returns the time of the double `value` as text, rounded to the nearest microsecond, ties to
    // even, as in cftime. Returns nullopt for NaN, infinity, and on overflow.
    std::optional<std::string> TextOf(double value) const;

    // Returns the integer that stands for `time` in this calendar; nullopt if `time` is not a whole
    // number of units. `time` is a date in the form that `units` use. Error messages describe the
    // fault in `time`.
    Result<std::optional<std::int64_t>> CountOf(std::string_view time) const;
    // Returns the number that stands for `time` in this calendar, rounded to the nearest double if
    // not an integer. `time` is a date in the form that `units` use.
    Result<double> ValueOf(std::string_view time) const;

  private:
    Result<Instant> Since(std::string_view time) const;

    Calendar calendar_ = Calendar::kStandard;
    TimeStep step_;
    Instant epoch_;
};

// Returns the reference that converts elements of `type`, a kDatetime type, to times. Returns
// kUnsupported for months and years, whose length varies, and for a type without a unit.
Result<TimeReference> ReferenceOf(const DataType& type);

// True if `units` contain the word "since".
bool IsTimeSince(std::string_view units);

// Returns the reference that converts an array's numbers to times. The source is the array's
// attributes `units` and `calendar` (default: standard). Returns nullopt without a warning if
// `units` do not contain "since". An unknown calendar or invalid units give a warning and nullopt.
std::optional<TimeReference> ReadTimeReference(const json::Value& attributes, Warnings& warnings);

// Returns an element of a kDatetime type as text, exact in every NumPy unit:
// "2020-01-02T00:00:00Z", "NaT". nullopt for a type without a unit, and on overflow.
std::optional<std::string> DatetimeText(const DataType& type, std::int64_t ticks);

// Returns an element of a kTimedelta type as text: "6 hours", "1 day", "NaT"; a plain number if the
// type has no unit. nullopt on overflow.
std::optional<std::string> TimedeltaText(const DataType& type, std::int64_t ticks);

// Parses units such as "hours since 2020-01-01 12:00" into the unit and the epoch. The epoch is in
// UTC, in days of `calendar`. TimeReference::Parse() defines the accepted forms.
Status ParseTimeUnits(std::string_view units, Calendar calendar, TimeStep& step, Instant& epoch);

}  // namespace zarr

// SPDX-License-Identifier: MIT
// Converts times that CF conventions and NumPy store as numbers since an epoch to ISO 8601 text.
// For calendars that ISO 8601 lacks, see DateTimeText().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/calendar.h"
#include "core/base/checked.h"
#include "core/base/status.h"
#include "core/conventions/attributes/attributes.h"
#include "core/dtype/data_type.h"

namespace zarr {

// Returns the calendar with the name `name` in the attribute `calendar`, ignoring case: "standard",
// "gregorian", "365_day", ... Returns nullopt if the name is unknown.
std::optional<Calendar> CalendarByName(std::string_view name);

// A point in time, or a duration: the sum of `day`, `second` and `attosecond`.
struct Instant {
    std::int64_t day = 0;
    std::int64_t second = 0;      // 0 to 86399
    std::int64_t attosecond = 0;  // 0 to 10^18 - 1
};

// Returns the sum of two instants; nullopt if the day overflows.
std::optional<Instant> Add(const Instant& a, const Instant& b);

// Returns a date and time of day as text. kStandard and kProlepticGregorian give ISO 8601:
// "2020-01-02T06:00:00Z". Other calendars are named in the text: "2020-02-30T00:00:00 (360_day)".
//
// Fractions of a second have 3, 6, 9, ... digits. Years before 0 and after 9999 have a sign and at
// least six digits (ISO 8601, expanded form).
std::string DateTimeText(Calendar calendar, const Date& date, const Instant& time_of_day);

// Returns the date and time of day of an instant as text.
std::string DateTimeText(Calendar calendar, const Instant& instant);

// Duration of one time unit: num / den * multiple seconds, or days if `in_days` is true.
struct TimeStep {
    std::int64_t num = 1;
    std::int64_t den = 1;
    bool in_days = false;
    std::int64_t multiple = 1;
};

// Converts numbers with CF time units, such as "hours since 2020-01-01 12:00:00.5 +01:00", to times
// and back (CF conventions, section 4.4).
class TimeReference {
  public:
    // Parses `units` as UDUNITS does, ignoring case: "[count] unit since date [clock [zone]]".
    //
    // Units are seconds to fortnights, months, years and common_years, with the abbreviations of
    // UDUNITS and cftime, down to ns. A year has 365.242198781 days (360 in the calendar 360_day),
    // a month is a twelfth of a year.
    //
    // Dates are year[-month[-day]] or YYYYMMDD. Clocks are h[:m[:s]] or, after a T, hhmm[ss]. Zones
    // are Z, UTC, GMT, [+-]h[:m] or [+-]hhmm; the sign and leading zeros are optional. In the
    // calendars standard and julian, year -1 is 1 BC, and there is no year 0.
    //
    // Error messages describe the fault in `units`, but do not say where `units` come from.
    static Result<TimeReference> Parse(std::string_view units, Calendar calendar);

    // Returns the exact time of the integer `value` as text. Returns nullopt on overflow.
    std::optional<std::string> TextOf(std::int64_t value) const;
    // Returns the time of the double `value` as text, rounded to microseconds (ties to even, as in
    // cftime). Returns nullopt for NaN, infinity and overflow.
    std::optional<std::string> TextOf(double value) const;

    // Returns the stored integer for `time`, a date in the form that `units` use. Returns nullopt
    // if `time` is not a whole number of units. Error messages describe the fault in `time`.
    Result<std::optional<std::int64_t>> CountOf(std::string_view time) const;
    // Returns the stored number for `time`, a date in the form that `units` use. If the number is
    // not an integer, returns the nearest double.
    Result<double> ValueOf(std::string_view time) const;

  private:
    Result<Instant> Since(std::string_view time) const;

    Calendar calendar_ = Calendar::kStandard;
    TimeStep step_;
    Instant epoch_;
};

// Returns the TimeReference for elements of PlainTimeType(type). `type` is a kDatetime type.
// Returns kUnsupported for a type without a unit.
Result<TimeReference> ReferenceOf(const DataType& type);

// True if `units` contain the word "since".
bool IsTimeSince(std::string_view units);

// True if the attributes `units` and `calendar` are those of times that xarray decodes to NumPy's
// datetime64: the least integer of 64 bits is then NaT ("not a time"). In calendars that NumPy
// lacks, xarray fails at this integer.
bool AreTimesOfNumPy(const json::Value& attributes);

// Returns the TimeReference that the array's attributes `units` and `calendar` (default: standard)
// state. Returns nullopt if `units` do not contain "since". Warns about an unknown calendar or
// invalid units, and returns nullopt.
Fact<std::optional<TimeReference>> ReadTimeReference(const json::Value& attributes);

// Returns an element of a kDatetime type as exact text: "2020-01-02T00:00:00Z" or "NaT". Returns
// nullopt for a type without a unit, and on overflow.
std::optional<std::string> DatetimeText(const DataType& type, std::int64_t ticks);

// Returns an element of a kTimedelta type as text: "6 hours", "1 day", "NaT", or a plain number if
// the type has no unit. Returns nullopt on overflow.
std::optional<std::string> TimedeltaText(const DataType& type, std::int64_t ticks);

// Parses units such as "hours since 2020-01-01 12:00" into the unit and the epoch, in UTC days of
// `calendar`. TimeReference::Parse() defines the accepted forms.
Status ParseTimeUnits(std::string_view units, Calendar calendar, TimeStep& step, Instant& epoch);

}  // namespace zarr

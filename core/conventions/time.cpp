// SPDX-License-Identifier: MIT
#include "core/conventions/time.h"

#include <array>
#include <cmath>

#include "core/base/text.h"
#include "core/conventions/time_parser.h"
#include "core/conventions/values.h"

namespace zarr {

namespace {

constexpr std::int64_t kAttoseconds = 1'000'000'000'000'000'000;
constexpr std::int64_t kAttosecondsPerMicrosecond = 1'000'000'000'000;

// The time that `value` steps take, exactly.
std::optional<Instant> Elapsed(const TimeStep& step, std::int64_t value) {
    const auto count = MultiplyChecked(value, step.multiple);
    if (!count) return std::nullopt;
    const Quotient units = FloorDivide(*count, step.den);
    // Of the steps that are no whole number, num * den fits.
    const Quotient rest = FloorDivide(units.rest * step.num, step.den);
    const auto product = MultiplyChecked(units.quotient, step.num);
    const auto whole = product ? AddChecked(*product, rest.quotient) : std::nullopt;
    if (!whole) return std::nullopt;
    if (step.in_days) return Instant{*whole, rest.rest * (86400 / step.den), 0};
    const Quotient days = FloorDivide(*whole, 86400);
    return Instant{days.quotient, days.rest, rest.rest * (kAttoseconds / step.den)};
}

// The same of a double, to the microsecond.
std::optional<Instant> Elapsed(const TimeStep& step, double value) {
    constexpr double kTooMany = 9e18;
    if (!(std::fabs(value) < kTooMany)) return std::nullopt;
    // An even number of steps is exact as an integer, and leaves ties to go to the even microsecond
    // of the sum.
    const double even = 2 * std::trunc(value / 2);
    auto elapsed = Elapsed(step, static_cast<std::int64_t>(even));
    if (!elapsed) return std::nullopt;
    const double step_micros = (step.in_days ? 86400e6 : 1e6) * static_cast<double>(step.num) /
                               static_cast<double>(step.den) * static_cast<double>(step.multiple);
    const double micros =
        std::nearbyint(static_cast<double>(elapsed->attosecond) / kAttosecondsPerMicrosecond +
                       (value - even) * step_micros);
    if (!(std::fabs(micros) < kTooMany)) return std::nullopt;
    const Quotient seconds = FloorDivide(static_cast<std::int64_t>(micros), 1'000'000);
    const Quotient days = FloorDivide(seconds.quotient, 86400);
    elapsed->attosecond = 0;
    return Add(*elapsed, {days.quotient, days.rest, seconds.rest * kAttosecondsPerMicrosecond});
}

// Of NumPy's units from weeks on; years and months are no number of days.
TimeStep StepOf(TimeUnit unit) {
    switch (unit) {
        case TimeUnit::kWeek:
            return {7, 1, true};
        case TimeUnit::kDay:
            return {1, 1, true};
        case TimeUnit::kHour:
            return {1, 24, true};
        case TimeUnit::kMinute:
            return {1, 1440, true};
        case TimeUnit::kSecond:
            return {1, 86400, true};
        case TimeUnit::kMillisecond:
            return {1, 1'000};
        case TimeUnit::kMicrosecond:
            return {1, 1'000'000};
        case TimeUnit::kNanosecond:
            return {1, 1'000'000'000};
        case TimeUnit::kPicosecond:
            return {1, 1'000'000'000'000};
        case TimeUnit::kFemtosecond:
            return {1, 1'000'000'000'000'000};
        default:
            return {1, kAttoseconds};
    }
}

}  // namespace

Result<TimeReference> TimeReference::Parse(std::string_view units, Calendar calendar) {
    TimeReference reference;
    reference.calendar_ = calendar;
    ZARR_RETURN_IF_ERROR(ParseTimeUnits(units, calendar, reference.step_, reference.epoch_));
    return reference;
}

std::optional<std::string> TimeReference::TextOf(std::int64_t value) const {
    const auto elapsed = Elapsed(step_, value);
    const auto instant = elapsed ? Add(epoch_, *elapsed) : std::nullopt;
    if (!instant) return std::nullopt;
    return DateTimeText(calendar_, *instant);
}

std::optional<std::string> TimeReference::TextOf(double value) const {
    const auto elapsed = Elapsed(step_, value);
    const auto instant = elapsed ? Add(epoch_, *elapsed) : std::nullopt;
    if (!instant) return std::nullopt;
    return DateTimeText(calendar_, *instant);
}

// The time from the epoch to `time`.
Result<Instant> TimeReference::Since(std::string_view time) const {
    TimeReference other;
    ZARR_RETURN_IF_ERROR(
        ParseTimeUnits("seconds since " + std::string(time), calendar_, other.step_, other.epoch_));
    Instant elapsed = other.epoch_;
    elapsed.day -= epoch_.day;
    elapsed.second -= epoch_.second;
    elapsed.attosecond -= epoch_.attosecond;
    const Quotient seconds = FloorDivide(elapsed.attosecond, kAttoseconds);
    const Quotient days = FloorDivide(elapsed.second + seconds.quotient, 86400);
    return Instant{elapsed.day + days.quotient, days.rest, seconds.rest};
}

Result<std::optional<std::int64_t>> TimeReference::CountOf(std::string_view time) const {
    ZARR_ASSIGN_OR_RETURN(const Instant elapsed, Since(time));
    const std::optional<std::int64_t> none;
    // Whole days or seconds, and what of them is left over, in units.
    const std::int64_t whole_units = step_.den;
    std::optional<std::int64_t> count;
    Quotient rest{};
    if (step_.in_days) {
        if (elapsed.attosecond != 0 || step_.den > 86400) return none;
        count = MultiplyChecked(elapsed.day, whole_units);
        rest = FloorDivide(elapsed.second * whole_units, 86400);
    } else {
        if (kAttoseconds % step_.den != 0) return none;
        const auto seconds = MultiplyChecked(elapsed.day, 86400);
        const auto all = seconds ? AddChecked(*seconds, elapsed.second) : std::nullopt;
        if (all) count = MultiplyChecked(*all, whole_units);
        rest = FloorDivide(elapsed.attosecond, kAttoseconds / step_.den);
    }
    if (count) count = AddChecked(*count, rest.quotient);
    const auto size = MultiplyChecked(step_.num, step_.multiple);
    if (!count || rest.rest != 0 || !size || *size < 1) return none;
    const Quotient multiples = FloorDivide(*count, *size);
    return multiples.rest == 0 ? std::optional<std::int64_t>(multiples.quotient) : none;
}

Result<double> TimeReference::ValueOf(std::string_view time) const {
    ZARR_ASSIGN_OR_RETURN(const auto count, CountOf(time));
    if (count) return static_cast<double>(*count);
    ZARR_ASSIGN_OR_RETURN(const Instant elapsed, Since(time));
    const double seconds = static_cast<double>(elapsed.day) * 86400 +
                           static_cast<double>(elapsed.second) +
                           static_cast<double>(elapsed.attosecond) / 1e18;
    const double unit = static_cast<double>(step_.num) / static_cast<double>(step_.den) *
                        static_cast<double>(step_.multiple) * (step_.in_days ? 86400 : 1);
    return seconds / unit;
}

std::optional<TimeReference> ReadTimeReference(const json::Value& attributes, Warnings& warnings) {
    const std::string* units = StringAttribute(attributes, "units");
    if (units == nullptr || !IsTimeSince(*units)) return std::nullopt;
    Calendar calendar = Calendar::kStandard;
    const json::Value* name = attributes.Find("calendar");
    if (name != nullptr && !name->is_null()) {
        const auto known =
            name->as_string() != nullptr ? CalendarByName(*name->as_string()) : std::nullopt;
        if (!known) {
            warnings.push_back("attribute calendar: unknown calendar " + json::Brief(*name) +
                               "; the times stay numbers");
            return std::nullopt;
        }
        calendar = *known;
    }
    auto reference = TimeReference::Parse(*units, calendar);
    if (reference.ok()) return reference.Take();
    warnings.push_back("attribute units: " + Quoted(*units) + ": " + reference.status().message() +
                       "; the times stay numbers");
    return std::nullopt;
}

Result<TimeReference> ReferenceOf(const DataType& type) {
    const std::string units = TimeUnits(type);
    if (units.empty() || type.time_unit == TimeUnit::kMonth || type.time_unit == TimeUnit::kYear)
        return Status::Unsupported("times of dtype " + type.ToString() + " have no fixed unit");
    return TimeReference::Parse(units, Calendar::kProlepticGregorian);
}

std::optional<std::string> DatetimeText(const DataType& type, std::int64_t ticks) {
    if (ticks == kNotATime) return "NaT";
    if (type.time_unit == TimeUnit::kGeneric || type.time_multiple > INT64_MAX) return std::nullopt;
    const auto count = MultiplyChecked(ticks, static_cast<std::int64_t>(type.time_multiple));
    if (!count) return std::nullopt;
    const bool months = type.time_unit == TimeUnit::kMonth;
    if (months || type.time_unit == TimeUnit::kYear) {
        const Quotient years = FloorDivide(*count, months ? 12 : 1);
        const auto year = AddChecked(1970, years.quotient);
        if (!year) return std::nullopt;
        return DateTimeText(Calendar::kProlepticGregorian, Date{*year, years.rest + 1, 1}, {});
    }
    constexpr Instant kEpoch = {719528, 0, 0};  // 1970-01-01
    const auto elapsed = Elapsed(StepOf(type.time_unit), *count);
    const auto instant = elapsed ? Add(kEpoch, *elapsed) : std::nullopt;
    if (!instant) return std::nullopt;
    return DateTimeText(Calendar::kProlepticGregorian, *instant);
}

std::optional<std::string> TimedeltaText(const DataType& type, std::int64_t ticks) {
    constexpr std::array<std::string_view, 14> kNames = {
        "",           "year",       "month",       "week",        "day",
        "hour",       "minute",     "second",      "millisecond", "microsecond",
        "nanosecond", "picosecond", "femtosecond", "attosecond"};
    if (ticks == kNotATime) return "NaT";
    if (type.time_multiple > INT64_MAX) return std::nullopt;
    const auto count = MultiplyChecked(ticks, static_cast<std::int64_t>(type.time_multiple));
    if (!count) return std::nullopt;
    std::string text = std::to_string(*count);
    if (type.time_unit == TimeUnit::kGeneric) return text;
    text += " " + std::string(kNames[static_cast<std::size_t>(type.time_unit)]);
    return *count == 1 || *count == -1 ? text : text + "s";
}

}  // namespace zarr

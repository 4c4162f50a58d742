// SPDX-License-Identifier: MIT
#include "core/conventions/cf/time.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/base/text.h"
#include "core/conventions/attributes/attributes.h"
#include "core/dtype/time_types.h"

namespace zarr {

namespace {

constexpr std::int64_t kAttoseconds = 1'000'000'000'000'000'000;
constexpr std::int64_t kAttosecondsPerMicrosecond = 1'000'000'000'000;

// Returns the exact duration of `value` steps; nullopt on overflow.
std::optional<Instant> Elapsed(const TimeStep& step, std::int64_t value) {
    const auto count = MultiplyChecked(value, step.multiple);
    if (!count) return std::nullopt;
    const Quotient units = FloorDivide(*count, step.den);
    // The product num * den cannot overflow for units whose den is greater than 1.
    const Quotient rest = FloorDivide(units.rest * step.num, step.den);
    const auto product = MultiplyChecked(units.quotient, step.num);
    const auto whole = product ? AddChecked(*product, rest.quotient) : std::nullopt;
    if (!whole) return std::nullopt;
    if (step.in_days) return Instant{*whole, rest.rest * (86400 / step.den), 0};
    const Quotient days = FloorDivide(*whole, 86400);
    return Instant{days.quotient, days.rest, rest.rest * (kAttoseconds / step.den)};
}

// Returns the duration of `value` steps, rounded to the microsecond; nullopt on overflow.
std::optional<Instant> Elapsed(const TimeStep& step, double value) {
    constexpr double kTooMany = 9e18;
    if (!(std::fabs(value) < kTooMany)) return std::nullopt;
    // The number is split into an even integer and a remainder. The duration of the even integer is
    // exact. If a unit is a whole number of microseconds, this duration is an even number of
    // microseconds, so ties still round to even.
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

// Returns the duration of a NumPy time unit from days to attoseconds.
TimeStep StepOf(TimeUnit unit) {
    switch (unit) {
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

struct Unit {
    std::string_view name;
    TimeStep step;
    bool has_plural = true;  // true if the unit's plural ends with an s
};

// UDUNITS defines a year as 365.242198781 days, written here as a fraction of seconds in lowest
// terms.
constexpr TimeStep kYear = {9'861'539'367'087, 312'500};
constexpr TimeStep kMonth = {3'287'179'789'029, 1'250'000};
constexpr TimeStep kMilli = {1, 1'000};
constexpr TimeStep kMicro = {1, 1'000'000};
constexpr TimeStep kNano = {1, 1'000'000'000};

constexpr Unit kTimeUnits[] = {
    {"s", {1, 86400, true}, false},
    {"sec", {1, 86400, true}},
    {"second", {1, 86400, true}},
    {"min", {1, 1440, true}},
    {"minute", {1, 1440, true}},
    {"h", {1, 24, true}, false},
    {"hr", {1, 24, true}},
    {"hour", {1, 24, true}},
    {"d", {1, 1, true}, false},
    {"day", {1, 1, true}},
    {"week", {7, 1, true}},
    {"fortnight", {14, 1, true}},
    {"month", kMonth},
    {"yr", kYear},
    {"year", kYear},
    {"common_year", {365, 1, true}},
    {"ms", kMilli, false},
    {"msec", kMilli},
    {"millisec", kMilli},
    {"millisecond", kMilli},
    {"us", kMicro, false},
    {"\xc2\xb5s", kMicro, false},  // micro sign
    {"\xce\xbcs", kMicro, false},  // Greek letter mu
    {"usec", kMicro},
    {"microsec", kMicro},
    {"microsecond", kMicro},
    {"ns", kNano, false},
    {"nsec", kNano},
    {"nanosec", kNano},
    {"nanosecond", kNano},
};

std::string Lower(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

constexpr std::string_view kSpaces = " \t\r\n\f\v";

// Removes the first word of `text` and the spaces around it; returns the word.
std::string_view TakeWord(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
    const std::string_view word = text.substr(0, text.find_first_of(kSpaces));
    text.remove_prefix(word.size());
    text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
    return word;
}

bool IsSince(std::string_view word) { return Lower(word) == "since"; }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::optional<TimeStep> StepByName(std::string_view word, Calendar calendar) {
    const std::string name = Lower(word);
    for (const Unit& unit : kTimeUnits) {
        const bool plural = unit.has_plural && name.size() == unit.name.size() + 1 &&
                            name.back() == 's' && name.compare(0, name.size() - 1, unit.name) == 0;
        if (!plural && name != unit.name) continue;
        if (calendar == Calendar::k360Day && unit.step.den == kMonth.den)
            return TimeStep{30, 1, true};
        if (calendar == Calendar::k360Day && unit.step.den == kYear.den)
            return TimeStep{360, 1, true};
        return unit.step;
    }
    return std::nullopt;
}

// Parses a date, a time of day ("clock") and a time zone. Each Read function returns false if the
// text does not match.
class DateReader {
  public:
    explicit DateReader(std::string_view text) : text_(text) {}

    Date date;
    Instant time_of_day;
    std::int64_t zone_seconds = 0;  // local time minus UTC

    bool ReadAll() {
        if (!ReadDate()) return false;
        if ((Peek() == 'T' || Peek() == 't') && IsDigit(Peek(1))) {
            ++at_;
            if (!ReadClock(true)) return false;
        } else {
            SkipSpaces();
            if (IsDigit(Peek()) && !ReadClock(false)) return false;
        }
        SkipSpaces();
        if (!AtEnd() && !ReadZone()) return false;
        SkipSpaces();
        return AtEnd();
    }

  private:
    bool AtEnd() const { return at_ == text_.size(); }
    char Peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    bool Take(char c) {
        if (Peek() != c) return false;
        ++at_;
        return true;
    }
    void SkipSpaces() {
        while (!AtEnd() && kSpaces.find(text_[at_]) != std::string_view::npos) ++at_;
    }
    // Reads an optional sign; returns -1, 1, or 0 without a sign.
    int TakeSign() { return Take('-') ? -1 : Take('+') ? 1 : 0; }

    // Reads a number of at most `most` digits. Returns the number of digits; 0 if there are none or
    // too many.
    std::size_t ReadNumber(std::size_t most, std::int64_t& number) {
        std::size_t digits = 0;
        number = 0;
        while (IsDigit(Peek()) && digits <= most) {
            number = number * 10 + (Peek() - '0');
            ++at_;
            ++digits;
        }
        return digits <= most ? digits : 0;
    }

    bool ReadDate() {
        const int sign = TakeSign();
        std::int64_t year = 0;
        const std::size_t digits = ReadNumber(9, year);
        if (digits == 0) return false;
        if (Take('-')) {
            if (ReadNumber(2, date.month) == 0) return false;
            if (Take('-') && ReadNumber(2, date.day) == 0) return false;
        } else if (digits == 8) {
            date.month = year / 100 % 100;
            date.day = year % 100;
            year /= 10000;
        } else if (digits > 4) {
            return false;
        }
        date.year = sign < 0 ? -year : year;
        return true;
    }

    bool ReadClock(bool may_be_packed) {
        std::int64_t hour = 0;
        std::int64_t minute = 0;
        std::int64_t second = 0;
        const std::size_t digits = ReadNumber(6, hour);
        if (digits > 2) {
            if (!may_be_packed || (digits != 4 && digits != 6)) return false;
            if (digits == 6) {
                second = hour % 100;
                hour /= 100;
            }
            minute = hour % 100;
            hour /= 100;
        } else if (Take(':')) {
            if (ReadNumber(2, minute) == 0) return false;
            if (Take(':') && !ReadSecond(second)) return false;
        }
        time_of_day.second = hour * 3600 + minute * 60 + second;
        return digits != 0 && hour < 24 && minute < 60 && second < 60;
    }

    bool ReadSecond(std::int64_t& second) {
        if (ReadNumber(2, second) == 0) return false;
        if (!Take('.')) return true;
        std::int64_t place = 100'000'000'000'000'000;
        for (; IsDigit(Peek()); ++at_, place /= 10)
            time_of_day.attosecond += (Peek() - '0') * place;
        return true;
    }

    bool ReadZone() {
        const std::string name = Lower(text_.substr(at_, text_.find_first_of(kSpaces, at_) - at_));
        if (name == "z" || name == "utc" || name == "gmt") {
            at_ += name.size();
            return true;
        }
        const int sign = TakeSign();
        std::int64_t hour = 0;
        std::int64_t minute = 0;
        const std::size_t digits = ReadNumber(4, hour);
        if (digits == 0) return false;
        if (digits > 2) {
            minute = hour % 100;
            hour /= 100;
        } else if (Take(':') && ReadNumber(2, minute) == 0) {
            return false;
        }
        zone_seconds = (sign < 0 ? -1 : 1) * (hour * 3600 + minute * 60);
        return hour < 24 && minute < 60;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

Status ParseEpoch(std::string_view text, Calendar calendar, Instant& epoch) {
    DateReader reader(text);
    if (!reader.ReadAll()) return Status::Invalid(Quoted(text) + " is not a date and time");
    if (calendar == Calendar::kStandard || calendar == Calendar::kJulian) {
        if (reader.date.year == 0) return Status::Invalid("the calendar has no year 0");
        if (reader.date.year < 0) ++reader.date.year;
    }
    const auto day = DayNumber(calendar, reader.date);
    if (!day) return Status::Invalid("the calendar has no date " + Quoted(text));
    const Instant local = {*day, reader.time_of_day.second, reader.time_of_day.attosecond};
    const Quotient zone = FloorDivide(-reader.zone_seconds, 86400);
    // The sum cannot overflow, because day numbers are small.
    epoch = Add(local, {zone.quotient, zone.rest, 0}).value_or(local);
    return {};
}

struct Name {
    std::string_view text;
    Calendar calendar;
};

// Names of calendars. If a calendar has several names, output uses the first.
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

// Returns the duration from the epoch to `time`.
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
    // Length of the time step's unit (a day or a second), in units of 1 / den.
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

Fact<std::optional<TimeReference>> ReadTimeReference(const json::Value& attributes) {
    const std::string* units = StringAttribute(attributes, "units");
    if (units == nullptr || !IsTimeSince(*units)) return {};
    Calendar calendar = Calendar::kStandard;
    const json::Value* name = attributes.Find("calendar");
    if (name != nullptr && !name->is_null()) {
        const auto known =
            name->as_string() != nullptr ? CalendarByName(*name->as_string()) : std::nullopt;
        if (!known)
            return {std::nullopt,
                    {"attribute calendar: unknown calendar " + json::Brief(*name) +
                     "; times are shown as numbers"}};
        calendar = *known;
    }
    auto reference = TimeReference::Parse(*units, calendar);
    if (reference.ok()) return {reference.Take()};
    return {std::nullopt,
            {"attribute units: " + Quoted(*units) + ": " + reference.status().message() +
             "; times are shown as numbers"}};
}

Result<TimeReference> ReferenceOf(const DataType& type) {
    const std::string units = TimeUnits(type);
    if (units.empty())
        return Status::Unsupported("times of dtype " + type.ToString() + " have no fixed unit");
    return TimeReference::Parse(units, Calendar::kProlepticGregorian);
}

std::optional<std::string> DatetimeText(const DataType& type, std::int64_t ticks) {
    if (ticks == kNotATime) return "NaT";
    const std::int64_t plain = ToPlainTicks(type, ticks);
    if (type.time_unit == TimeUnit::kGeneric || plain == kNotATime) return std::nullopt;
    constexpr Instant kEpoch = {kUnixEpochDay, 0, 0};
    const auto elapsed = Elapsed(StepOf(PlainTimeType(type).time_unit), plain);
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

// ---------------------------------------------------------------------------------------------
// Parsing

bool IsTimeSince(std::string_view units) {
    while (!units.empty())
        if (IsSince(TakeWord(units))) return true;
    return false;
}

bool AreTimesOfNumPy(const json::Value& attributes) {
    const std::string* const units = StringAttribute(attributes, "units");
    if (units == nullptr || !IsTimeSince(*units)) return false;
    const std::string* const name = StringAttribute(attributes, "calendar");
    const auto calendar = name != nullptr ? CalendarByName(*name) : Calendar::kStandard;
    return calendar == Calendar::kStandard || calendar == Calendar::kProlepticGregorian;
}

Status ParseTimeUnits(std::string_view units, Calendar calendar, TimeStep& step, Instant& epoch) {
    std::string_view word = TakeWord(units);
    std::int64_t multiple = 1;
    if (!word.empty() && IsDigit(word.front())) {
        const char* const end = word.data() + word.size();
        const auto [stop, error] = std::from_chars(word.data(), end, multiple);
        if (error != std::errc() || stop != end || multiple == 0)
            return Status::Invalid(Quoted(word) + " is not a number of time units");
        word = TakeWord(units);
    }
    const auto unit = StepByName(word, calendar);
    if (!unit) return Status::Invalid(Quoted(word) + " is not a unit of time");
    step = *unit;
    step.multiple = multiple;
    word = TakeWord(units);
    if (!IsSince(word)) return Status::Invalid("expected \"since\", got " + Quoted(word));
    return ParseEpoch(units, calendar, epoch);
}

// ---------------------------------------------------------------------------------------------
// Calendars and instants

std::optional<Calendar> CalendarByName(std::string_view name) {
    std::string lower(name);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    for (const Name& candidate : kCalendars)
        if (candidate.text == lower) return candidate.calendar;
    return std::nullopt;
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

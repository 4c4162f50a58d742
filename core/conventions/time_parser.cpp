// SPDX-License-Identifier: MIT
#include "core/conventions/time_parser.h"

#include <algorithm>
#include <charconv>

#include "core/base/text.h"

namespace zarr {

namespace {

struct Unit {
    std::string_view name;
    TimeStep step;
    bool has_plural = true;  // with an s
};

// UDUNITS' year is 365.242198781 days, as a fraction of seconds in lowest terms.
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
    {"\xc2\xb5s", kMicro, false},  // with the micro sign
    {"\xce\xbcs", kMicro, false},  // and with the Greek letter
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

// The text up to the next space, which is taken off `text` with the spaces around it.
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

// Reads a date, a clock and a zone, character by character. Each Read function is false where
// the text is none of its kind.
class DateReader {
  public:
    explicit DateReader(std::string_view text) : text_(text) {}

    Date date;
    Instant time_of_day;
    std::int64_t zone_seconds = 0;  // local time less UTC

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
    // -1 or 1 for a sign that is there, else 0.
    int TakeSign() { return Take('-') ? -1 : Take('+') ? 1 : 0; }

    // A number of at most `most` digits; how many it has, 0 for none or too many.
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
    if (!reader.ReadAll()) return Status::Invalid(Quoted(text) + " is no date and time");
    if (calendar == Calendar::kStandard || calendar == Calendar::kJulian) {
        if (reader.date.year == 0) return Status::Invalid("the calendar has no year 0");
        if (reader.date.year < 0) ++reader.date.year;
    }
    const auto day = DayNumber(calendar, reader.date);
    if (!day) return Status::Invalid("the calendar has no date " + Quoted(text));
    const Instant local = {*day, reader.time_of_day.second, reader.time_of_day.attosecond};
    const Quotient zone = FloorDivide(-reader.zone_seconds, 86400);
    epoch = Add(local, {zone.quotient, zone.rest, 0}).value_or(local);  // day numbers are small
    return {};
}

}  // namespace

bool IsTimeSince(std::string_view units) {
    while (!units.empty())
        if (IsSince(TakeWord(units))) return true;
    return false;
}

Status ParseTimeUnits(std::string_view units, Calendar calendar, TimeStep& step, Instant& epoch) {
    std::string_view word = TakeWord(units);
    std::int64_t multiple = 1;
    if (!word.empty() && IsDigit(word.front())) {
        const char* const end = word.data() + word.size();
        const auto [stop, error] = std::from_chars(word.data(), end, multiple);
        if (error != std::errc() || stop != end || multiple == 0)
            return Status::Invalid(Quoted(word) + " is no count of a unit of time");
        word = TakeWord(units);
    }
    const auto unit = StepByName(word, calendar);
    if (!unit) return Status::Invalid(Quoted(word) + " is no unit of time");
    step = *unit;
    step.multiple = multiple;
    word = TakeWord(units);
    if (!IsSince(word)) return Status::Invalid("expected \"since\", got " + Quoted(word));
    return ParseEpoch(units, calendar, epoch);
}

}  // namespace zarr

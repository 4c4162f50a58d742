// SPDX-License-Identifier: MIT
#include "core/dtype/time_types.h"

#include <limits>
#include <optional>

#include "core/base/calendar.h"
#include "core/base/checked.h"
#include "core/base/endian.h"

namespace zarr {

namespace {

constexpr Calendar kCalendar = Calendar::kProlepticGregorian;  // NumPy's
constexpr std::int64_t kMonthsPerYear = 12;
constexpr std::int64_t kEpochYear = 1970;

// A tick as a multiple of a unit.
struct Tick {
    TimeUnit unit;
    std::int64_t count;
};

// True for the months and years of datetime64, whose lengths follow the calendar.
bool FollowsCalendar(const DataType& type) {
    return type.kind == DataKind::kDatetime &&
           (type.time_unit == TimeUnit::kMonth || type.time_unit == TimeUnit::kYear);
}

// Returns the tick of `type` in days instead of weeks, and in months instead of years if it
// FollowsCalendar(). Returns nullopt if the count exceeds std::int64_t.
std::optional<Tick> TickOf(const DataType& type) {
    constexpr std::int64_t kDaysPerWeek = 7;
    Tick tick{type.time_unit, 1};
    if (type.time_unit == TimeUnit::kWeek) tick = {TimeUnit::kDay, kDaysPerWeek};
    if (FollowsCalendar(type) && type.time_unit == TimeUnit::kYear)
        tick = {TimeUnit::kMonth, kMonthsPerYear};
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const auto count =
        type.time_multiple <= kMost
            ? MultiplyChecked(static_cast<std::int64_t>(type.time_multiple), tick.count)
            : std::nullopt;
    return count && *count > 0 ? std::optional(Tick{tick.unit, *count}) : std::nullopt;
}

// Returns the first day of a month in days since 1970-01-01; nullopt if the year exceeds kMaxYear.
// `month` is counted from 1970-01.
std::optional<std::int64_t> FirstDay(std::int64_t month) {
    const Quotient years = FloorDivide(month, kMonthsPerYear);
    const auto year = AddChecked(years.quotient, kEpochYear);
    const auto day = year ? DayNumber(kCalendar, {*year, years.rest + 1, 1}) : std::nullopt;
    return day ? std::optional(*day - kUnixEpochDay) : std::nullopt;
}

// Returns the month that contains `day`, a number of days since 1970-01-01.
std::optional<std::int64_t> MonthOfDay(std::int64_t day) {
    const auto number = AddChecked(day, kUnixEpochDay);
    if (!number) return std::nullopt;
    const Date date = DateOfDay(kCalendar, *number);
    return (date.year - kEpochYear) * kMonthsPerYear + date.month - 1;
}

template <std::int64_t (*Convert)(const DataType&, std::int64_t), bool kReads>
void TimeRow(const Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
             const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    const auto& type = *static_cast<const DataType*>(op.context);
    const bool swaps = type.NeedsSwap();
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride) {
        auto ticks = LoadNative<std::int64_t>(src);
        if (swaps && kReads) SwapUnits(reinterpret_cast<std::uint8_t*>(&ticks), sizeof ticks, 1);
        ticks = Convert(type, ticks);
        if (swaps && !kReads) SwapUnits(reinterpret_cast<std::uint8_t*>(&ticks), sizeof ticks, 1);
        StoreNative(dst, ticks);
    }
}

Converter TimeConverter(const DataType& stored, Converter::Row row) {
    Converter op = CopyConverter(stored.size);
    op.row = row;
    op.context = &stored;
    op.is_copy = false;
    return op;
}

}  // namespace

DataType PlainTimeType(const DataType& type) {
    DataType plain = type.Native();
    if (!type.is_time()) return plain;
    if (type.time_unit == TimeUnit::kWeek || FollowsCalendar(type))
        plain.time_unit = TimeUnit::kDay;
    plain.time_multiple = 1;
    return plain;
}

bool IsPlain(const DataType& type) {
    const DataType plain = PlainTimeType(type);
    return plain.time_unit == type.time_unit && plain.time_multiple == type.time_multiple;
}

std::int64_t ToPlainTicks(const DataType& type, std::int64_t ticks) {
    const auto tick = TickOf(type);
    if (ticks == kNotATime || !tick) return kNotATime;
    auto plain = MultiplyChecked(ticks, tick->count);
    if (plain && FollowsCalendar(type)) plain = FirstDay(*plain);
    return plain.value_or(kNotATime);
}

std::int64_t FromPlainTicks(const DataType& type, std::int64_t ticks) {
    const auto tick = TickOf(type);
    if (ticks == kNotATime || !tick) return kNotATime;
    const auto counted = FollowsCalendar(type) ? MonthOfDay(ticks) : std::optional(ticks);
    return counted ? FloorDivide(*counted, tick->count).quotient : kNotATime;
}

Converter PlainTimeReadConverter(const DataType& stored) {
    return TimeConverter(stored, TimeRow<ToPlainTicks, true>);
}

Converter PlainTimeWriteConverter(const DataType& stored) {
    return TimeConverter(stored, TimeRow<FromPlainTicks, false>);
}

}  // namespace zarr

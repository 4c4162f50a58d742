// SPDX-License-Identifier: MIT
#include "driver/create/continued_bounds.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "core/base/endian.h"
#include "core/base/limits.h"
#include "core/conventions/attributes/attributes.h"
#include "core/conventions/cf/time.h"
#include "core/conventions/facts/array_facts.h"
#include "core/dtype/stored_converter.h"
#include "core/dtype/time_types.h"

namespace zarr_driver {

using zarr::DataKind;
using zarr::DataType;
using zarr::Result;

namespace {

using Number = long double;

struct Cell {
    Number coordinate;
    Number lower;
    Number upper;
};

bool IsInteger(const DataType& type) {
    return type.kind == DataKind::kInt || type.kind == DataKind::kUint || type.is_time();
}

template <class T>
std::optional<std::string> IntegerElement(Number number) {
    const Number rounded = std::round(number);
    if (rounded != number || !(rounded >= static_cast<Number>(std::numeric_limits<T>::min())) ||
        !(rounded <= static_cast<Number>(std::numeric_limits<T>::max())))
        return std::nullopt;
    const T value = static_cast<T>(rounded);
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

// Returns `number` as an element in the host's byte order. Returns nullopt if the type cannot hold
// it, or is not a common one.
std::optional<std::string> ElementOfNumber(const DataType& type, Number number) {
    const bool is_signed = type.kind == DataKind::kInt || type.is_time();
    if (IsInteger(type)) {
        if (type.size == 8)
            return is_signed ? IntegerElement<std::int64_t>(number)
                             : IntegerElement<std::uint64_t>(number);
        if (type.size == 4)
            return is_signed ? IntegerElement<std::int32_t>(number)
                             : IntegerElement<std::uint32_t>(number);
        if (type.size == 2)
            return is_signed ? IntegerElement<std::int16_t>(number)
                             : IntegerElement<std::uint16_t>(number);
        return std::nullopt;
    }
    std::string bytes(type.size, '\0');
    const auto wide = static_cast<double>(number);
    const auto narrow = static_cast<float>(number);
    if (type.size == sizeof wide)
        std::memcpy(bytes.data(), &wide, sizeof wide);
    else if (type.size == sizeof narrow)
        std::memcpy(bytes.data(), &narrow, sizeof narrow);
    else
        return std::nullopt;
    return bytes;
}

// Conversion between stored times and months. Month 0 is January of year 0.
class Months {
  public:
    explicit Months(const zarr::TimeReference& reference) : reference_(reference) {}

    // Returns the month that contains the time `number`. If `is_start` is not nullptr, sets it to
    // true if the time is the first instant of the month. Returns nullopt for years that do not
    // have four digits.
    std::optional<std::int64_t> MonthOf(Number number, bool* is_start = nullptr) const {
        constexpr Number kEnd = 9223372036854775807.0L;
        const bool is_integer = std::floor(number) == number && std::fabs(number) < kEnd;
        const auto text = is_integer ? reference_.TextOf(static_cast<std::int64_t>(number))
                                     : reference_.TextOf(static_cast<double>(number));
        constexpr std::size_t kDateAndTime = 19;  // characters of 2024-05-01T00:00:00
        if (!text || text->size() < kDateAndTime || (*text)[4] != '-' || (*text)[7] != '-')
            return std::nullopt;
        if (is_start != nullptr)
            *is_start = text->compare(7, kDateAndTime - 7, "-01T00:00:00") == 0 &&
                        (text->size() == kDateAndTime || (*text)[kDateAndTime] != '.');
        return 12 * std::int64_t{std::atoi(text->substr(0, 4).c_str())} +
               std::atoi(text->substr(5, 2).c_str()) - 1;
    }

    // Returns the stored number for the first instant of a month.
    std::optional<Number> StartOf(std::int64_t month) const {
        if (month < 0 || month >= 12 * std::int64_t{10000}) return std::nullopt;
        const std::string digits = std::to_string(10000 + month / 12).substr(1) + "-" +
                                   std::to_string(101 + month % 12).substr(1) + "-01";
        const auto count = reference_.CountOf(digits);
        if (count.ok() && *count) return static_cast<Number>(**count);
        const auto value = reference_.ValueOf(digits);
        return value.ok() ? std::optional(static_cast<Number>(*value)) : std::nullopt;
    }

  private:
    const zarr::TimeReference& reference_;
};

// Continues cells of whole months. Returns false if the cells follow another rule.
bool ContinueMonths(const Months& months, const std::vector<Cell>& cells,
                    std::vector<Cell>& added) {
    std::optional<std::int64_t> length;    // months of a cell
    std::optional<std::int64_t> position;  // month of the coordinate within its cell
    for (const Cell& cell : cells) {
        bool starts = false;
        bool ends = false;
        const auto lower = months.MonthOf(cell.lower, &starts);
        const auto upper = months.MonthOf(cell.upper, &ends);
        const auto middle = months.MonthOf(cell.coordinate);
        if (!lower || !upper || !middle || !starts || !ends || *upper <= *lower) return false;
        if (length.value_or(*upper - *lower) != *upper - *lower ||
            position.value_or(*middle - *lower) != *middle - *lower)
            return false;
        length = *upper - *lower;
        position = *middle - *lower;
    }
    for (Cell& cell : added) {
        const auto middle = months.MonthOf(cell.coordinate);
        const auto lower = middle ? months.StartOf(*middle - *position) : std::nullopt;
        const auto upper = middle ? months.StartOf(*middle - *position + *length) : std::nullopt;
        if (!lower || !upper) return false;
        cell.lower = *lower;
        cell.upper = *upper;
    }
    return true;
}

// True if two numbers differ by less than a millionth of the size of a cell.
bool AreClose(Number a, Number b, const Cell& cell) {
    return std::fabs(a - b) <= 1e-6L * std::fabs(cell.upper - cell.lower);
}

bool ContinueDistances(const std::vector<Cell>& cells, std::vector<Cell>& added) {
    const Cell& first = cells.front();
    const Number to_lower = first.lower - first.coordinate;
    const Number to_upper = first.upper - first.coordinate;
    if (to_lower == to_upper) return false;
    for (const Cell& cell : cells)
        if (!AreClose(cell.lower - cell.coordinate, to_lower, first) ||
            !AreClose(cell.upper - cell.coordinate, to_upper, first))
            return false;
    for (Cell& cell : added) {
        cell.lower = cell.coordinate + to_lower;
        cell.upper = cell.coordinate + to_upper;
    }
    return cells.size() > 1 || AreClose(added.front().lower, cells.front().upper, first);
}

bool ContinueContiguous(const std::vector<Cell>& cells, std::vector<Cell>& added) {
    if (cells.size() < 2) return false;
    Number least = std::fabs(cells.front().upper - cells.front().lower);
    Number greatest = least;
    bool are_ends = true;
    bool are_middles = true;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const Cell& cell = cells[i];
        if (i > 0 && !AreClose(cell.lower, cells[i - 1].upper, cell)) return false;
        are_ends = are_ends && AreClose(cell.coordinate, cell.upper, cell);
        are_middles = are_middles && AreClose(2 * cell.coordinate, cell.lower + cell.upper, cell);
        least = std::min(least, std::fabs(cell.upper - cell.lower));
        greatest = std::max(greatest, std::fabs(cell.upper - cell.lower));
    }
    if (!are_ends && !are_middles) return false;
    Number lower = cells.back().upper;
    for (Cell& cell : added) {
        cell.lower = lower;
        cell.upper = are_ends ? cell.coordinate : 2 * cell.coordinate - lower;
        lower = cell.upper;
        // A cell of another size than the former ones is one before which some are missing. Sizes
        // differ by a tenth between months.
        const Number size = std::fabs(cell.upper - cell.lower);
        const bool same_sense = (cell.upper > cell.lower) == (cells[0].upper > cells[0].lower);
        if (!same_sense || size < 0.85L * least || size > 1.15L * greatest) return false;
    }
    return true;
}

// Reads the cells of all coordinates. Returns an empty list if the bounds are not like the
// coordinates: two numbers of the same units for each.
Result<std::vector<Cell>> ReadCells(const zarr::Hierarchy& hierarchy, const std::string& path,
                                    const GrowingCoordinates& coordinates) {
    ZARR_ASSIGN_OR_RETURN(const auto facts, zarr::DescribeArray(hierarchy, path));
    const std::vector<std::string>& elements = coordinates.elements();
    const DataType type = zarr::PlainTimeType(facts.metadata.dtype);
    const DataType& own = coordinates.dtype();
    std::vector<Cell> cells;
    const auto is_number = [](const DataType& one) {
        return IsInteger(one) || one.kind == DataKind::kFloat;
    };
    if (facts.metadata.shape != std::vector<std::uint64_t>{elements.size(), 2} ||
        !is_number(type) || !is_number(own) ||
        (type.is_time() || own.is_time() ? type.ToString() != own.ToString() : false) ||
        2 * elements.size() > zarr::LimitOf(zarr::Limit::kMetadataSize) / type.size)
        return cells;
    for (const char* const name : {"units", "calendar"}) {
        const std::string* const stated = zarr::StringAttribute(facts.attributes, name);
        const std::string* const wanted = zarr::StringAttribute(coordinates.attributes(), name);
        if (stated != nullptr && (wanted == nullptr || *stated != *wanted)) return cells;
    }
    for (const char* const name : {"scale_factor", "add_offset"})
        if (facts.attributes.Find(name) != nullptr ||
            coordinates.attributes().Find(name) != nullptr)
            return cells;
    ZARR_ASSIGN_OR_RETURN(const auto array, hierarchy.OpenArray(path));
    ZARR_ASSIGN_OR_RETURN(const zarr::Converter op,
                          zarr::ReadConverter(facts.metadata.dtype, type));
    std::string bytes(2 * elements.size() * type.size, '\0');
    const auto size = static_cast<std::ptrdiff_t>(type.size);
    ZARR_RETURN_IF_ERROR(
        array->Read(zarr::Region::All(facts.metadata.shape), 0,
                    {reinterpret_cast<std::uint8_t*>(bytes.data()), {2 * size, size}, op}, {}));
    for (std::size_t i = 0; i < elements.size(); ++i)
        cells.push_back({NumberOf(own, elements[i]),
                         NumberOf(type, bytes.substr(2 * i * type.size, type.size)),
                         NumberOf(type, bytes.substr((2 * i + 1) * type.size, type.size))});
    return cells;
}

// Returns a bound as an element of `type`, in the host's byte order; nullopt if the type cannot
// hold the bound. Bounds that are times are numbers of zarr::PlainTimeType().
std::optional<std::string> StoredElement(const DataType& type, Number bound) {
    auto element = ElementOfNumber(zarr::PlainTimeType(type), bound);
    if (!element || !type.is_time()) return element;
    const auto ticks = zarr::LoadNative<std::int64_t>(element->data());
    const std::int64_t stored = zarr::FromPlainTicks(type, ticks);
    if (zarr::ToPlainTicks(type, stored) != ticks) return std::nullopt;
    zarr::StoreNative(element->data(), stored);
    return element;
}

}  // namespace

Result<std::optional<std::string>> ContinuedBounds(const zarr::Hierarchy& hierarchy,
                                                   const std::string& path,
                                                   const GrowingCoordinates& coordinates,
                                                   const std::vector<std::string>& added) {
    ZARR_ASSIGN_OR_RETURN(const std::vector<Cell> cells, ReadCells(hierarchy, path, coordinates));
    if (cells.empty() || added.empty()) return std::optional<std::string>();
    const DataType& own = coordinates.dtype();
    std::vector<Cell> next;
    next.reserve(added.size());
    for (const std::string& element : added) next.push_back({NumberOf(own, element), 0, 0});
    const auto reference = coordinates.Reference();
    const bool is_known = (reference && ContinueMonths(Months(*reference), cells, next)) ||
                          ContinueDistances(cells, next) || ContinueContiguous(cells, next);
    if (!is_known) return std::optional<std::string>();
    ZARR_ASSIGN_OR_RETURN(const auto metadata, hierarchy.Metadata(path));
    std::string bytes;
    for (const Cell& cell : next)
        for (const Number bound : {cell.lower, cell.upper}) {
            const auto element = StoredElement(metadata.dtype, bound);
            if (!element) return std::optional<std::string>();
            bytes += *element;
        }
    return std::optional(std::move(bytes));
}

}  // namespace zarr_driver

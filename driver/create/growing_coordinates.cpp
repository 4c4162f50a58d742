// SPDX-License-Identifier: MIT
#include "driver/create/growing_coordinates.h"

#include <cpl_conv.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/base/endian.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/conventions/attributes/attributes.h"
#include "core/dtype/element_text.h"
#include "core/dtype/fill_value.h"
#include "core/dtype/stored_converter.h"
#include "core/dtype/time_types.h"
#include "driver/create/band_dimension.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::DataKind;
using zarr::DataType;
using zarr::Result;
using zarr::Status;

namespace {

// Returns the calendar called `name`. Returns the standard calendar if `name` is nullptr, and
// nullopt if the name is unknown.
std::optional<zarr::Calendar> CalendarOf(const char* name) {
    return name != nullptr ? zarr::CalendarByName(name) : std::optional(zarr::Calendar::kStandard);
}

}  // namespace

long double NumberOf(const DataType& type, const std::string& element) {
    const bool is_integer =
        type.kind == DataKind::kInt || type.kind == DataKind::kUint || type.is_time();
    std::int64_t integer = 0;
    if (!is_integer || element.size() != sizeof integer)
        return zarr::ElementDouble(type, reinterpret_cast<const std::uint8_t*>(element.data()));
    std::memcpy(&integer, element.data(), sizeof integer);
    return type.kind == DataKind::kUint
               ? static_cast<long double>(static_cast<std::uint64_t>(integer))
               : static_cast<long double>(integer);
}

Result<GrowingCoordinates> GrowingCoordinates::Read(const zarr::Hierarchy& hierarchy,
                                                    const zarr::Dimension& dimension,
                                                    std::uint64_t count) {
    GrowingCoordinates coordinates;
    coordinates.dimension_ = dimension;
    ZARR_ASSIGN_OR_RETURN(const auto array, hierarchy.OpenArray(dimension.coordinate_path));
    const DataType& stored = array->metadata().dtype;
    if (!stored.is_numeric() && !stored.is_time() && stored.kind != DataKind::kUnicode)
        return Status::Unsupported("/" + dimension.coordinate_path + ": coordinates of dtype " +
                                   stored.ToString() + " cannot be extended");
    coordinates.stored_ = stored;
    coordinates.dtype_ = zarr::PlainTimeType(stored);
    zarr::Region region = zarr::Region::All(array->metadata().shape);
    region.count[0] = std::min(region.count[0], count);
    const std::size_t size = stored.size;
    if (region.count[0] > zarr::LimitOf(zarr::Limit::kMetadataSize) / size)
        return Status::Limit("/" + dimension.coordinate_path +
                             ": has too many coordinates to extend");
    std::string elements(static_cast<std::size_t>(region.count[0]) * size, '\0');
    ZARR_ASSIGN_OR_RETURN(const zarr::Converter op,
                          zarr::ReadConverter(stored, coordinates.dtype_));
    ZARR_RETURN_IF_ERROR(array->Read(
        region, 0,
        {reinterpret_cast<std::uint8_t*>(elements.data()), {static_cast<std::ptrdiff_t>(size)}, op},
        {}));
    for (std::size_t at = 0; at < elements.size(); at += size)
        coordinates.elements_.push_back(elements.substr(at, size));
    return coordinates;
}

bool GrowingCoordinates::AreTimes() const {
    return dtype_.kind == DataKind::kDatetime ||
           zarr::ReadTimeReference(dimension_.coordinate_attributes).value.has_value();
}

Result<zarr::TimeReference> GrowingCoordinates::RequiredReference() const {
    if (const auto by_units = zarr::ReadTimeReference(dimension_.coordinate_attributes).value)
        return *by_units;
    return zarr::ReferenceOf(dtype_);
}

std::optional<zarr::TimeReference> GrowingCoordinates::Reference() const {
    if (dtype_.kind == DataKind::kUnicode || !AreTimes()) return std::nullopt;
    auto reference = RequiredReference();
    return reference.ok() ? std::optional(reference.Take()) : std::nullopt;
}

// Fails if the array can store only another time than `element`: a month begins on its first day.
Result<std::string> GrowingCoordinates::CheckStorable(std::string element,
                                                      const std::string& text) const {
    if (!stored_.is_time()) return element;
    const auto ticks = zarr::LoadNative<std::int64_t>(element.data());
    const std::int64_t kept = zarr::FromPlainTicks(stored_, ticks);
    if (zarr::ToPlainTicks(stored_, kept) == ticks) return element;
    return NotExact(text);
}

Status GrowingCoordinates::NotExact(const std::string& text) const {
    return Status::Invalid(zarr::Quoted(text) + " cannot be stored exactly in the coordinates /" +
                           path() + " of dtype " + stored_.ToString() +
                           "; a new cube counts seconds if its first coordinate has a time of "
                           "day, such as BAND_DIM_VALUES=2024-05-01T00:00:00");
}

Result<std::string> GrowingCoordinates::ElementOf(const std::string& text) const {
    const auto element = [&](const json::Value& value) -> Result<std::string> {
        ZARR_ASSIGN_OR_RETURN(const zarr::FillValue parsed, zarr::ParseFillValue(dtype_, value));
        return CheckStorable(parsed.Bytes(), text);
    };
    if (dtype_.kind == DataKind::kUnicode) return element(json::Value(text));
    const CPLValueType type = CPLGetValueType(text.c_str());
    if (type != CPL_VALUE_STRING) {
        auto number = json::Parse(text);
        const json::Value value = number.ok() ? number.Take() : json::Value(CPLAtof(text.c_str()));
        return element(value);
    }
    if (!AreTimes())
        return Status::Invalid(zarr::Quoted(text) + " is not a number, but the coordinates /" +
                               path() + " are numbers");
    ZARR_ASSIGN_OR_RETURN(const zarr::TimeReference reference, RequiredReference());
    ZARR_ASSIGN_OR_RETURN(const auto count, reference.CountOf(text));
    if (count) return element(json::Value(*count));
    if (dtype_.kind != DataKind::kFloat) return NotExact(text);
    ZARR_ASSIGN_OR_RETURN(const double value, reference.ValueOf(text));
    return element(json::Value(value));
}

std::optional<std::string> GrowingCoordinates::TextOf(GDALDataset& source,
                                                      GDALRasterBand& band) const {
    const std::string& name = dimension_.name;
    if (dtype_.kind == DataKind::kUnicode) {
        if (band.GetDescription()[0] == '\0') return std::nullopt;
        return band.GetDescription();
    }
    const bool times = AreTimes();
    const StatedCoordinate stated = StatedCoordinateOf(source, band, name);
    if (stated.time && times) return WithoutCalendar(*stated.time);
    const std::string* const own_calendar =
        zarr::StringAttribute(dimension_.coordinate_attributes, "calendar");
    const auto known_calendar =
        CalendarOf(own_calendar != nullptr ? own_calendar->c_str() : nullptr);
    const auto calendar = stated.is_netcdf
                              ? CalendarOf(stated.calendar ? stated.calendar->c_str() : nullptr)
                              : known_calendar;
    if (stated.value) {
        const std::string* own = zarr::StringAttribute(dimension_.coordinate_attributes, "units");
        const bool have_one_calendar = !times || calendar == known_calendar;
        if (!stated.units || (own != nullptr && *own == *stated.units && have_one_calendar))
            return stated.value;
        return times && calendar ? TimeText(*stated.value, *stated.units, *calendar) : std::nullopt;
    }
    return times ? stated.tiff_time : std::nullopt;
}

bool GrowingCoordinates::IsAt(std::uint64_t index, const std::string& text) const {
    if (index >= elements_.size()) return false;
    const auto element = ElementOf(text);
    if (!element.ok()) return false;
    const std::string& stored = elements_[static_cast<std::size_t>(index)];
    if (*element == stored || dtype_.kind != DataKind::kFloat) return *element == stored;
    // Floats are compared with a tolerance. A text may have fewer digits than the stored
    // coordinate, and the source may have coordinates of another precision.
    constexpr double kRounding = 1e-6;
    const auto number = [](const std::string& bytes) -> double {
        double wide = 0;
        float narrow = 0;
        if (bytes.size() == sizeof(wide)) {
            std::memcpy(&wide, bytes.data(), sizeof(wide));
            return wide;
        }
        if (bytes.size() != sizeof(narrow)) return std::nan("");
        std::memcpy(&narrow, bytes.data(), sizeof(narrow));
        return narrow;
    };
    const double a = number(*element);
    const double b = number(stored);
    return std::fabs(a - b) <= kRounding * std::max(std::fabs(a), std::fabs(b));
}

GrowingCoordinates::Order::Order(const GrowingCoordinates& coordinates)
    : dtype_(coordinates.dtype_), are_times_(coordinates.AreTimes()) {
    for (const std::string& element : coordinates.elements_) Add(element);
}

bool GrowingCoordinates::Order::Add(const std::string& element) {
    if (dtype_.kind == DataKind::kUnicode || dtype_.kind == DataKind::kComplex) return true;
    const long double number = NumberOf(dtype_, element);
    const long double before = std::exchange(last_, number);
    const std::uint64_t count = count_++;
    if (count == 0) return true;
    const bool was_ascending = std::exchange(is_ascending_, is_ascending_ && !(number < before));
    const bool was_descending = std::exchange(is_descending_, is_descending_ && !(number > before));
    // A single coordinate may be the first of a descending series, which is rare except for times.
    if (count == 1) return !are_times_ || number > before;
    if (was_ascending) return number > before;
    return !was_descending || number < before;
}

std::optional<std::uint64_t> GrowingCoordinates::Find(const std::string& element) const {
    const auto found = std::find(elements_.begin(), elements_.end(), element);
    if (found == elements_.end()) return std::nullopt;
    return static_cast<std::uint64_t>(found - elements_.begin());
}

}  // namespace zarr_driver

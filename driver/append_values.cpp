// SPDX-License-Identifier: MIT
#include "driver/append_values.h"

#include <algorithm>
#include <utility>

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/conventions/time.h"
#include "core/conventions/values.h"
#include "core/dtype/convert.h"
#include "core/dtype/fill_value.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::DataKind;
using zarr::DataType;
using zarr::Result;
using zarr::Status;

namespace {

const char* Item(GDALMajorObject& object, const std::string& name) {
    return object.GetMetadataItem(name.c_str());
}

// "2020:01:02 03:04:05" of TIFF as ISO 8601.
std::string FromTiffTime(std::string text) {
    for (const std::size_t at : {std::size_t{4}, std::size_t{7}})
        if (text.size() > at && text[at] == ':') text[at] = '-';
    return text;
}

// A time in other units than the coordinates', as ISO 8601 without the name of its calendar.
std::optional<std::string> TimeText(const std::string& value, const char* units) {
    if (units == nullptr || !zarr::IsTimeSince(units)) return std::nullopt;
    const auto reference = zarr::TimeReference::Parse(units, zarr::Calendar::kStandard);
    if (!reference.ok()) return std::nullopt;
    return reference->TextOf(CPLAtof(value.c_str()));
}

}  // namespace

Result<GrowingCoordinates> GrowingCoordinates::Read(const zarr::Hierarchy& hierarchy,
                                                    const zarr::Dimension& dimension,
                                                    std::uint64_t count) {
    GrowingCoordinates coordinates;
    coordinates.dimension_ = dimension;
    ZARR_ASSIGN_OR_RETURN(const auto array, hierarchy.OpenArray(dimension.coordinate_path));
    const DataType& stored = array->metadata().dtype;
    if (!stored.is_numeric() && !stored.is_time() && stored.kind != DataKind::kUnicode)
        return Status::Unsupported("/" + dimension.coordinate_path + ": coordinates of dtype " +
                                   stored.ToString() + " do not grow");
    coordinates.dtype_ = stored.Native();
    zarr::Region region = zarr::Region::All(array->metadata().shape);
    region.count[0] = std::min(region.count[0], count);
    const std::size_t size = stored.size;
    if (region.count[0] > zarr::LimitOf(zarr::Limit::kMetadataSize) / size)
        return Status::Limit("/" + dimension.coordinate_path + ": too long to grow");
    std::string elements(static_cast<std::size_t>(region.count[0]) * size, '\0');
    ZARR_ASSIGN_OR_RETURN(const zarr::ElementOp op, zarr::MakeReadOp(stored, coordinates.dtype_));
    ZARR_RETURN_IF_ERROR(array->Read(
        region, 0,
        {reinterpret_cast<std::uint8_t*>(elements.data()), {static_cast<std::ptrdiff_t>(size)}, op},
        {}));
    for (std::size_t at = 0; at < elements.size(); at += size)
        coordinates.elements_.push_back(elements.substr(at, size));
    return coordinates;
}

bool GrowingCoordinates::AreTimes() const {
    zarr::Warnings ignored;
    return dtype_.kind == DataKind::kDatetime ||
           zarr::ReadTimeReference(dimension_.coordinate_attributes, ignored).has_value();
}

Result<std::string> GrowingCoordinates::ElementOf(const std::string& text) const {
    const auto element = [&](const json::Value& value) -> Result<std::string> {
        ZARR_ASSIGN_OR_RETURN(const zarr::FillValue parsed, zarr::ParseFillValue(dtype_, value));
        return parsed.Bytes();
    };
    if (dtype_.kind == DataKind::kUnicode) return element(json::Value(text));
    const CPLValueType type = CPLGetValueType(text.c_str());
    if (type != CPL_VALUE_STRING) {
        auto number = json::Parse(text);
        const json::Value value = number.ok() ? number.Take() : json::Value(CPLAtof(text.c_str()));
        return element(value);
    }
    if (!AreTimes())
        return Status::Invalid(zarr::Quoted(text) + " is no number, as the coordinates /" + path() +
                               " are");
    zarr::Warnings ignored;
    const auto by_units = zarr::ReadTimeReference(dimension_.coordinate_attributes, ignored);
    auto by_type = by_units ? Result<zarr::TimeReference>(*by_units) : zarr::ReferenceOf(dtype_);
    ZARR_ASSIGN_OR_RETURN(const zarr::TimeReference reference, std::move(by_type));
    ZARR_ASSIGN_OR_RETURN(const auto count, reference.CountOf(text));
    if (count) return element(json::Value(*count));
    if (dtype_.kind != DataKind::kFloat)
        return Status::Invalid(zarr::Quoted(text) +
                               " is between two values that the coordinates /" + path() +
                               " can have");
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
    if (const char* time = Item(band, "DIM_" + name + "_TIME"); time != nullptr && times) {
        const std::string text = time;
        return text.substr(0, text.find(" ("));
    }
    const char* value = Item(band, "DIM_" + name + "_VALUE");
    const char* units = Item(band, "DIM_" + name + "_UNIT");
    if (value == nullptr) {
        value = Item(band, "NETCDF_DIM_" + name);
        units = Item(source, name + "#units");
    }
    if (value != nullptr) {
        const std::string* own = zarr::StringAttribute(dimension_.coordinate_attributes, "units");
        if (units == nullptr || (own != nullptr && *own == units)) return value;
        return times ? TimeText(value, units) : std::nullopt;
    }
    if (const char* time = Item(source, "TIFFTAG_DATETIME"); time != nullptr && times)
        return FromTiffTime(time);
    return std::nullopt;
}

std::optional<std::uint64_t> GrowingCoordinates::Find(const std::string& element) const {
    const auto found = std::find(elements_.begin(), elements_.end(), element);
    if (found == elements_.end()) return std::nullopt;
    return static_cast<std::uint64_t>(found - elements_.begin());
}

}  // namespace zarr_driver

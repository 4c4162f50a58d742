// SPDX-License-Identifier: MIT
#include "core/conventions/nodata.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/endian.h"
#include "core/base/text.h"
#include "core/conventions/dimensions.h"
#include "core/conventions/eopf.h"
#include "core/conventions/opening.h"
#include "core/dtype/element_text.h"
#include "core/metadata/fill_meaning.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr const char* kFillValue = "_FillValue";
constexpr const char* kMissingValue = "missing_value";

// Returns the float type of the parts (real and imaginary) of a complex type.
DataType PartOfComplex(DataType type) {
    type.kind = DataKind::kFloat;
    type.size /= 2;
    return type;
}

// Decodes a float from base64 of a little-endian double, the form that xarray writes in Zarr v3.
std::optional<std::string> FromBase64(const DataType& type, const json::Value& value) {
    const std::string* const text = value.as_string();
    if (text == nullptr) return std::nullopt;
    const auto bytes = Base64Decode(*text);
    double number = 0;
    if (!bytes.ok() || bytes->size() != sizeof number) return std::nullopt;
    std::string native = *bytes;
    if (!HostIsLittleEndian()) std::reverse(native.begin(), native.end());
    std::memcpy(&number, native.data(), sizeof number);
    const auto element = ParseFillValue(type, json::Value(number));
    return element.ok() ? std::optional(element->Bytes()) : std::nullopt;
}

std::optional<FillValue> XarrayFillValue(const DataType& type, const json::Value& value) {
    std::optional<std::string> element;
    if (type.kind == DataKind::kFloat) element = FromBase64(type, value);
    const json::Array* const parts = value.as_array();
    if (type.kind == DataKind::kComplex && parts != nullptr && parts->size() == 2) {
        const DataType part = PartOfComplex(type);
        const auto real = FromBase64(part, (*parts)[0]);
        const auto imaginary = FromBase64(part, (*parts)[1]);
        if (real && imaginary) element = *real + *imaginary;
    }
    return element ? std::optional(FillValue(*element, type.size)) : std::nullopt;
}

json::Value ToBase64(const DataType& type, std::string_view element) {
    const double number =
        ElementDouble(type.Native(), reinterpret_cast<const std::uint8_t*>(element.data()));
    std::string bytes(sizeof number, '\0');
    std::memcpy(bytes.data(), &number, sizeof number);
    if (!HostIsLittleEndian()) std::reverse(bytes.begin(), bytes.end());
    return json::Value(Base64Encode(ByteSpan(bytes)));
}

// Returns the element for NaT ("not a time"), NumPy's missing time.
FillValue NotATime() {
    constexpr std::int64_t kNat = std::numeric_limits<std::int64_t>::min();
    std::string element(sizeof kNat, '\0');
    std::memcpy(element.data(), &kNat, sizeof kNat);
    return {std::move(element), sizeof kNat};
}

// Returns the nodata value that the data type or the fill value implies. Called if the attributes
// of the array state no nodata value.
std::optional<FillValue> ImpliedNodata(const json::Value& attributes, const ArrayMetadata& metadata,
                                       FillAsNodata fill) {
    if (metadata.dtype.is_time()) return NotATime();
    if (!metadata.has_fill_value || fill == FillAsNodata::kNo) return std::nullopt;
    const bool counts = fill == FillAsNodata::kYes || FillMeansMissing(metadata, attributes);
    return counts ? std::optional(metadata.fill_value) : std::nullopt;
}

// True if the coordinate array of a dimension names this array as its bounds.
bool IsBoundsOfDimension(const ArrayFacts& facts) {
    const std::string name(LastName(facts.path));
    return std::any_of(facts.dimensions.begin(), facts.dimensions.end(), [&](const auto& one) {
        return ReferencedNames(one.coordinate_attributes).count(name) != 0;
    });
}

// True if an array's own attributes and dimensions show that it holds coordinates or a grid
// mapping.
bool IsDeclaredCoordinate(const ArrayFacts& facts) {
    if (facts.dimensions.size() == 1 && facts.dimensions[0].is_named &&
        facts.dimensions[0].name == LastName(facts.path))
        return true;
    for (const char* name : {"axis", "_CoordinateAxisType", "grid_mapping_name"})
        if (StringAttribute(facts.attributes, name) != nullptr) return true;
    for (const char* name : {"crs_wkt", "spatial_ref"})
        if (facts.metadata.rank() == 0 && StringAttribute(facts.attributes, name) != nullptr)
            return true;
    const AxisRole role = RoleFromAttributes(facts.attributes);
    return role == AxisRole::kX || role == AxisRole::kY || IsBoundsOfDimension(facts);
}

// True if the array has a longitude or latitude for each pixel, and `element` is beyond all angles,
// such as -9999 for gaps. Such a fill value is nodata: in Zarr v2, xarray stores `_FillValue` only
// as the fill value.
bool IsOutsideLonLat(const ArrayFacts& facts, const FillValue& element) {
    constexpr double kMaxDegrees = 360;
    const DataType type = facts.metadata.dtype.Native();
    const std::string* const units = StringAttribute(facts.attributes, "units");
    const bool is_lonlat = facts.metadata.rank() >= 2 && type.is_numeric() && units != nullptr &&
                           units->rfind("degree", 0) == 0;
    if (!is_lonlat) return false;
    const Packing packing = ReadPacking(facts.attributes).value;
    const std::string bytes = element.Bytes();
    const double stored = ElementDouble(type, reinterpret_cast<const std::uint8_t*>(bytes.data()));
    const double degrees = stored * packing.scale.value_or(1) + packing.offset.value_or(0);
    return std::isfinite(degrees) && std::abs(degrees) > kMaxDegrees;
}

// True if an array's attributes show that it holds data: coordinate arrays have no attribute
// `coordinates` and no CRS.
bool HasDataAttributes(const json::Value& attributes) {
    constexpr const char* kNames[] = {"coordinates", "grid_mapping", "_CRS"};
    return std::any_of(std::begin(kNames), std::end(kNames),
                       [&](const char* name) { return attributes.Find(name) != nullptr; });
}

}  // namespace

Nodata StatedNodata(const json::Value& attributes, const ArrayMetadata& metadata) {
    const DataType& type = metadata.dtype;
    Nodata stated;
    if (type.missing) stated.value = FillValue(*type.missing, type.size);
    for (const char* name : {kFillValue, kMissingValue}) {
        const json::Value* value = attributes.Find(name);
        if (stated.value || value == nullptr || value->is_null()) continue;
        const json::Array* items = value->as_array();
        const bool one_of_one =
            items != nullptr && items->size() == 1 && type.kind != DataKind::kComplex;
        auto element = ParseFillValue(type, one_of_one ? (*items)[0] : *value);
        stated.value = element.ok() ? element.Take() : XarrayFillValue(type, *value);
        if (!stated.value)
            stated.warnings.push_back("attribute " + std::string(name) + ": " +
                                      json::Brief(*value) + " is not a value of dtype " +
                                      type.ToString());
    }
    return stated;
}

namespace {

// For each array of a group, the variable names in its attributes. The key "" has the names in the
// group's attributes.
using NamesOfArrays = std::map<std::string, std::set<std::string>>;

Result<NamesOfArrays> NamesInGroup(const Hierarchy& hierarchy, const std::string& group) {
    NamesOfArrays names;
    names[""] = ReferencedNames(AttributesOrEmpty(hierarchy, group));
    const auto members = MembersWithAttributes(hierarchy, group);
    if (!members.ok()) return names;
    for (const Node& node : *members) {
        if (node.kind != NodeKind::kArray) continue;
        const auto metadata = hierarchy.Metadata(node.path);
        if (!metadata.ok()) continue;
        names[node.name] =
            ReferencedNames(WithEopf(AttributesOrEmpty(hierarchy, node.path), *metadata).value);
    }
    return names;
}

bool IsNamedInGroup(const Hierarchy& hierarchy, const std::string& path) {
    const std::string group(ParentPath(path));
    const std::string name(LastName(path));
    const auto names =
        hierarchy.Derived<NamesOfArrays>(group, [&] { return NamesInGroup(hierarchy, group); });
    return names.ok() && std::any_of((*names)->begin(), (*names)->end(), [&](const auto& one) {
               return one.first != name && one.second.count(name) != 0;
           });
}

// True if attributes of other arrays may show that an array holds coordinates.
bool MayBeNamedInGroup(const ArrayFacts& facts) {
    return !facts.path.empty() && !HasDataAttributes(facts.attributes) &&
           (facts.dimensions.empty() ||
            std::any_of(facts.dimensions.begin(), facts.dimensions.end(),
                        [](const auto& one) { return one.is_named; }));
}

}  // namespace

bool IsCoordinate(const Hierarchy& hierarchy, const ArrayFacts& facts) {
    if (facts.path.empty()) return false;
    if (IsDeclaredCoordinate(facts)) return true;
    return MayBeNamedInGroup(facts) && IsNamedInGroup(hierarchy, facts.path);
}

bool NeedsOtherArrays(const ArrayFacts& facts, FillAsNodata fill) {
    if (StatedNodata(facts.attributes, facts.metadata).value) return false;
    const auto implied = ImpliedNodata(facts.attributes, facts.metadata, fill);
    return implied && !facts.metadata.dtype.is_time() && !IsOutsideLonLat(facts, *implied) &&
           !IsDeclaredCoordinate(facts) && MayBeNamedInGroup(facts);
}

Nodata ReadNodata(const json::Value& attributes, const ArrayMetadata& metadata, FillAsNodata fill) {
    Nodata nodata = StatedNodata(attributes, metadata);
    if (!nodata.value) nodata.value = ImpliedNodata(attributes, metadata, fill);
    return nodata;
}

Nodata ReadNodata(const Hierarchy& hierarchy, const ArrayFacts& facts, FillAsNodata fill) {
    Nodata nodata = StatedNodata(facts.attributes, facts.metadata);
    if (nodata.value) return nodata;
    nodata.value = ImpliedNodata(facts.attributes, facts.metadata, fill);
    const bool is_fill = nodata.value && !facts.metadata.dtype.is_time();
    if (is_fill && !IsOutsideLonLat(facts, *nodata.value) && IsCoordinate(hierarchy, facts))
        nodata.value.reset();
    return nodata;
}

Status CheckNodataIsWritable(const DataType& type) {
    if (!type.missing) return {};
    return Status::Unsupported(
        "the nodata value of data type zarrs.optional stands for missing elements and cannot be "
        "changed while the array is open");
}

Result<json::Member> NodataAttribute(const DataType& type, Format format,
                                     std::string_view element) {
    ZARR_RETURN_IF_ERROR(CheckNodataIsWritable(type));
    if (format == Format::kV3 && type.kind == DataKind::kFloat)
        return json::Member(kFillValue, ToBase64(type, element));
    if (format == Format::kV3 && type.kind == DataKind::kComplex) {
        const DataType part = PartOfComplex(type);
        return json::Member(kFillValue,
                            json::Value(json::Array{ToBase64(part, element.substr(0, part.size)),
                                                    ToBase64(part, element.substr(part.size))}));
    }
    ZARR_ASSIGN_OR_RETURN(json::Value value, FillValueToJson(type, element));
    const bool fails = format == Format::kV3 && !type.is_numeric();
    return json::Member(fails ? kMissingValue : kFillValue, std::move(value));
}

}  // namespace zarr

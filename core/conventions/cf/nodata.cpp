// SPDX-License-Identifier: MIT
#include "core/conventions/cf/nodata.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/endian.h"
#include "core/base/text.h"
#include "core/conventions/attributes/axis_roles.h"
#include "core/conventions/cf/time.h"
#include "core/conventions/facts/eopf.h"
#include "core/conventions/facts/prefetch.h"
#include "core/conventions/group/multiscales.h"
#include "core/conventions/ome/ome_axes.h"
#include "core/dtype/element_text.h"
#include "core/metadata/fill_meaning.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr std::string_view kFillValue = kNodataAttributes[0];
constexpr std::string_view kMissingValue = kNodataAttributes[1];

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

// True if the array holds times that CF encodes as int64. xarray stores NaT in such an array
// without a statement. The attribute `dtype` is xarray's mark of durations.
bool IsEncodedTime(const json::Value& attributes, const DataType& type) {
    if (type.kind != DataKind::kInt || type.size != sizeof(std::int64_t)) return false;
    const std::string* const decoded = StringAttribute(attributes, "dtype");
    return AreTimesOfNumPy(attributes) ||
           (decoded != nullptr && decoded->rfind("timedelta64", 0) == 0);
}

// Returns the nodata value that the fill value or the data type implies. Called if the attributes
// of the array state no nodata value.
std::optional<FillValue> ImpliedNodata(const json::Value& attributes, const ArrayMetadata& metadata,
                                       FillAsNodata fill) {
    if (metadata.dtype.is_time()) return NotATime();
    const bool counts = metadata.has_fill_value && fill != FillAsNodata::kNo &&
                        (fill == FillAsNodata::kYes || FillMeansMissing(metadata, attributes));
    if (counts) return metadata.fill_value;
    return IsEncodedTime(attributes, metadata.dtype) ? std::optional(NotATime()) : std::nullopt;
}

// Returns the nodata value that a value of an attribute states; nullopt if the data type cannot
// hold the value. The value may be of the type that `_Unsigned` states.
std::optional<FillValue> ParseNodata(const json::Value& value, const json::Value& attributes,
                                     const DataType& type) {
    if (auto element = XarrayFillValue(type, value)) return element;
    const std::string* const text = value.as_string();
    if (text != nullptr && *text == "NaT" && IsEncodedTime(attributes, type)) return NotATime();
    std::vector<json::Value> spellings = {value};
    // ParseFillValue() refuses "-9999.0" for integers, as NumPy does.
    const bool is_number = type.is_numeric() && text != nullptr;
    if (const auto number = is_number ? NumberIn(value) : std::nullopt)
        spellings.emplace_back(*number);
    for (const json::Value& spelling : spellings)
        for (const DataType& one : {type, ApplyUnsigned(type, attributes)})
            if (auto element = ParseFillValue(one, spelling); element.ok()) return element.Take();
    return std::nullopt;
}

// Returns the nodata value that a plain attribute states.
std::optional<FillValue> PlainNodata(const json::Value& attributes, const ArrayMetadata& metadata) {
    if (!metadata.dtype.is_numeric()) return std::nullopt;
    for (const std::string_view name : kNodataAttributes) {
        const json::Value* const value = NodataStatement(attributes, name);
        if (IsNodataOfCf(name) || value == nullptr) continue;
        if (auto element = ParseNodata(*value, attributes, metadata.dtype)) return element;
    }
    return std::nullopt;
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
    for (const std::string_view name : kNodataAttributes) {
        const json::Value* const value = NodataStatement(attributes, name);
        if (stated.value || !IsNodataOfCf(name) || value == nullptr) continue;
        stated.value = ParseNodata(*value, attributes, type);
        if (!stated.value)
            stated.warnings.push_back("attribute " + std::string(name) + ": " +
                                      json::Brief(*value) + " is not a value of dtype " +
                                      type.ToString());
    }
    return stated;
}

Nodata StatedNodataOfData(const json::Value& attributes, const ArrayMetadata& metadata) {
    Nodata stated = StatedNodata(attributes, metadata);
    if (!stated.value) stated.value = PlainNodata(attributes, metadata);
    return stated;
}

namespace {

// Returns the nodata values that an attribute states: one for each entry of `nodatavals`, and at
// most one for others. An entry is nullopt if the data type cannot hold it.
std::vector<std::optional<FillValue>> StatementsOf(const json::Value& attributes,
                                                   const ArrayMetadata& metadata,
                                                   std::string_view name) {
    const json::Value* const all = attributes.Find(name);
    const json::Array* const items = all != nullptr ? all->as_array() : nullptr;
    std::vector<std::optional<FillValue>> stated;
    const auto add = [&](const json::Value& value) {
        stated.push_back(value.is_null() ? std::nullopt
                                         : ParseNodata(value, attributes, metadata.dtype));
    };
    if (name == kNodataOfBands && items != nullptr)
        for (const json::Value& item : *items) add(item);
    else if (const json::Value* const value = NodataStatement(attributes, name))
        add(*value);
    return stated;
}

bool IsSameNodata(const std::optional<FillValue>& a, const std::optional<FillValue>& b) {
    return a && b ? a->Bytes() == b->Bytes() : a.has_value() == b.has_value();
}

}  // namespace

std::vector<std::optional<FillValue>> NodataOfBands(const json::Value& attributes,
                                                    const ArrayMetadata& metadata) {
    const bool is_real = metadata.dtype.is_numeric() && metadata.dtype.kind != DataKind::kComplex;
    if (!is_real || attributes.Find(kNodataOfBands) == nullptr) return {};
    json::Value others = attributes;
    json::EraseMember(*others.MutableObject(), kNodataOfBands);
    if (StatedNodataOfData(others, metadata).value) return {};
    auto entries = StatementsOf(attributes, metadata, kNodataOfBands);
    const bool differ = std::any_of(entries.begin(), entries.end(), [&](const auto& entry) {
        return !IsSameNodata(entry, entries.front());
    });
    return differ ? entries : std::vector<std::optional<FillValue>>();
}

std::vector<std::string> ContradictingNodata(const json::Value& attributes,
                                             const ArrayMetadata& metadata, std::string_view name,
                                             const std::optional<std::string>& element) {
    const auto contradicts = [&](const std::optional<FillValue>& stated) {
        return !element || !stated || stated->Bytes() != *element;
    };
    std::vector<std::string> names;
    for (const std::string_view other : kNodataAttributes) {
        if (other == name) continue;
        const auto stated = StatementsOf(attributes, metadata, other);
        // A plain attribute that no element can equal is not about nodata.
        const bool is_used =
            IsNodataOfCf(other) || std::any_of(stated.begin(), stated.end(),
                                               [](const auto& one) { return one.has_value(); });
        if (is_used && std::any_of(stated.begin(), stated.end(), contradicts))
            names.emplace_back(other);
    }
    return names;
}

namespace {

// Names of the arrays of a group that the attributes of the group, or of another array in it, name.
struct ReferencedArrays {
    std::set<std::string> names;
};

Result<ReferencedArrays> ReferencedInGroup(const Hierarchy& hierarchy, const std::string& group) {
    ReferencedArrays found{ReferencedNames(AttributesOrEmpty(hierarchy, group))};
    const auto members = MembersWithAttributes(hierarchy, group);
    if (!members.ok()) return found;
    for (const Node& node : *members) {
        if (node.kind != NodeKind::kArray) continue;
        const auto metadata = hierarchy.Metadata(node.path);
        if (!metadata.ok()) continue;
        std::set<std::string> names =
            ReferencedNames(WithEopf(AttributesOrEmpty(hierarchy, node.path), *metadata).value);
        names.erase(node.name);
        found.names.merge(names);
    }
    return found;
}

bool IsNamedInGroup(const Hierarchy& hierarchy, const std::string& path) {
    const std::string group(ParentPath(path));
    const auto found = hierarchy.Derived<ReferencedArrays>(
        group, [&] { return ReferencedInGroup(hierarchy, group); });
    return found.ok() && (*found)->names.count(std::string(LastName(path))) != 0;
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
    const auto implied = ReadNodata(facts.attributes, facts.metadata, fill).value;
    return implied && !facts.metadata.dtype.is_time() && !IsOutsideLonLat(facts, *implied) &&
           !IsDeclaredCoordinate(facts) && MayBeNamedInGroup(facts);
}

Nodata ReadNodata(const json::Value& attributes, const ArrayMetadata& metadata, FillAsNodata fill) {
    Nodata nodata = StatedNodataOfData(attributes, metadata);
    if (!nodata.value) nodata.value = ImpliedNodata(attributes, metadata, fill);
    return nodata;
}

Nodata ReadImageNodata(const ArrayFacts& facts) {
    const bool is_black = facts.metadata.fill_value.is_zero();
    return ReadNodata(facts.attributes, facts.metadata,
                      is_black ? FillAsNodata::kNo : FillAsNodata::kAuto);
}

Nodata ReadNodata(const Hierarchy& hierarchy, const ArrayFacts& facts, FillAsNodata fill) {
    Nodata nodata = StatedNodata(facts.attributes, facts.metadata);
    if (nodata.value) return nodata;
    nodata.value = ReadNodata(facts.attributes, facts.metadata, fill).value;
    const bool may_be_black =
        nodata.value && fill == FillAsNodata::kAuto && facts.metadata.fill_value.is_zero();
    if (may_be_black && IsOmeImage(ListingOf(hierarchy, facts.path), facts.metadata.rank()))
        nodata.value = ReadImageNodata(facts).value;
    const bool may_be_data = nodata.value && !facts.metadata.dtype.is_time();
    if (may_be_data && !IsOutsideLonLat(facts, *nodata.value) && IsCoordinate(hierarchy, facts))
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
        return json::Member(std::string(kFillValue), ToBase64(type, element));
    if (format == Format::kV3 && type.kind == DataKind::kComplex) {
        const DataType part = PartOfComplex(type);
        return json::Member(std::string(kFillValue),
                            json::Value(json::Array{ToBase64(part, element.substr(0, part.size)),
                                                    ToBase64(part, element.substr(part.size))}));
    }
    ZARR_ASSIGN_OR_RETURN(json::Value value, FillValueToJson(type, element));
    const bool fails = format == Format::kV3 && !type.is_numeric();
    return json::Member(std::string(fails ? kMissingValue : kFillValue), std::move(value));
}

}  // namespace zarr

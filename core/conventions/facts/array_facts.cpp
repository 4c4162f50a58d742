// SPDX-License-Identifier: MIT
#include "core/conventions/facts/array_facts.h"

#include <algorithm>
#include <utility>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/facts/dimensions.h"
#include "core/conventions/facts/eopf.h"
#include "core/conventions/facts/tiff_tags.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// A 1-D coordinate array. `path` is empty if the array does not exist.
struct CoordinateVector {
    std::string path;
    ArrayMetadata metadata;

    bool is_there() const { return !path.empty(); }
    bool is_text() const {
        return is_there() && !metadata.dtype.is_numeric() && !metadata.dtype.is_time();
    }
};

// Returns the coordinate array at `path`; empty if there is no 1-D array with `size` elements.
CoordinateVector CoordinateVectorAt(const Hierarchy& hierarchy, const std::string& path,
                                    std::uint64_t size) {
    auto metadata = hierarchy.Metadata(path);
    if (!metadata.ok() || metadata->rank() != 1 || metadata->shape[0] != size) return {};
    return {path, metadata.Take()};
}

CoordinateVector FindVector(const Hierarchy& hierarchy, std::string group,
                            const std::string& dimension, std::uint64_t size) {
    if (!IsValidKey(dimension) || dimension.find('/') != std::string::npos) return {};
    for (;;) {
        CoordinateVector found = CoordinateVectorAt(hierarchy, JoinKey(group, dimension), size);
        if (found.is_there() || group.empty()) return found;
        group = std::string(ParentPath(group));
    }
}

}  // namespace

std::string FindCoordinateArray(const Hierarchy& hierarchy, std::string group,
                                const std::string& dimension, std::uint64_t size) {
    return FindVector(hierarchy, std::move(group), dimension, size).path;
}

std::optional<SpatialDimensions> ReadSpatialDimensions(const json::Value& attributes) {
    const json::Value* value = attributes.Find("spatial:dimensions");
    const json::Array* names = value != nullptr ? value->as_array() : nullptr;
    if (names == nullptr || names->size() != 2) return std::nullopt;
    const std::string* y = (*names)[0].as_string();
    const std::string* x = (*names)[1].as_string();
    if (y == nullptr || x == nullptr) return std::nullopt;
    return SpatialDimensions{*y, *x};
}

bool IsColourImage(const ArrayMetadata& metadata) {
    const DataType& dtype = metadata.dtype;
    if (dtype.kind != DataKind::kUint || dtype.size > 2 || metadata.rank() != 3) return false;
    const std::uint64_t colours = metadata.shape[2];
    return (colours == 3 || colours == 4) && metadata.shape[0] >= kColourImageSides * colours &&
           metadata.shape[1] >= kColourImageSides * colours;
}

bool HasNumbers(const DataType& type) {
    if (type.kind == DataKind::kStruct)
        return std::any_of(type.fields.begin(), type.fields.end(), [](const Field& field) {
            return field.count > 0 && HasNumbers(field.type);
        });
    return type.is_numeric() || type.is_time();
}

bool IsRaster(const ArrayMetadata& metadata) {
    return metadata.rank() >= 2 && HasNumbers(metadata.dtype) &&
           std::find(metadata.shape.begin(), metadata.shape.end(), 0U) == metadata.shape.end();
}

namespace {

// Gives the roles Y and X to the dimensions that the attribute `spatial:dimensions` names.
void DeclareSpatial(const json::Value& attributes, std::vector<NamedDimension>& named) {
    const auto names = ReadSpatialDimensions(attributes);
    if (!names) return;
    for (NamedDimension& dimension : named) {
        if (dimension.name == names->y) dimension.declared = AxisRole::kY;
        if (dimension.name == names->x) dimension.declared = AxisRole::kX;
    }
}

// Gives the roles Y and X to unnamed dimensions with the sizes in `spatial:shape` [height, width].
// Exactly one dimension must have the size `height`, and exactly one the size `width`. If height
// equals width, exactly two dimensions must have this size; the first one is Y.
void DeclareShape(const json::Value& attributes, const std::vector<std::uint64_t>& sizes,
                  std::vector<NamedDimension>& named) {
    const bool is_known = std::any_of(named.begin(), named.end(), [](const auto& dimension) {
        return dimension.is_named || dimension.declared != AxisRole::kNone;
    });
    const json::Value* const value = attributes.Find("spatial:shape");
    const json::Array* const shape = value != nullptr ? value->as_array() : nullptr;
    std::uint64_t height = 0;
    std::uint64_t width = 0;
    if (is_known || shape == nullptr || shape->size() != 2 || !(*shape)[0].GetUint64(height) ||
        !(*shape)[1].GetUint64(width))
        return;
    const auto count = [&](std::uint64_t size) {
        return std::count(sizes.begin(), sizes.end(), size);
    };
    if (count(height) != (height == width ? 2 : 1) || count(width) != count(height)) return;
    const auto y = std::find(sizes.begin(), sizes.end(), height);
    const auto x = std::find(height == width ? y + 1 : sizes.begin(), sizes.end(), width);
    named[static_cast<std::size_t>(y - sizes.begin())].declared = AxisRole::kY;
    named[static_cast<std::size_t>(x - sizes.begin())].declared = AxisRole::kX;
}

CoordinateVector CoordinatesOf(const Hierarchy& hierarchy, const NamedDimension& named,
                               std::uint64_t size) {
    if (!named.is_declared_in_group) return FindVector(hierarchy, named.group, named.name, size);
    const std::string path = JoinKey(named.group, named.name);
    return IsValidKey(path) ? CoordinateVectorAt(hierarchy, path, size) : CoordinateVector();
}

// Gives the roles Y and X to rows and columns of an array that looks like a colour image. Returns
// false if the array is not like this, or if dimensions have names or declared roles.
bool DeclareColourImage(const ArrayMetadata& metadata, std::vector<NamedDimension>& named) {
    const bool is_known = std::any_of(named.begin(), named.end(), [](const auto& dimension) {
        return dimension.is_named || dimension.declared != AxisRole::kNone;
    });
    if (is_known || !IsColourImage(metadata)) return false;
    named[0].declared = AxisRole::kY;
    named[1].declared = AxisRole::kX;
    return true;
}

// Warns if the array's group has a coordinate array for the dimension that is invalid or has
// another length.
void WarnOfUnusable(const Hierarchy& hierarchy, const std::string& group,
                    const Dimension& dimension, Warnings& warnings) {
    const std::string path = JoinKey(group, dimension.name);
    if (!IsValidKey(path)) return;
    const auto metadata = hierarchy.Metadata(path);
    if (!metadata.ok()) {
        WarnIfInvalid(hierarchy, path, warnings);
        return;
    }
    if (metadata->rank() != 1 || metadata->shape[0] == dimension.size) return;
    warnings.push_back("dimension " + dimension.name + " has " + std::to_string(dimension.size) +
                       " elements, but its coordinate array /" + path + " has " +
                       std::to_string(metadata->shape[0]) + "; the coordinate array is ignored");
}

// Describes a dimension and its coordinate array. Sets `has_text` if the coordinates are strings.
Dimension DescribeDimension(const Hierarchy& hierarchy, const NamedDimension& named,
                            std::uint64_t size, bool may_have_coordinates, bool& has_text,
                            Warnings& warnings) {
    Dimension dimension;
    dimension.name = named.name;
    dimension.is_named = named.is_named;
    dimension.group = named.group;
    dimension.size = size;
    if (!may_have_coordinates) return dimension;
    const CoordinateVector coordinates = CoordinatesOf(hierarchy, named, size);
    if (!coordinates.is_there()) {
        WarnOfUnusable(hierarchy, named.group, dimension, warnings);
        return dimension;
    }
    has_text = coordinates.is_text();
    dimension.coordinate_path = coordinates.path;
    dimension.group = std::string(ParentPath(coordinates.path));
    dimension.coordinate_attributes =
        WithEopf(LenientAttributes(hierarchy, coordinates.path, warnings), coordinates.metadata)
            .value;
    return dimension;
}

// Gives the role X or Y to the dimension chosen for it, if a part of the dimension's name suggests
// this role.
void SetRoleByName(const std::optional<std::size_t>& axis, AxisRole role, ArrayFacts& facts) {
    if (!axis) return;
    Dimension& dimension = facts.dimensions[*axis];
    if (dimension.role == AxisRole::kNone && RoleFromPartOfName(dimension.name) == role)
        dimension.role = role;
}

Result<ArrayFacts> Describe(const Hierarchy& hierarchy, const std::string& path) {
    ArrayFacts facts;
    facts.path = path;
    ZARR_ASSIGN_OR_RETURN(facts.metadata, hierarchy.CurrentMetadata(path, facts.warnings));
    auto attributes = hierarchy.CurrentAttributes(path, facts.warnings);
    if (!attributes.ok()) facts.warnings.push_back(attributes.status().message());
    if (!path.empty())
        facts.group_attributes = AttributesOrEmpty(hierarchy, std::string(ParentPath(path)));
    facts.attributes =
        InterpretAttributes(hierarchy, facts,
                            attributes.ok() ? attributes.Take() : json::Value(json::Object{}))
            .Report(facts.warnings);
    if (facts.metadata.is_fill_value_missing)
        facts.warnings.push_back(
            hierarchy.NameOf(path, Document::kArray) +
            ": the compulsory member \"fill_value\" is missing; null is assumed");
    auto named =
        NameDimensions(hierarchy, path, facts.metadata, facts.attributes).Report(facts.warnings);
    DeclareSpatial(facts.group_attributes, named);
    DeclareSpatial(facts.attributes, named);
    if (DeclareColourImage(facts.metadata, named)) facts.colour_axis = 2;
    DeclareShape(facts.attributes, facts.metadata.shape, named);
    DeclareShape(facts.group_attributes, facts.metadata.shape, named);
    std::vector<DimensionFacts> dimensions(named.size());
    facts.dimensions.reserve(named.size());
    for (std::size_t i = 0; i < named.size(); ++i) {
        // A dimension with a generated name has no coordinate array. If the array is the root of
        // the store, there are no other arrays.
        const bool may_have_coordinates = !path.empty() && named[i].is_named;
        facts.dimensions.push_back(
            DescribeDimension(hierarchy, named[i], facts.metadata.shape[i], may_have_coordinates,
                              dimensions[i].has_text_coordinates, facts.warnings));
        Dimension& dimension = facts.dimensions.back();
        dimensions[i].name = dimension.name;
        dimensions[i].size = dimension.size;
        dimensions[i].coordinate_attributes = &dimension.coordinate_attributes;
        dimensions[i].declared = named[i].declared;
        dimension.role = RoleOf(dimensions[i]);
    }
    facts.axes = FindHorizontalAxes(dimensions);
    SetRoleByName(facts.axes.x, AxisRole::kX, facts);
    SetRoleByName(facts.axes.y, AxisRole::kY, facts);
    return facts;
}

}  // namespace

Fact<json::Value> InterpretAttributes(const Hierarchy& hierarchy, const ArrayFacts& facts,
                                      json::Value attributes) {
    Warnings warnings;
    attributes = WithEopf(std::move(attributes), facts.metadata).Report(warnings);
    attributes = WithGeoTiff(std::move(attributes), hierarchy, facts.path, facts.metadata,
                             facts.group_attributes)
                     .Report(warnings);
    return {std::move(attributes), std::move(warnings)};
}

Result<ArrayFacts> DescribeArray(const Hierarchy& hierarchy, const std::string& path) {
    ZARR_ASSIGN_OR_RETURN(const auto facts, hierarchy.Derived<ArrayFacts>(
                                                path, [&] { return Describe(hierarchy, path); }));
    return *facts;
}

DataType ApplyUnsigned(const DataType& type, const json::Value& attributes) {
    DataType applied = type;
    const json::Value* value = attributes.Find("_Unsigned");
    if (value == nullptr || type.narrow != NarrowType::kNone) return applied;
    const std::string* text = value->as_string();
    const bool* boolean = value->as_bool();
    const bool yes = (text != nullptr && (*text == "true" || *text == "True")) ||
                     (boolean != nullptr && *boolean);
    const bool no = (text != nullptr && (*text == "false" || *text == "False")) ||
                    (boolean != nullptr && !*boolean);
    if (yes && type.kind == DataKind::kInt) applied.kind = DataKind::kUint;
    if (no && type.kind == DataKind::kUint) applied.kind = DataKind::kInt;
    return applied;
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
#include "core/conventions/array_facts.h"

#include "core/conventions/dimension_names.h"
#include "core/conventions/eopf.h"
#include "core/conventions/lookup.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

bool IsVector(const Hierarchy& hierarchy, const std::string& path, std::uint64_t size) {
    const auto metadata = hierarchy.Metadata(path);
    return metadata.ok() && metadata->rank() == 1 && metadata->shape[0] == size;
}

}  // namespace

std::string FindCoordinateArray(const Hierarchy& hierarchy, std::string group,
                                const std::string& dimension, std::uint64_t size) {
    if (!IsValidKey(dimension) || dimension.find('/') != std::string::npos) return {};
    for (;;) {
        std::string path = JoinKey(group, dimension);
        if (IsVector(hierarchy, path, size)) return path;
        if (group.empty()) return {};
        group = std::string(ParentPath(group));
    }
}

namespace {

// The roles that `spatial:dimensions`, ["y", "x"] with any names, declares.
void DeclareSpatial(const json::Value& attributes, std::vector<NamedDimension>& named) {
    const json::Value* value = attributes.Find("spatial:dimensions");
    const json::Array* names = value != nullptr ? value->as_array() : nullptr;
    if (names == nullptr || names->size() != 2) return;
    for (NamedDimension& dimension : named) {
        for (std::size_t i = 0; i < 2; ++i) {
            const std::string* name = (*names)[i].as_string();
            if (name != nullptr && *name == dimension.name)
                dimension.declared = i == 0 ? AxisRole::kY : AxisRole::kX;
        }
    }
}

std::string CoordinatesOf(const Hierarchy& hierarchy, const NamedDimension& named,
                          std::uint64_t size) {
    if (!named.is_declared_in_group)
        return FindCoordinateArray(hierarchy, named.group, named.name, size);
    std::string path = JoinKey(named.group, named.name);
    return IsValidKey(path) && IsVector(hierarchy, path, size) ? path : std::string();
}

// A coordinate array beside the data that does not fit it is a mistake of the writer's.
void WarnOfLength(const Hierarchy& hierarchy, const std::string& group, const Dimension& dimension,
                  Warnings& warnings) {
    const std::string path = JoinKey(group, dimension.name);
    if (!IsValidKey(path)) return;
    const auto metadata = hierarchy.Metadata(path);
    if (!metadata.ok() || metadata->rank() != 1 || metadata->shape[0] == dimension.size) return;
    warnings.push_back("dimension " + dimension.name + " has " + std::to_string(dimension.size) +
                       " elements, its coordinate array /" + path + " " +
                       std::to_string(metadata->shape[0]) + ", so it is not used");
}

}  // namespace

Result<ArrayFacts> DescribeArray(const Hierarchy& hierarchy, const std::string& path) {
    ArrayFacts facts;
    facts.path = path;
    ZARR_ASSIGN_OR_RETURN(facts.metadata, hierarchy.Metadata(path));
    facts.attributes = WithEopf(LenientAttributes(hierarchy, path, facts.warnings), facts.metadata,
                                facts.warnings);
    LevelListings listings(hierarchy);
    if (!path.empty())
        facts.group_attributes = *listings.AttributesOf(std::string(ParentPath(path)));
    auto named =
        NameDimensions(hierarchy, listings, path, facts.metadata, facts.attributes, facts.warnings);
    DeclareSpatial(facts.group_attributes, named);
    DeclareSpatial(facts.attributes, named);
    std::vector<DimensionFacts> dimensions;
    for (std::size_t i = 0; i < named.size(); ++i) {
        Dimension dimension;
        dimension.name = named[i].name;
        dimension.is_named = named[i].is_named;
        dimension.group = named[i].group;
        dimension.size = facts.metadata.shape[i];
        // An array that is the whole store has nothing beside it, and a name that nobody gave is
        // nobody's.
        const bool may_have_coordinates = !path.empty() && dimension.is_named;
        if (may_have_coordinates)
            dimension.coordinate_path = CoordinatesOf(hierarchy, named[i], dimension.size);
        if (may_have_coordinates && dimension.coordinate_path.empty())
            WarnOfLength(hierarchy, named[i].group, dimension, facts.warnings);
        if (!dimension.coordinate_path.empty()) {
            dimension.group = std::string(ParentPath(dimension.coordinate_path));
            dimension.coordinate_attributes =
                LenientAttributes(hierarchy, dimension.coordinate_path, facts.warnings);
        }
        dimension.role = RoleOf(
            {dimension.name, dimension.size, &dimension.coordinate_attributes, named[i].declared});
        facts.dimensions.push_back(std::move(dimension));
    }
    for (std::size_t i = 0; i < named.size(); ++i)
        dimensions.push_back({named[i].name, facts.dimensions[i].size,
                              &facts.dimensions[i].coordinate_attributes, named[i].declared});
    facts.axes = FindHorizontalAxes(dimensions);
    return facts;
}

}  // namespace zarr

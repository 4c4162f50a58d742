// SPDX-License-Identifier: MIT
#include "core/conventions/array_facts.h"

#include "core/conventions/lookup.h"
#include "core/conventions/nczarr.h"
#include "core/conventions/ome.h"
#include "core/store/keys.h"

namespace zarr {

std::string FindCoordinateArray(const Hierarchy& hierarchy, std::string group,
                                const std::string& dimension, std::uint64_t size) {
    if (!IsValidKey(dimension) || dimension.find('/') != std::string::npos) return {};
    for (;;) {
        std::string path = JoinKey(group, dimension);
        const auto metadata = hierarchy.Metadata(path);
        if (metadata.ok() && metadata->rank() == 1 && metadata->shape[0] == size) return path;
        if (group.empty()) return {};
        group = std::string(ParentPath(group));
    }
}

namespace {

// A dimension's name, the group that its coordinate array is looked for in first, and its role.
struct NamedDimension {
    std::string name;
    std::string group;
    AxisRole declared = AxisRole::kNone;
    bool is_named = true;
};

std::vector<NamedDimension> NameDimensions(const ArrayFacts& facts,
                                           const json::Value& group_attributes,
                                           Warnings& warnings) {
    const std::string group(ParentPath(facts.path));
    const std::size_t rank = facts.metadata.rank();
    std::vector<NamedDimension> named;
    const bool has_names = facts.attributes.Find("_ARRAY_DIMENSIONS") != nullptr;
    const auto nczarr = NczarrDimensions(facts.metadata.document, facts.attributes, rank);
    const auto ome = FindOmeAxes(group_attributes, LastName(facts.path), rank);
    if (!has_names && nczarr) {
        for (const std::string& reference : *nczarr) {
            const auto path = NormalizePath(reference);
            if (!path.ok() || path->empty()) {
                warnings.push_back("dimrefs: " + json::Brief(json::Value(reference)) +
                                   " names no dimension");
                named.clear();
                break;
            }
            named.push_back({std::string(LastName(*path)), std::string(ParentPath(*path))});
        }
        if (named.size() == rank) return named;
    }
    if (!has_names && ome.size() == rank && rank > 0) {
        for (const OmeAxis& axis : ome) named.push_back({axis.name, group, axis.role});
        return named;
    }
    DimensionNames found = FindDimensionNames(facts.attributes, rank, warnings);
    for (std::string& name : found.names)
        named.push_back({std::move(name), group, AxisRole::kNone, found.are_stated});
    return named;
}

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
    facts.attributes = LenientAttributes(hierarchy, path, facts.warnings);
    Warnings ignored;  // of the group, reported where it is opened
    if (!path.empty())
        facts.group_attributes =
            LenientAttributes(hierarchy, std::string(ParentPath(path)), ignored);
    auto named = NameDimensions(facts, facts.group_attributes, facts.warnings);
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
            dimension.coordinate_path =
                FindCoordinateArray(hierarchy, named[i].group, dimension.name, dimension.size);
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

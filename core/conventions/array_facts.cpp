// SPDX-License-Identifier: MIT
#include "core/conventions/array_facts.h"

#include "core/store/keys.h"

namespace zarr {

std::string FindCoordinateArray(const Hierarchy& hierarchy, std::string group,
                                const std::string& dimension, std::uint64_t size) {
    if (!IsValidKey(dimension) || dimension.find('/') != std::string::npos) return {};
    for (;;) {
        const std::string path = JoinKey(group, dimension);
        const auto metadata = hierarchy.Metadata(path);
        if (metadata.ok() && metadata->rank() == 1 && metadata->shape[0] == size) return path;
        if (group.empty()) return {};
        group = std::string(ParentPath(group));
    }
}

namespace {

// Attributes of a node, where a broken `.zattrs` costs the attributes and not the array.
json::Value LenientAttributes(const Hierarchy& hierarchy, const std::string& path,
                              Warnings& warnings) {
    auto attributes = hierarchy.Attributes(path);
    if (attributes.ok()) return attributes.Take();
    warnings.push_back(attributes.status().message());
    return json::Value(json::Object{});
}

}  // namespace

Result<ArrayFacts> DescribeArray(const Hierarchy& hierarchy, const std::string& path) {
    ArrayFacts facts;
    facts.path = path;
    ZARR_ASSIGN_OR_RETURN(facts.metadata, hierarchy.Metadata(path));
    facts.attributes = LenientAttributes(hierarchy, path, facts.warnings);
    const std::vector<std::string> names =
        DimensionNames(facts.attributes, facts.metadata.rank(), facts.warnings);
    for (std::size_t i = 0; i < names.size(); ++i) {
        Dimension dimension;
        dimension.name = names[i];
        dimension.size = facts.metadata.shape[i];
        dimension.coordinate_path = FindCoordinateArray(hierarchy, std::string(ParentPath(path)),
                                                        dimension.name, dimension.size);
        if (!dimension.coordinate_path.empty())
            dimension.coordinate_attributes =
                LenientAttributes(hierarchy, dimension.coordinate_path, facts.warnings);
        facts.dimensions.push_back(std::move(dimension));
    }
    std::vector<DimensionFacts> dimensions;
    for (const Dimension& dimension : facts.dimensions)
        dimensions.push_back({dimension.name, dimension.size, &dimension.coordinate_attributes});
    facts.axes = FindHorizontalAxes(dimensions);
    return facts;
}

}  // namespace zarr

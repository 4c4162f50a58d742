// SPDX-License-Identifier: MIT
#include "core/conventions/crs/mesh.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "core/conventions/attributes/attributes.h"
#include "core/conventions/attributes/axis_roles.h"
#include "core/conventions/crs/geotransform.h"
#include "core/conventions/crs/grid_mapping.h"

namespace zarr {

namespace {

constexpr const char* kHealpix = "a HEALPix grid";
constexpr const char* kGlobalGrid = "a discrete global grid";
constexpr const char* kMesh = "an unstructured mesh";

bool IsHealpix(const json::Value& attributes, std::string_view name) {
    const std::string* const text = StringAttribute(attributes, name);
    return text != nullptr && NameKey(*text).find("healpix") != std::string::npos;
}

// Returns the dimensions X and Y whose coordinates are no map coordinates.
std::vector<const Dimension*> AxesOffMaps(const ArrayFacts& facts) {
    std::vector<const Dimension*> others;
    for (const auto& axis : {facts.axes.x, facts.axes.y})
        if (axis && facts.dimensions[*axis].role == AxisRole::kNone)
            others.push_back(&facts.dimensions[*axis]);
    return others;
}

// True if a dimension, or the attribute `coordinates`, is about xdggs' array of cell numbers.
bool HasCellIds(const ArrayFacts& facts, const std::vector<const Dimension*>& axes) {
    constexpr std::string_view kCellIds = "cell_ids";
    for (const json::Value* attributes : {&facts.attributes, &facts.group_attributes}) {
        const std::vector<std::string> names = WordsAttribute(*attributes, "coordinates");
        if (std::find(names.begin(), names.end(), kCellIds) != names.end()) return true;
    }
    return std::any_of(axes.begin(), axes.end(),
                       [&](const Dimension* axis) { return axis->name == kCellIds; });
}

std::string DiscreteGlobalGrid(const Hierarchy& hierarchy, const ArrayFacts& facts,
                               const std::vector<const Dimension*>& axes) {
    for (const json::Value* attributes : {&facts.attributes, &facts.group_attributes}) {
        const json::Value* const dggs = attributes->Find("dggs");
        if (dggs == nullptr || dggs->is_null()) continue;
        return IsHealpix(*dggs, "name") || IsHealpix(*attributes, "dggs") ? kHealpix : kGlobalGrid;
    }
    for (const Dimension* const axis : axes)
        if (IsHealpix(axis->coordinate_attributes, "grid_name") ||
            IsHealpix(axis->coordinate_attributes, "grid_mapping_name"))
            return kHealpix;
    const std::string mapping = FindGridMapping(hierarchy, facts).value;
    if (!mapping.empty() && IsHealpix(AttributesOrEmpty(hierarchy, mapping), "grid_mapping_name"))
        return kHealpix;
    return HasCellIds(facts, axes) ? kGlobalGrid : std::string();
}

bool StatesMesh(const ArrayFacts& facts) {
    const json::Value& own = facts.attributes;
    const bool is_ugrid =
        StringAttribute(own, "mesh") != nullptr && StringAttribute(own, "location") != nullptr;
    const auto is_of_cdi = [](const json::Value& attributes) {
        const std::string* const type = StringAttribute(attributes, "CDI_grid_type");
        return (type != nullptr && *type == "unstructured") ||
               attributes.Find("number_of_grid_in_reference") != nullptr ||
               attributes.Find("number_of_grid_used") != nullptr;
    };
    return is_ugrid || is_of_cdi(own) || is_of_cdi(facts.group_attributes);
}

// True if coordinates number the cells along a dimension with a usual name, and no attribute states
// a geotransform.
bool NumbersCells(const ArrayFacts& facts, const std::vector<const Dimension*>& axes) {
    constexpr std::string_view kNames[] = {"cell", "cells", "ncell", "ncells"};
    if (StatesTransform(facts.attributes) || StatesTransform(facts.group_attributes)) return false;
    return std::any_of(axes.begin(), axes.end(), [&](const Dimension* axis) {
        return !axis->coordinate_path.empty() && std::find(std::begin(kNames), std::end(kNames),
                                                           NameKey(axis->name)) != std::end(kNames);
    });
}

}  // namespace

std::string CellGridOf(const Hierarchy& hierarchy, const ArrayFacts& facts) {
    const std::vector<const Dimension*> axes = AxesOffMaps(facts);
    if (axes.empty()) return {};
    std::string kind = DiscreteGlobalGrid(hierarchy, facts, axes);
    if (!kind.empty()) return kind;
    return StatesMesh(facts) || NumbersCells(facts, axes) ? kMesh : kind;
}

}  // namespace zarr

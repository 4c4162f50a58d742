// SPDX-License-Identifier: MIT
#include "core/conventions/cf/scalar_coordinates.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/attributes/axis_roles.h"
#include "core/conventions/cf/cf_grid_mapping.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr std::size_t kMaxScalars = 64;

bool IsDimensionOf(const ArrayFacts& facts, const std::string& name) {
    return std::any_of(facts.dimensions.begin(), facts.dimensions.end(),
                       [&](const Dimension& dimension) { return dimension.name == name; });
}

// True if the name says what the array is, and that it is no scalar to show. Such arrays are not
// read, because each may cost a request.
bool IsOtherName(const ArrayFacts& facts, const std::string& name) {
    const AxisRole role = RoleFromName(name);
    return role == AxisRole::kX || role == AxisRole::kY || IsNameOfGridMapping(name) ||
           IsDimensionOf(facts, name);
}

// True if the array holds one element: a scalar, or netCDF-C's form of one.
bool HasOneElement(const ArrayMetadata& metadata) {
    return metadata.rank() == 0 || (metadata.rank() == 1 && metadata.shape[0] == 1);
}

}  // namespace

std::vector<Dimension> ScalarCoordinates(const Hierarchy& hierarchy, const ArrayFacts& facts) {
    const bool is_stated = facts.attributes.Find("coordinates") != nullptr;
    const std::string group(ParentPath(facts.path));
    std::vector<Dimension> scalars;
    for (const std::string& word :
         WordsAttribute(is_stated ? facts.attributes : facts.group_attributes, "coordinates")) {
        const std::string name(LastName(word));
        if (scalars.size() == kMaxScalars || IsOtherName(facts, name)) continue;
        const std::string path = FindVariable(hierarchy, group, word);
        if (path.empty() || path == facts.path) continue;
        const auto metadata = hierarchy.Metadata(path);
        if (!metadata.ok() || !HasOneElement(*metadata) ||
            metadata->dtype.kind == DataKind::kStruct || metadata->dtype.kind == DataKind::kVoid)
            continue;
        Dimension scalar;
        scalar.name = name;
        scalar.size = 1;
        scalar.group = std::string(ParentPath(path));
        scalar.coordinate_path = path;
        scalar.coordinate_attributes = AttributesOrEmpty(hierarchy, path);
        if (scalar.coordinate_attributes.Find("grid_mapping_name") == nullptr)
            scalars.push_back(std::move(scalar));
    }
    return scalars;
}

}  // namespace zarr

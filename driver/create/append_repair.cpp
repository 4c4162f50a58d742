// SPDX-License-Identifier: MIT
#include "driver/create/append_repair.h"

#include <algorithm>
#include <set>

#include "core/conventions/array_facts.h"
#include "core/conventions/catalog.h"
#include "core/store/keys.h"
#include "driver/overviews/overview_levels.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// Finds arrays with a wrong size along the extended dimension. The size of the extended array is
// right.
class RepairFinder {
  public:
    RepairFinder(const zarr::Hierarchy& hierarchy, const zarr::Dimension& dimension)
        : hierarchy_(hierarchy), dimension_(dimension) {}

    // Plans to resize axis `axis` of the array at `path` to the size of the extended dimension.
    // Does nothing if the size is right.
    Status Compare(const std::string& path, std::size_t axis, AppendRepair& repair) const {
        ZARR_ASSIGN_OR_RETURN(const auto metadata, hierarchy_.Metadata(path));
        auto shape = metadata.shape;
        if (axis >= shape.size() || shape[axis] == dimension_.size) return {};
        shape[axis] = dimension_.size;
        ZARR_ASSIGN_OR_RETURN(auto repaired, zarr::WithShape(metadata, std::move(shape)));
        repair.stored.insert_or_assign(path, metadata);
        repair.repaired.insert_or_assign(path, std::move(repaired));
        return {};
    }

    // Plans the repair of all axes of the array at `path` that have the extended dimension. Does
    // nothing if no array exists there.
    Status CompareNamed(const std::string& path, AppendRepair& repair) const {
        const auto facts =
            path.empty() ? Status::NotFound("") : zarr::DescribeArray(hierarchy_, path);
        if (!facts.ok()) return {};
        for (std::size_t i = 0; i < facts->dimensions.size(); ++i)
            if (facts->dimensions[i].name == dimension_.name)
                ZARR_RETURN_IF_ERROR(Compare(path, i, repair));
        return {};
    }

    // Returns the number of elements in the coordinate array of the extended dimension in `group`.
    // Returns 0 if there is no such array.
    std::uint64_t CoordinatesIn(std::string_view group) const {
        const std::string path = zarr::JoinKey(group, dimension_.name);
        if (!zarr::IsValidKey(path)) return 0;
        const auto metadata = hierarchy_.Metadata(path);
        return metadata.ok() && metadata->rank() == 1 ? metadata->shape[0] : 0;
    }

    // Finds an array that has `size` elements along the extended dimension, except the arrays at
    // the paths in `own`. Returns its path; empty if there is none.
    Result<std::string> FindArrayOfSize(std::uint64_t size,
                                        const std::set<std::string>& own) const {
        ZARR_ASSIGN_OR_RETURN(const auto groups, zarr::ListRasters(hierarchy_, "").value);
        for (const zarr::CatalogGroup& group : groups)
            for (const zarr::CatalogArray& array : group.arrays) {
                if (own.count(array.path) != 0) continue;
                const auto facts = zarr::DescribeArray(hierarchy_, array.path);
                if (!facts.ok()) continue;
                for (const zarr::Dimension& other : facts->dimensions)
                    if (other.is_named && other.name == dimension_.name && other.size == size &&
                        other.group == dimension_.group)
                        return array.path;
            }
        return std::string();
    }

  private:
    const zarr::Hierarchy& hierarchy_;
    const zarr::Dimension& dimension_;
};

}  // namespace

Result<AppendRepair> FindInterruptedAppend(const zarr::Hierarchy& hierarchy,
                                           const RasterLayout& layout, std::size_t axis,
                                           const GrowingPyramid& pyramid) {
    AppendRepair repair;
    const zarr::Dimension& dimension = layout.facts.dimensions[axis];
    const RepairFinder finder(hierarchy, dimension);
    std::set<std::string> own = {layout.facts.path, MaskOf(layout, layout.facts.path)};
    for (const GrowingLevel& level : pyramid.levels) {
        own.insert(level.path);
        ZARR_RETURN_IF_ERROR(finder.Compare(level.path, axis, repair));
        ZARR_RETURN_IF_ERROR(finder.CompareNamed(MaskOf(layout, level.path), repair));
        const std::string_view group = zarr::ParentPath(level.path);
        if (group == zarr::ParentPath(layout.facts.path) || finder.CoordinatesIn(group) == 0)
            continue;
        const std::string coordinates = zarr::JoinKey(group, dimension.name);
        own.insert(coordinates);
        ZARR_RETURN_IF_ERROR(finder.Compare(coordinates, 0, repair));
    }
    ZARR_RETURN_IF_ERROR(finder.CompareNamed(MaskOf(layout, layout.facts.path), repair));
    if (!dimension.is_named || !dimension.coordinate_path.empty()) return repair;
    const std::uint64_t size = finder.CoordinatesIn(dimension.group);
    if (size <= dimension.size) return repair;
    const std::string path = zarr::JoinKey(dimension.group, dimension.name);
    own.insert(path);
    ZARR_RETURN_IF_ERROR(finder.Compare(path, 0, repair));
    ZARR_ASSIGN_OR_RETURN(repair.user, finder.FindArrayOfSize(size, own));
    if (!repair.user.empty()) repair.shared_coordinates = size;
    return repair;
}

}  // namespace zarr_driver

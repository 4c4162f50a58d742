// SPDX-License-Identifier: MIT
#include "driver/georef/shared_georeferencing.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/conventions/attributes/axis_roles.h"
#include "core/conventions/facts/array_facts.h"
#include "core/store/keys.h"
#include "driver/georef/georeferencing.h"

namespace zarr_driver {

using zarr::CatalogArray;

namespace {

// Georeferencing and size of the raster that an array forms.
struct GridLocation {
    zarr::HorizontalAxes axes;
    double columns = 0;
    double rows = 0;
    Georeferencing georeferencing;
};

// Returns the georeferencing of the array at `path`. Returns nullopt if the array cannot be read as
// a raster.
std::optional<GridLocation> FindGridLocation(const zarr::Hierarchy& hierarchy,
                                             const std::string& path, const std::string& store_path,
                                             const OpenOptions& options) {
    const auto facts = zarr::DescribeArray(hierarchy, path);
    if (!facts.ok() || !facts->axes.x || !facts->axes.y) return std::nullopt;
    GridLocation location;
    location.axes = facts->axes;
    location.columns = static_cast<double>(facts->dimensions[*facts->axes.x].size);
    location.rows = static_cast<double>(facts->dimensions[*facts->axes.y].size);
    location.georeferencing = ReadGeoreferencing(
        hierarchy, *facts, store_path,
        {options.assume_longlat, options.wrap_longitude, options.north_up, options.threads, {}});
    return location;
}

bool HaveSameTransform(const GridLocation& a, const GridLocation& b) {
    constexpr double kMaxDistanceInPixels =
        0.01;  // more than a raster moves if its coordinates are rounded to float32
    const auto& [first, second] = std::pair(a.georeferencing.transform, b.georeferencing.transform);
    if (!first || !second) return first.has_value() == second.has_value();
    return zarr::CornerDistance(*first, a.columns, a.rows, *second, b.columns, b.rows) <=
           kMaxDistanceInPixels;
}

bool HaveSameSrs(const Georeferencing& a, const Georeferencing& b) {
    if (!a.srs || !b.srs) return a.srs.has_value() == b.srs.has_value();
    return a.srs->IsSame(&*b.srs) != FALSE;
}

bool HaveSameText(const CPLStringList& a, const CPLStringList& b) {
    if (a.size() != b.size()) return false;
    for (int i = 0; i < a.size(); ++i)
        if (!EQUAL(a[i], b[i])) return false;
    return true;
}

bool AreSame(const GridLocation& a, const GridLocation& b) {
    const auto is_same_point = [](const zarr::GroundControlPoint& p,
                                  const zarr::GroundControlPoint& q) {
        return p.pixel == q.pixel && p.line == q.line && p.x == q.x && p.y == q.y &&
               p.height == q.height;
    };
    const auto& points = a.georeferencing.points;
    const auto& others = b.georeferencing.points;
    return a.axes.x == b.axes.x && a.axes.y == b.axes.y &&
           HaveSameSrs(a.georeferencing, b.georeferencing) && HaveSameTransform(a, b) &&
           HaveSameText(a.georeferencing.geolocation, b.georeferencing.geolocation) &&
           std::equal(points.begin(), points.end(), others.begin(), others.end(), is_same_point);
}

}  // namespace

std::vector<const CatalogArray*> ArraysInOneLocation(const zarr::Hierarchy& hierarchy,
                                                     const std::vector<const CatalogArray*>& grid,
                                                     const std::string& store_path,
                                                     const OpenOptions& options) {
    std::map<std::string, std::vector<const CatalogArray*>> by_statements;
    for (const CatalogArray* array : grid)
        by_statements[std::string(zarr::ParentPath(array->path)) + '\0' +
                      array->location_statements]
            .push_back(array);
    if (by_statements.size() < 2) return grid;
    struct Set {
        std::optional<GridLocation> location;
        std::vector<std::size_t> members;  // indices of the arrays in `grid`
    };
    std::vector<Set> sets;
    for (const auto& [statements, arrays] : by_statements) {
        auto location = FindGridLocation(hierarchy, arrays[0]->path, store_path, options);
        const auto found = std::find_if(sets.begin(), sets.end(), [&](const Set& set) {
            return location && set.location && AreSame(*location, *set.location);
        });
        Set& set = found != sets.end() ? *found : sets.emplace_back(Set{std::move(location), {}});
        for (const CatalogArray* array : arrays)
            set.members.push_back(static_cast<std::size_t>(
                std::find(grid.begin(), grid.end(), array) - grid.begin()));
    }
    for (Set& set : sets) std::sort(set.members.begin(), set.members.end());
    const auto largest = std::max_element(sets.begin(), sets.end(), [](const Set& a, const Set& b) {
        return a.members.size() != b.members.size() ? a.members.size() < b.members.size()
                                                    : a.members[0] > b.members[0];
    });
    std::vector<const CatalogArray*> arrays;
    for (const std::size_t member : largest->members) arrays.push_back(grid[member]);
    return arrays;
}

}  // namespace zarr_driver

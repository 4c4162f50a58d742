// SPDX-License-Identifier: MIT
// The part of OverviewLevels that says of overviews what the raster says of itself.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "core/conventions/coordinates.h"
#include "core/conventions/nczarr.h"
#include "core/hierarchy/tree.h"
#include "core/store/keys.h"
#include "driver/overview_levels.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::NodeKind;
using zarr::Status;

namespace {

// True for attributes that say where the array lies, or name what lies beside it.
bool IsOfPlace(std::string_view name) {
    for (const std::string_view own : {"coordinates", "multiscales", "proj:transform", "proj:shape",
                                       "proj:bbox", "ancillary_variables"})
        if (name == own) return true;
    return name.substr(0, 8) == "spatial:" || zarr::IsNczarrAttribute(name);
}

json::Object KeptAttributes(const json::Value& attributes) {
    json::Object kept;
    if (const json::Object* members = attributes.as_object())
        std::copy_if(members->begin(), members->end(), std::back_inserter(kept),
                     [](const json::Member& member) { return !IsOfPlace(member.first); });
    return kept;
}

// How georeferencing is written beside an array with these attributes: as it is there.
Georeferenced ConventionOf(const json::Value& attributes, Georeferenced fallback) {
    const bool gdal = attributes.Find("_CRS") != nullptr;
    const bool cf = attributes.Find("grid_mapping") != nullptr;
    if (gdal && cf) return Georeferenced::kGdalAndCf;
    if (gdal) return Georeferenced::kGdal;
    if (cf) return Georeferenced::kCf;
    const bool spatial = attributes.Find("spatial:transform") != nullptr ||
                         attributes.Find("proj:code") != nullptr ||
                         attributes.Find("proj:wkt2") != nullptr;
    return spatial ? Georeferenced::kSpatialProj : fallback;
}

// The extent stays, the pixels grow.
zarr::GeoTransform Scaled(const zarr::GeoTransform& t, const RasterLayout& base,
                          const LevelPaths& level) {
    const double x = static_cast<double>(base.Width()) / static_cast<double>(level.width);
    const double y = static_cast<double>(base.Height()) / static_cast<double>(level.height);
    return {t[0], t[1] * x, t[2] * y, t[3], t[4] * x, t[5] * y};
}

// Where the centres of `size` pixels lie that cover the same as those whose centres are given.
std::vector<double> Between(const std::vector<double>& centres, std::uint64_t size) {
    const double scale = static_cast<double>(centres.size()) / static_cast<double>(size);
    const auto last = static_cast<double>(centres.size() - 1);
    std::vector<double> between;
    between.reserve(static_cast<std::size_t>(size));
    for (std::uint64_t i = 0; i < size; ++i) {
        const double place = std::clamp((static_cast<double>(i) + 0.5) * scale - 0.5, 0.0, last);
        const double before = std::floor(place);
        const double left = centres[static_cast<std::size_t>(before)];
        const double right = centres[static_cast<std::size_t>(std::min(before + 1, last))];
        between.push_back(left + (place - before) * (right - left));
    }
    return between;
}

}  // namespace

void OverviewLevels::AddDimensionNames(const zarr::ArrayFacts& facts, json::Object& attributes) {
    json::Array names;
    for (const zarr::Dimension& dimension : facts.dimensions)
        if (dimension.is_named) names.emplace_back(dimension.name);
    if (names.size() == facts.metadata.rank())
        SetMember(attributes, "_ARRAY_DIMENSIONS", json::Value(std::move(names)));
}

Status OverviewLevels::Follow(const LevelPaths& level) const {
    const CoordinateArrays coordinates(
        update_, std::set<std::string>(level.paths.begin(), level.paths.end()));
    const RasterLayout& first = *source_.arrays[0];
    Placement placement = source_.placement;
    if (placement.transform) placement.transform = Scaled(*placement.transform, first, level);
    const Georeferenced convention = ConventionOf(first.facts.attributes, source_.convention);
    const RasterLayout scaled = AtSize(first, level.paths[0], level);
    zarr::Warnings ignored;  // nothing but the levels is in their group
    ZARR_ASSIGN_OR_RETURN(const PlacedBeside beside,
                          WriteBeside(coordinates, scaled, placement, convention, ignored));
    ZARR_RETURN_IF_ERROR(FollowCoordinates(coordinates, first, scaled));
    for (std::size_t i = 0; i < level.paths.size(); ++i) {
        const RasterLayout array = AtSize(*source_.arrays[i], level.paths[i], level);
        json::Object attributes = KeptAttributes(array.facts.attributes);
        AddDimensionNames(array.facts, attributes);
        PlaceByAttributes(array, placement, convention, beside, attributes);
        ZARR_RETURN_IF_ERROR(
            update_.metadata().SetAttributes(level.paths[i], json::Value(std::move(attributes))));
    }
    return {};
}

// Coordinates of other dimensions are the same; those of X and Y that a geotransform does not say
// lie between those of the raster.
Status OverviewLevels::FollowCoordinates(const CoordinateArrays& coordinates,
                                         const RasterLayout& array,
                                         const RasterLayout& level) const {
    const std::string group(zarr::ParentPath(level.facts.path));
    for (std::size_t i = 0; i < array.facts.dimensions.size(); ++i) {
        const zarr::Dimension& from = array.facts.dimensions[i];
        if (!from.is_named) continue;
        // The coordinates may be younger than what is known of the array.
        const std::string path =
            zarr::FindCoordinateArray(hierarchy_, Group(), from.name, from.size);
        const std::string to = zarr::JoinKey(group, from.name);
        if (path.empty() || path == array.facts.path || to == level.facts.path) continue;
        if (array.x_axis != i && array.y_axis != i)
            ZARR_RETURN_IF_ERROR(CopyCoordinates(path, to));
        else if (!source_.placement.transform)
            ZARR_RETURN_IF_ERROR(
                WriteBetween(coordinates, from, level.facts.dimensions[i].size, to));
    }
    return {};
}

Status OverviewLevels::CopyCoordinates(const std::string& from, const std::string& to) const {
    ZARR_ASSIGN_OR_RETURN(const NodeKind kind, hierarchy_.KindOf(to));
    if (kind != NodeKind::kNone) ZARR_RETURN_IF_ERROR(update_.metadata().DeleteNode(to));
    zarr::Store& store = *update_.store();
    return zarr::CopyTree({store, from}, {store, to});
}

Status OverviewLevels::WriteBetween(const CoordinateArrays& coordinates,
                                    const zarr::Dimension& from, std::uint64_t size,
                                    const std::string& path) const {
    if (from.coordinate_path.empty()) return {};
    const auto read = zarr::ReadCoordinates(hierarchy_, from.coordinate_path,
                                            from.coordinate_attributes, source_.threads);
    if (!read.ok()) return {};  // texts, or broken; whoever reads the raster is told
    json::Object attributes;
    if (const json::Object* members = from.coordinate_attributes.as_object()) attributes = *members;
    // The values are written unpacked, and bounds are not written.
    for (const char* name : {"scale_factor", "add_offset", "_FillValue", "missing_value", "bounds"})
        SetMember(attributes, name, json::Value());
    const std::vector<double> between = Between(read->values, size);
    const NumberSeries numbers{
        between.size(), [&](std::uint64_t i) { return between[static_cast<std::size_t>(i)]; }};
    return coordinates.WriteNumbers(path, numbers, attributes).status();
}

}  // namespace zarr_driver

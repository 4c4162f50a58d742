// SPDX-License-Identifier: MIT
// The overviews of a raster in its store: the nodes that hold them, and what describes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/overviews.h"
#include "core/hierarchy/hierarchy.h"
#include "driver/georef/georeferencing_write.h"
#include "driver/georef/raster_layout.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

// An overview of every array of a raster.
struct LevelPaths {
    std::vector<std::string> paths;  // from the root, in the order of the raster's arrays
    std::uint64_t width = 0;
    std::uint64_t height = 0;
    std::string method;  // of resampling
};

// What of a raster its overviews follow.
struct LevelSource {
    std::vector<const RasterLayout*> arrays;  // all in one group
    RasterPosition placement;
    Georeferenced convention = Georeferenced::kEveryReader;
    std::size_t threads = 1;
};

// Makes, describes and removes the overviews of one raster. An overview's arrays lie, with
// coordinates of their own, in a group of theirs. Where the raster is /g/raster and the factor 2,
// that is /g/ovr_2x/raster of Zarr v3, or ovr_2x_2, ... where something else is there; of Zarr v2
// /g/overviews/2/raster, or overviews_2, 2_2, .... Borrows what it is given; `hierarchy` must not
// be consolidated.
class OverviewLevels {
  public:
    OverviewLevels(StoreUpdate& update, const zarr::Hierarchy& hierarchy, LevelSource source);

    // Why the raster can have no overviews in its store; ok where it can.
    zarr::Status Check() const;
    // True where `paths` are described as overviews of the arrays.
    bool AreListed(const std::vector<std::string>& paths) const;
    // The overviews that the arrays have by the description, without sizes.
    std::vector<zarr::OverviewLevel> Listed() const;

    // Makes the arrays of an overview, without chunks, and their coordinates. Sets level.paths.
    // After a failure what was made is gone.
    zarr::Status Make(int factor, LevelPaths& level) const;
    // Makes the masks of an overview where the arrays have masks and it has none. True where any
    // was made; UpdateDescription() is to follow.
    zarr::Result<bool> MakeMasks(const LevelPaths& level) const;
    // Writes again what the attributes and coordinates of an overview take from the raster.
    zarr::Status UpdateDescription(const LevelPaths& level) const;
    // Writes which overviews there are, the largest first; none takes the description away.
    zarr::Status Describe(const std::vector<LevelPaths>& levels) const;
    // Removes the nodes of an overview that is not described, and the groups that are left empty.
    zarr::Status Remove(const LevelPaths& level) const;

  private:
    // Names the dimensions of an array in its attributes, where all have names.
    static void AddDimensionNames(const zarr::ArrayFacts& facts, zarr::json::Object& attributes);
    std::string Group() const;
    zarr::OverviewStyle Style() const;
    std::string FromGroup(const std::string& path) const;
    zarr::Result<zarr::json::Object> GroupAttributes() const;
    zarr::Result<std::string> Container() const;
    // The group for a new overview, where nothing is.
    zarr::Result<std::string> FreeGroup(int factor) const;
    zarr::Result<std::string> FreeGroupIn(const std::string& container, int factor) const;
    zarr::Result<std::string> FreeGroupBeside(int factor) const;
    bool IsListed(const std::string& group) const;
    zarr::Status MakeArrays(const LevelPaths& level) const;
    zarr::Status FollowFillValue(const zarr::ArrayFacts& base, const std::string& path) const;
    zarr::Status DescribeMask(const RasterLayout& array, const std::string& level_path,
                              zarr::json::Object& attributes) const;
    zarr::Status UpdateCoordinates(const CoordinateArrays& coordinates, const RasterLayout& array,
                                   const RasterLayout& level) const;
    zarr::Status CopyCoordinates(const std::string& from, const std::string& to) const;
    zarr::Status WriteBetween(const CoordinateArrays& coordinates, const zarr::Dimension& from,
                              std::uint64_t size, const std::string& path) const;
    bool IsInContainer(const std::string& path) const;
    zarr::Status RemoveEmptyGroups(const std::string& level_group) const;

    StoreUpdate& update_;
    const zarr::Hierarchy& hierarchy_;
    const LevelSource source_;
};

// The path of the mask that an array at `path` has, or is to have, by the attributes of the raster;
// empty without.
std::string MaskOf(const RasterLayout& array, std::string_view path);

// What an array is at the size of an overview, at `path`.
RasterLayout AtSize(const RasterLayout& array, const std::string& path, const LevelPaths& level);

}  // namespace zarr_driver

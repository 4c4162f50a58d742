// SPDX-License-Identifier: MIT
// Manages the nodes of a store that hold overviews of a raster, and the metadata that lists
// overviews.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/attributes/fingerprint.h"
#include "core/conventions/group/overviews.h"
#include "core/hierarchy/hierarchy.h"
#include "driver/georef/georeferencing_write.h"
#include "driver/georef/raster_layout.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

// An overview of a raster. The overview has one array for each array of the raster.
struct LevelPaths {
    // paths of the overview's arrays from the root, in the order of the raster's arrays
    std::vector<std::string> paths;
    std::uint64_t width = 0;
    std::uint64_t height = 0;
    std::string method;  // resampling method of the overview
};

// Properties of a raster that its overviews must have, too.
struct LevelSource {
    std::vector<const RasterLayout*> arrays;  // arrays of the raster, all in one group
    RasterPosition placement;
    GeoreferencingForm convention = GeoreferencingForm::kEveryReader;
    std::size_t threads = 1;
    // Samples of the raster's pixels that overviews record. Overviews that are added to others
    // record the same as these.
    zarr::BaseSamples samples = zarr::BaseSamples::kSome;
};

// Creates, describes and removes the overviews of one raster. All arguments must outlive this
// object. `hierarchy` must not be consolidated.
// The arrays and coordinates of an overview are in a group of their own. For /g/raster and factor
// 2, the overview's array is /g/ovr_2x/raster. If the name of the group is taken, "_2", "_3" and so
// on is appended. With level groups, the raster /g/0/raster has the overviews /g/1/raster,
// /g/2/raster and so on. Stores of earlier releases have overviews such as /g/overviews/2/raster.
class OverviewLevels {
  public:
    OverviewLevels(StoreUpdate& update, const zarr::Hierarchy& hierarchy, LevelSource source);

    // Returns Ok if the store can hold overviews of the raster. Otherwise the error says why not.
    zarr::Status Check() const;
    // True if the group's metadata lists `paths` as overviews of the raster's arrays.
    bool AreListed(const std::vector<std::string>& paths) const;
    // Returns the overviews that the group's metadata lists for the raster's arrays. Their sizes
    // are not set.
    std::vector<zarr::OverviewLevel> Listed() const;
    // Returns the resampling method that the metadata states for the array `path` of an overview,
    // or an empty text.
    std::string MethodOf(const std::string& path) const;

    // Creates the arrays of an overview, without chunks, and their coordinate arrays. Sets
    // level.paths. On failure removes everything that was created.
    zarr::Status Make(int factor, LevelPaths& level) const;
    // Creates masks of an overview if the raster has masks and the overview has none. Returns true
    // if a mask was created; in this case the caller must call UpdateDescription().
    zarr::Result<bool> MakeMasks(const LevelPaths& level) const;
    // Whether the pixels of an overview are those that its description promises.
    enum class Fill : std::uint8_t { kIncomplete, kComplete };
    // Copies attributes and coordinates from the raster to an overview, and records the state of
    // its pixels like RecordFill().
    zarr::Status UpdateDescription(const LevelPaths& level, Fill fill = Fill::kComplete) const;
    // Records for the arrays at `paths`, each an overview of one of the raster's arrays, whether
    // their pixels are complete. Readers leave out an incomplete overview. An overview that another
    // program has built gets no record when it is complete.
    zarr::Status RecordFill(const std::vector<std::string>& paths, Fill fill) const;
    // True if an overview at `paths` is recorded as incomplete.
    bool IsIncomplete(const std::vector<std::string>& paths) const;
    // True if each level is a group, and the parent of these groups describes the levels.
    bool HasLevelGroups() const { return listing_.has_level_groups; }
    // Lists `levels` in the group's metadata, in order of decreasing size. If `levels` is empty,
    // removes the list from the metadata. With HasLevelGroups(), the list also contains the raster
    // itself and is never removed, and the group states the position of the raster.
    zarr::Status Describe(const std::vector<LevelPaths>& levels) const;
    // Fails if Describe() would fail for `levels` and new levels with the reduction factors
    // `factors`.
    zarr::Status CheckDescription(std::vector<LevelPaths> levels,
                                  const std::vector<int>& factors) const;
    // Removes the nodes of an overview that the metadata does not list. Also removes groups that
    // become empty.
    zarr::Status Remove(const LevelPaths& level) const;
    // Removes groups of overviews that the metadata does not list, because a process has died while
    // it built or removed them. No other process may be building overviews in the group.
    zarr::Status RemoveLeftovers() const;

  private:
    // Sets the attribute `_ARRAY_DIMENSIONS` if all dimensions of the array have names.
    static void AddDimensionNames(const zarr::ArrayFacts& facts, zarr::json::Object& attributes);
    // Returns the group of the raster's arrays.
    std::string Group() const;
    // Returns `path`, a path from the root, relative to the group whose metadata lists the
    // overviews.
    std::string FromGroup(const std::string& path) const;
    zarr::Result<zarr::json::Object> GroupAttributes() const;
    zarr::Status DescribeIn(zarr::json::Object& attributes,
                            const std::vector<LevelPaths>& levels) const;
    // Returns the attributes of a group of overviews, with the state of the raster's array for each
    // array of `level`. The documents of these arrays must be written.
    zarr::json::Object WithStates(const zarr::json::Value& stored, const LevelPaths& level,
                                  Fill fill) const;
    std::string StateFor(const RasterLayout& array, const std::string& path, Fill fill) const;
    // Returns LevelSource::samples, or what the listed overviews have.
    zarr::BaseSamples SamplesOfLevels() const;
    zarr::Result<std::string> MakeGroup(int factor) const;
    zarr::json::Object PlacementOfLevel(const RasterLayout& scaled, const LevelPaths& level) const;
    // True if the metadata lists `path` as an overview of the raster's array `array`.
    bool IsListedOf(const RasterLayout& array, const std::string& path) const;
    zarr::Status MakeArrays(const LevelPaths& level) const;
    zarr::Status FollowFillValue(const zarr::ArrayFacts& base, const std::string& path) const;
    zarr::Status DescribeMask(const RasterLayout& array, const std::string& level_path,
                              zarr::json::Object& attributes) const;
    zarr::Status UpdateCoordinates(const CoordinateArrays& coordinates, const RasterLayout& array,
                                   const RasterLayout& level) const;
    zarr::Status CopyCoordinates(const std::string& from, const std::string& to) const;
    zarr::Status WriteInterpolated(const CoordinateArrays& coordinates, const zarr::Dimension& from,
                                   std::uint64_t size, const std::string& path) const;
    zarr::Status RemoveLeftoversIn(const std::string& container) const;
    zarr::Status RemoveLeftover(const std::string& group, bool is_contained) const;

    StoreUpdate& update_;
    const zarr::Hierarchy& hierarchy_;
    const LevelSource source_;
    const zarr::OverviewListing listing_;
    const zarr::BaseSamples samples_;
};

// Returns the path of the mask for the array or overview at `path`. The raster's attribute
// `gdal_mask` gives the mask's name. Returns an empty path if the raster lacks the attribute. The
// mask need not exist.
std::string MaskOf(const RasterLayout& array, std::string_view path);

// Returns the layout of `array` with the size of the overview `level`. `path` is the path of the
// overview's array.
RasterLayout LayoutOfLevel(const RasterLayout& array, const std::string& path,
                           const LevelPaths& level);

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
// Coordinate arrays and grid mapping arrays of rasters in a store that is being changed.
#pragma once

#include <ogr_spatialref.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/conventions/facts/array_facts.h"
#include "core/hierarchy/hierarchy.h"
#include "core/json/value.h"
#include "core/metadata/array_metadata.h"
#include "driver/georef/grid_mappings.h"
#include "driver/georef/raster_layout.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

// Opens the hierarchy of a store that is being written. Ignores consolidated metadata, which may be
// outdated.
zarr::Result<std::shared_ptr<const zarr::Hierarchy>> CurrentHierarchy(
    const std::shared_ptr<const zarr::Store>& store);

// Returns the names of all arrays in `group`, and the names of their dimensions.
std::set<std::string> DimensionsInUse(const zarr::Hierarchy& hierarchy, const std::string& group);

// A series of numbers. Each number is computed when needed, because the series may be long.
struct NumberSeries {
    std::uint64_t count = 0;
    std::function<double(std::uint64_t)> at;  // returns the number at a position in the series
};

// True if the array at `path` is one-dimensional and holds exactly `numbers`.
zarr::Result<bool> HoldsNumbers(const zarr::Hierarchy& hierarchy, const std::string& path,
                                const NumberSeries& numbers);

// Says which arrays may refer to coordinates and grid mappings, besides the rasters that are being
// written.
enum class OtherArrays : std::uint8_t {
    kNone,      // none, because the store is new
    kExisting,  // arrays that existed before this update
    kAny,       // existing and new arrays; attributes of new arrays may be pending
};

// Reads and writes the coordinate arrays and grid mappings of rasters. An array to which arrays
// other than the rasters refer is shared, and is not changed. Exception: the geotransform in a
// shared grid mapping is changed if those arrays do not need it.
class CoordinateArrays {
  public:
    // `rasters` are the paths of the arrays whose coordinates are written. `others` says which
    // other arrays may refer to these coordinates.
    CoordinateArrays(StoreUpdate& update, std::set<std::string> rasters,
                     OtherArrays others = OtherArrays::kExisting)
        : update_(update), rasters_(std::move(rasters)), others_(others) {}

    // True if an array may be written at `path`: nothing exists there, or only the rasters refer to
    // the existing array. Also true if this update created the existing array, unless `others` is
    // OtherArrays::kAny.
    zarr::Result<bool> IsFree(const std::string& path) const;

    // Removes the array at `path` if the array is a scalar and free (see IsFree()).
    zarr::Status RemoveScalar(const std::string& path) const;

    // Removes the array at `path` if it is free. Returns false if it is not.
    zarr::Result<bool> Remove(const std::string& path) const;

    // Returns a grid mapping in `group` that states `srs`, preferably one with a name in `names`.
    // Returns nullopt if the group has no such grid mapping.
    zarr::Result<std::optional<GridMapping>> FindEqual(const std::string& group,
                                                       const std::vector<std::string>& names,
                                                       const OGRSpatialReference& srs) const;

    // True if all arrays that refer to the array at `path`, except the rasters, have coordinate
    // arrays of X and Y. They then do not need a geotransform.
    zarr::Result<bool> UsersHaveCoordinates(const std::string& path) const;

    // True if another raster of the group has X and Y dimensions with the names that `layout` uses,
    // but no coordinate arrays. New coordinate arrays for `layout` would also apply to that raster.
    zarr::Result<bool> WouldMoveOtherRasters(const RasterLayout& layout) const;

    // Replaces the attributes of the array at `path`.
    zarr::Status SetAttributes(const std::string& path, const zarr::json::Value& attributes) const {
        return update_.metadata().SetAttributes(path, attributes);
    }

    // Writes an array that consists of a single uncompressed chunk. `chunk` holds the elements in
    // the byte order of `spec.dtype`.
    zarr::Status Write(const std::string& path, const zarr::ArraySpec& spec,
                       const zarr::json::Object& attributes, const std::string& chunk) const;

    // Writes `numbers` as a coordinate array in chunks of at most 8 MiB. Does nothing if the array
    // already holds these numbers. Returns false, and writes nothing, if a different array exists
    // and IsFree(path) is false.
    zarr::Result<bool> WriteNumbers(const std::string& path, const NumberSeries& numbers,
                                    const zarr::json::Object& attributes,
                                    std::vector<zarr::CodecSpec> codecs = {}) const;

  private:
    // Returns the metadata of an array with `spec`, in the format of the store.
    zarr::Result<zarr::ArrayMetadata> MetadataOf(zarr::ArraySpec spec) const;
    // Returns the arrays that refer to the array at `path`, except the rasters. The list contains
    // an error for each array that cannot be read, because that array may refer to `path`.
    zarr::Result<std::vector<zarr::Result<zarr::ArrayFacts>>> UsersOf(
        const std::string& path) const;

    StoreUpdate& update_;
    const std::set<std::string> rasters_;
    const OtherArrays others_;
};

}  // namespace zarr_driver

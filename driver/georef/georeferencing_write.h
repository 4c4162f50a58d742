// SPDX-License-Identifier: MIT
#pragma once

#include <ogr_spatialref.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/conventions/affine.h"
#include "core/hierarchy/hierarchy.h"
#include "core/json/value.h"
#include "core/metadata/array_metadata.h"
#include "driver/georef/convention.h"
#include "driver/georef/grid_mappings.h"
#include "driver/georef/raster_layout.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

// The hierarchy of a store that is being written, as it is now.
zarr::Result<std::shared_ptr<const zarr::Hierarchy>> CurrentHierarchy(
    const std::shared_ptr<const zarr::Store>& store);

// The names and sizes of dimensions that arrays in `group` use; the coordinate arrays of these,
// with their own.
std::set<std::string> DimensionsInUse(const zarr::Hierarchy& hierarchy, const std::string& group);

// Numbers that are made when they are asked for, as there may be many.
struct NumberSeries {
    std::uint64_t count = 0;
    std::function<double(std::uint64_t)> at;  // by index
};

// True where a 1-D array holds these numbers, to the last bits.
zarr::Result<bool> HoldsNumbers(const zarr::Hierarchy& hierarchy, const std::string& path,
                                const NumberSeries& numbers);

// The arrays that a store may hold besides those that are being written.
enum class OtherArrays : std::uint8_t {
    kNone,      // the store is new, and has those alone
    kOfOthers,  // what was there before
    kAny,       // others of the same update as well, with attributes that are not stored yet
};

// The small arrays beside rasters that say where these lie. What other arrays of the store refer to
// is theirs too, and is never changed, but for a geotransform that they do without.
class CoordinateArrays {
  public:
    // `rasters` are the paths of the arrays that are being written.
    CoordinateArrays(StoreUpdate& update, std::set<std::string> rasters,
                     OtherArrays others = OtherArrays::kOfOthers)
        : update_(update), rasters_(std::move(rasters)), others_(others) {}

    // True where an array may be written at `path`: nothing is there, or it was made by the same
    // update, unless that makes others, or no array but the rasters refers to it.
    zarr::Result<bool> IsFree(const std::string& path) const;

    // Removes the array at `path`, if it has no dimensions and is free.
    zarr::Status RemoveScalar(const std::string& path) const;

    // The grid mapping in `group` that states `srs`, if there is one; first one of `names`.
    zarr::Result<std::optional<GridMapping>> FindEqual(const std::string& group,
                                                       const std::vector<std::string>& names,
                                                       const OGRSpatialReference& srs) const;

    // True where all arrays besides the rasters that refer to the array at `path` have coordinate
    // arrays of X and Y.
    zarr::Result<bool> UsersHaveCoordinates(const std::string& path) const;

    // True where another raster of the group has the X and Y of `layout`, by their names, and no
    // coordinate arrays of them: it would take those that are written for `layout`.
    zarr::Result<bool> WouldPlaceOthers(const RasterLayout& layout) const;

    // Replaces the attributes of the array at `path`.
    zarr::Status SetAttributes(const std::string& path, const zarr::json::Value& attributes) const {
        return update_.metadata().SetAttributes(path, attributes);
    }

    // Writes an array of one uncompressed chunk, of elements in the order of `spec`'s dtype.
    zarr::Status Write(const std::string& path, const zarr::ArraySpec& spec,
                       const zarr::json::Object& attributes, const std::string& chunk) const;

    // Writes numbers as a coordinate array, a chunk of at most 8 MB after the other, or
    // leaves one that holds them already. False, with nothing written, where another is there and
    // is not free.
    zarr::Result<bool> WriteNumbers(const std::string& path, const NumberSeries& numbers,
                                    const zarr::json::Object& attributes) const;

  private:
    // Of `spec` in the format of the store.
    zarr::Result<zarr::ArrayMetadata> MetadataOf(zarr::ArraySpec spec) const;
    // The arrays besides the rasters that refer to the array at `path`; or may do so, as they
    // cannot be read.
    zarr::Result<std::vector<zarr::Result<zarr::ArrayFacts>>> UsersOf(
        const std::string& path) const;

    StoreUpdate& update_;
    const std::set<std::string> rasters_;
    const OtherArrays others_;
};

// Where a raster is said to lie; either may be unknown.
struct RasterPosition {
    const OGRSpatialReference* srs = nullptr;
    std::optional<zarr::GeoTransform> transform;
    // Names of grid mappings that are used before others where they state the CRS.
    std::vector<std::string> preferred_mappings;
};

// Which statements of a placement are in arrays beside the raster.
struct GeoreferencingArrays {
    std::string grid_mapping;  // its name; empty without
    bool axes = false;         // coordinate arrays of X and Y
    bool transform = false;    // the grid mapping states the geotransform
};

// Centres of `count` pixels along X, or along Y, of a raster without rotation.
NumberSeries PixelCentres(const zarr::GeoTransform& transform, bool is_x, std::uint64_t count);

// Of the dimensions of a new raster, by their axis, those that another array in its group has under
// another name: of the same size and role, and with the coordinates that `transform` gives, or
// without any where that is not known. X and Y that no array in the group shares, and that get
// coordinates in it, are called x and y where the group has none of that name. `own` are the paths
// of the raster's arrays, of which `layout` is one.
zarr::Result<std::map<std::size_t, zarr::Dimension>> FindSharedDimensions(
    const StoreUpdate& update, const std::set<std::string>& own, const RasterLayout& layout,
    const std::optional<zarr::GeoTransform>& transform);

// Writes the coordinate and grid mapping arrays of a raster. A grid mapping of the group that
// states the same CRS serves. Where coordinates are others' too and say something else they stay as
// they are, with a line in `warnings`.
zarr::Result<GeoreferencingArrays> WriteGeoreferencingArrays(const CoordinateArrays& arrays,
                                                             const RasterLayout& layout,
                                                             const RasterPosition& placement,
                                                             Georeferenced convention,
                                                             zarr::Warnings& warnings);

// Writes the grid mapping of a raster alone, or finds one that states the same. Returns its name.
zarr::Result<std::string> WriteGridMappingArray(const CoordinateArrays& arrays,
                                                const RasterLayout& layout,
                                                const RasterPosition& placement);

// Removes the grid mapping that the attributes of an array name, unless it is `used` or others
// refer to it. A stale grid mapping would be taken for the CRS of arrays beside it.
zarr::Status RemoveReplacedGridMapping(const CoordinateArrays& arrays, const RasterLayout& layout,
                                       const std::string& used);

// Says in the attributes of an array where its raster lies: as GDAL's `_CRS`, by CF, by CF in the
// way that every reader finds it by default, or by the conventions `proj:` and `spatial:`. What was
// said before is replaced.
void SetGeoreferencingAttributes(const RasterLayout& layout, const RasterPosition& placement,
                                 Georeferenced convention, const GeoreferencingArrays& beside,
                                 zarr::json::Object& attributes);

// Names the grid mapping of an array, empty for none, as xarray and rioxarray find it, in place of
// one that was named.
void SetGridMapping(zarr::json::Object& attributes, const std::string& name);

// Says the CRS of rasters, nullptr for none, where GDAL's built-in driver before 3.9 looks for it,
// which knows no grid mappings: in "pam.aux.xml" of the store.
zarr::Status WriteMultidimCrs(StoreUpdate& update, const std::vector<const RasterLayout*>& layouts,
                              const OGRSpatialReference* srs);

// Writes the strings that lie along a dimension as the coordinate array at `path`.
zarr::Status WriteTextCoordinates(const CoordinateArrays& arrays, const std::string& path,
                                  const std::vector<std::string>& texts);

// Sets, or with a null value removes, a member of an object.
void SetMember(zarr::json::Object& object, std::string_view name, zarr::json::Value value);

// A CRS as the texts that stores hold.

// WKT2:2019; empty where the CRS cannot be written so.
std::string Wkt2(const OGRSpatialReference& srs);

// "EPSG:32632", with `separator` in place of the colon; empty where the CRS has no code of its own.
std::string CodeOf(const OGRSpatialReference& srs, const char* separator);

// The value of the attribute `_CRS` (GDAL's own convention): url where there is a code, wkt,
// projjson.
zarr::json::Value GdalCrs(const OGRSpatialReference& srs);

}  // namespace zarr_driver

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

// Opens the hierarchy of a store that is being written, without consolidated metadata.
zarr::Result<std::shared_ptr<const zarr::Hierarchy>> CurrentHierarchy(
    const std::shared_ptr<const zarr::Store>& store);

// Returns the names of the dimensions of arrays in `group`, and the names of the arrays.
std::set<std::string> DimensionsInUse(const zarr::Hierarchy& hierarchy, const std::string& group);

// A series of numbers that are computed on demand, because the series may be long.
struct NumberSeries {
    std::uint64_t count = 0;
    std::function<double(std::uint64_t)> at;  // number by index
};

// True if a 1-D array holds exactly these numbers.
zarr::Result<bool> HoldsNumbers(const zarr::Hierarchy& hierarchy, const std::string& path,
                                const NumberSeries& numbers);

// Arrays that a store may hold besides the rasters that are being written.
enum class OtherArrays : std::uint8_t {
    kNone,      // none: the store is new
    kExisting,  // arrays that existed before the update
    kAny,       // also arrays of this update, whose attributes may be pending
};

// Coordinate and grid mapping arrays beside rasters. Arrays that other arrays refer to are shared
// and never changed. Exception: the geotransform of a grid mapping, if the other arrays do not need
// it.
class CoordinateArrays {
  public:
    // `rasters` are the paths of the arrays that are being written.
    CoordinateArrays(StoreUpdate& update, std::set<std::string> rasters,
                     OtherArrays others = OtherArrays::kExisting)
        : update_(update), rasters_(std::move(rasters)), others_(others) {}

    // True if an array may be written at `path`: nothing exists there, or only the rasters refer to
    // the array there. An array that this update made is free, too, except for OtherArrays::kAny.
    zarr::Result<bool> IsFree(const std::string& path) const;

    // Removes the array at `path` if the array is a scalar and free (see IsFree()).
    zarr::Status RemoveScalar(const std::string& path) const;

    // Returns a grid mapping in `group` that states `srs`, preferably one of `names`; nullopt if
    // there is none.
    zarr::Result<std::optional<GridMapping>> FindEqual(const std::string& group,
                                                       const std::vector<std::string>& names,
                                                       const OGRSpatialReference& srs) const;

    // True if all other arrays that refer to the array at `path` have coordinate arrays of X and Y.
    zarr::Result<bool> UsersHaveCoordinates(const std::string& path) const;

    // True if another raster of the group has the X and Y dimensions of `layout`, by name, without
    // coordinate arrays. Coordinate arrays for `layout` would also apply to that raster.
    zarr::Result<bool> WouldMoveOtherRasters(const RasterLayout& layout) const;

    // Replaces the attributes of the array at `path`.
    zarr::Status SetAttributes(const std::string& path, const zarr::json::Value& attributes) const {
        return update_.metadata().SetAttributes(path, attributes);
    }

    // Writes an array with a single uncompressed chunk. `chunk` holds the elements in the byte
    // order of `spec.dtype`.
    zarr::Status Write(const std::string& path, const zarr::ArraySpec& spec,
                       const zarr::json::Object& attributes, const std::string& chunk) const;

    // Writes numbers as a coordinate array in chunks of at most 8 MiB. An array that holds these
    // numbers is left as is. Returns false, and writes nothing, if a different array exists and is
    // not free.
    zarr::Result<bool> WriteNumbers(const std::string& path, const NumberSeries& numbers,
                                    const zarr::json::Object& attributes) const;

  private:
    // Returns the metadata of an array in the store's format.
    zarr::Result<zarr::ArrayMetadata> MetadataOf(zarr::ArraySpec spec) const;
    // Returns the other arrays that refer to the array at `path`. An array that cannot be read is
    // included as an error, because it may refer to the array.
    zarr::Result<std::vector<zarr::Result<zarr::ArrayFacts>>> UsersOf(
        const std::string& path) const;

    StoreUpdate& update_;
    const std::set<std::string> rasters_;
    const OtherArrays others_;
};

// Position of a raster; either member may be unknown.
struct RasterPosition {
    const OGRSpatialReference* srs = nullptr;
    std::optional<zarr::GeoTransform> transform;
    // Names of grid mappings to prefer if they state the CRS.
    std::vector<std::string> preferred_mappings;
};

// Facts of a raster's position that arrays beside the raster state.
struct GeoreferencingArrays {
    std::string grid_mapping;  // name of the array; empty if none
    bool axes = false;         // X and Y have coordinate arrays
    bool transform = false;    // the grid mapping states the geotransform
};

// Returns the centres of `count` pixels along X or Y of a raster without rotation.
NumberSeries PixelCentres(const zarr::GeoTransform& transform, bool is_x, std::uint64_t count);

// Finds dimensions of other arrays in the group that a new raster can share, by the raster's axis.
// A shared dimension has equal size and role, and the coordinates that `transform` gives; without
// `transform`, no coordinates.
// X and Y that are not shared and get coordinates are named x and y, unless the group uses these
// names. `own` are the paths of the raster's arrays; `layout` is one of them.
zarr::Result<std::map<std::size_t, zarr::Dimension>> FindSharedDimensions(
    const StoreUpdate& update, const std::set<std::string>& own, const RasterLayout& layout,
    const std::optional<zarr::GeoTransform>& transform);

// Writes the coordinate and grid mapping arrays of a raster. An existing grid mapping with an equal
// CRS is reused. Coordinates that other arrays share and that differ are kept, with a warning.
zarr::Result<GeoreferencingArrays> WriteGeoreferencingArrays(const CoordinateArrays& arrays,
                                                             const RasterLayout& layout,
                                                             const RasterPosition& placement,
                                                             Georeferenced convention,
                                                             zarr::Warnings& warnings);

// Writes only the grid mapping of a raster, or reuses one with an equal CRS. Returns the name of
// the grid mapping.
zarr::Result<std::string> WriteGridMappingArray(const CoordinateArrays& arrays,
                                                const RasterLayout& layout,
                                                const RasterPosition& placement);

// Removes the grid mapping that an array's attributes name, unless it is `used` or other arrays
// refer to it. A stale grid mapping would apply to arrays beside it.
zarr::Status RemoveReplacedGridMapping(const CoordinateArrays& arrays, const RasterLayout& layout,
                                       const std::string& used);

// Sets the attributes that state an array's position and removes earlier statements. `convention`
// selects GDAL's `_CRS`, CF, CF in a form that every reader finds by default, or `proj:` and
// `spatial:`.
void SetGeoreferencingAttributes(const RasterLayout& layout, const RasterPosition& placement,
                                 Georeferenced convention, const GeoreferencingArrays& beside,
                                 zarr::json::Object& attributes);

// Sets the grid mapping that an array's attributes name, in the form that xarray and rioxarray
// find. An empty name removes the grid mapping.
void SetGridMapping(zarr::json::Object& attributes, const std::string& name);

// Writes the CRS of rasters, nullptr for none, to "pam.aux.xml" of the store. GDAL's built-in
// driver before 3.9 reads the CRS there, because it does not know grid mappings.
zarr::Status WriteMultidimCrs(StoreUpdate& update, const std::vector<const RasterLayout*>& layouts,
                              const OGRSpatialReference* srs);

// Writes the labels along a dimension as a coordinate array of strings at `path`.
zarr::Status WriteTextCoordinates(const CoordinateArrays& arrays, const std::string& path,
                                  const std::vector<std::string>& texts);

// Sets a member of an object; a null value removes the member.
void SetMember(zarr::json::Object& object, std::string_view name, zarr::json::Value value);

// Returns WKT2:2019; empty if the CRS cannot be exported.
std::string Wkt2(const OGRSpatialReference& srs);

// Returns "EPSG:32632", with `separator` instead of the colon; empty if the CRS has no code.
std::string CodeOf(const OGRSpatialReference& srs, const char* separator);

// Returns the value of GDAL's attribute `_CRS`: `url` if the CRS has a code, `wkt`, `projjson`.
zarr::json::Value GdalCrs(const OGRSpatialReference& srs);

}  // namespace zarr_driver

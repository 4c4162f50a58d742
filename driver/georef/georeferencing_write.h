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

#include "core/hierarchy/hierarchy.h"
#include "core/json/value.h"
#include "core/metadata/array_metadata.h"
#include "driver/georef/coordinate_arrays.h"
#include "driver/georef/georeferencing_form.h"
#include "driver/georef/grid_mappings.h"
#include "driver/georef/raster_layout.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

class EditableArray;

// Position of a raster: CRS and geotransform, either of which may be unknown.
struct RasterPosition {
    const OGRSpatialReference* srs = nullptr;
    std::optional<zarr::GeoTransform> transform;
    // Names of existing grid mappings to reuse if they state the same CRS.
    std::vector<std::string> preferred_mappings;
};

// Arrays that georeference a raster: its grid mapping, and the coordinate arrays of X and Y.
struct GeoreferencingArrays {
    std::string grid_mapping;  // name of the grid mapping array; empty if there is none
    bool axes = false;         // true if X and Y have coordinate arrays
    bool transform = false;    // true if the grid mapping states the geotransform
};

// Returns the coordinates of `count` pixel centres along X, or along Y if `is_x` is false. The
// raster must not be rotated.
NumberSeries PixelCentres(const zarr::GeoTransform& transform, bool is_x, std::uint64_t count);

// Finds dimensions in the group that a new raster can share, by axis of the raster. Size and role
// must be equal, and coordinates must be those of `transform`, or absent if it is nullopt.
//
// X and Y that are not shared but have coordinates are named x and y if the group does not use
// these names. `own` are the paths of the raster's arrays, `layout` is the layout of one of them.
zarr::Result<std::map<std::size_t, zarr::Dimension>> FindSharedDimensions(
    const StoreUpdate& update, const std::set<std::string>& own, const RasterLayout& layout,
    const std::optional<zarr::GeoTransform>& transform);

// Writes the coordinate arrays and the grid mapping of a raster, or reuses a grid mapping with an
// equal CRS. Keeps existing coordinates that other arrays refer to, and warns if they differ.
zarr::Result<GeoreferencingArrays> WriteGeoreferencingArrays(const CoordinateArrays& arrays,
                                                             const RasterLayout& layout,
                                                             const RasterPosition& placement,
                                                             GeoreferencingForm convention,
                                                             zarr::Warnings& warnings);

enum class PositionParts : std::uint8_t {
    kAll,  // CRS and geotransform
    kCrs,  // only the CRS; what states a geotransform stays
};

// Writes the position of a raster whose arrays are `arrays`, and which are not empty: coordinate
// arrays and grid mapping by `stored`, and changed attributes of `arrays`, which stay pending. All
// of it has the form `form`. With PositionParts::kCrs, an old grid mapping stays for its other
// contents if an attribute states the new CRS.
zarr::Result<GeoreferencingArrays> WritePosition(const std::vector<EditableArray*>& arrays,
                                                 const CoordinateArrays& stored,
                                                 const RasterPosition& position,
                                                 GeoreferencingForm form, PositionParts parts);

// Writes only the grid mapping of a raster, or reuses one with an equal CRS. Returns the name of
// its array.
zarr::Result<std::string> WriteGridMappingArray(const CoordinateArrays& arrays,
                                                const RasterLayout& layout,
                                                const RasterPosition& placement);

// Removes the grid mapping that an array's attributes name, so that no other array takes it. Keeps
// the grid mapping if it is `used` or other arrays refer to it.
zarr::Status RemoveReplacedGridMapping(const CoordinateArrays& arrays, const RasterLayout& layout,
                                       const std::string& used);

// Replaces the attributes that state an array's position, in the form `convention`: GDAL's `_CRS`,
// CF, CF with additions for every reader, or `proj:` and `spatial:`.
void SetGeoreferencingAttributes(const RasterLayout& layout, const RasterPosition& placement,
                                 GeoreferencingForm convention,
                                 const GeoreferencingArrays& written_arrays,
                                 zarr::json::Object& attributes);

// Sets the name of an array's grid mapping in the attributes where xarray and rioxarray look for
// it. An empty `name` removes the grid mapping from the attributes.
void SetGridMapping(zarr::json::Object& attributes, const std::string& name);

// Writes the CRS of rasters to "pam.aux.xml" in the store, from which GDAL's built-in driver before
// 3.9 reads it; nullptr removes the CRS.
zarr::Status WriteMultidimCrs(StoreUpdate& update, const std::vector<const RasterLayout*>& layouts,
                              const OGRSpatialReference* srs);

// Writes `texts`, the coordinates along a dimension, as an array of strings at `path`.
zarr::Status WriteTextCoordinates(const CoordinateArrays& arrays, const std::string& path,
                                  const std::vector<std::string>& texts);

// Sets the member `name` of a JSON object. A null value removes the member.
void SetMember(zarr::json::Object& object, std::string_view name, zarr::json::Value value);

// Returns the CRS as WKT2:2019 text; empty if that is impossible.
std::string Wkt2(const OGRSpatialReference& srs);

// Returns the authority code of a CRS, "EPSG:32632" with `separator` instead of the colon; empty if
// there is none.
std::string CodeOf(const OGRSpatialReference& srs, const char* separator);

// Returns the value of GDAL's attribute `_CRS`: an object with `wkt`, `projjson` and, if the CRS
// has an authority code, `url`.
zarr::json::Value GdalCrs(const OGRSpatialReference& srs);

}  // namespace zarr_driver

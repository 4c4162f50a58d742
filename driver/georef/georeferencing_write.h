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
#include "driver/georef/coordinate_arrays.h"
#include "driver/georef/grid_mappings.h"
#include "driver/georef/raster_layout.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

// Position of a raster: CRS and geotransform, either of which may be unknown.
struct RasterPosition {
    const OGRSpatialReference* srs = nullptr;
    std::optional<zarr::GeoTransform> transform;
    // Names of grid mappings to reuse, if one of them states the CRS.
    std::vector<std::string> preferred_mappings;
};

// Says what the arrays that belong to a raster state: its grid mapping, and the coordinate arrays
// of X and Y.
struct GeoreferencingArrays {
    std::string grid_mapping;  // name of the array; empty if none
    bool axes = false;         // true if X and Y have coordinate arrays
    bool transform = false;    // true if the grid mapping states the geotransform
};

// Returns the coordinates of the centres of `count` pixels, along X if `is_x`, else along Y. The
// raster must not be rotated.
NumberSeries PixelCentres(const zarr::GeoTransform& transform, bool is_x, std::uint64_t count);

// Finds dimensions of other arrays in the group that a new raster can share, and returns them by
// axis of the raster. A shared dimension has equal size and role. It has the coordinates that
// `transform` gives, or no coordinates if `transform` is nullopt.
//
// If X and Y are not shared but get coordinates, they are named x and y, unless the group already
// uses these names. `own` are the paths of the raster's arrays, and `layout` is the layout of one
// of them.
zarr::Result<std::map<std::size_t, zarr::Dimension>> FindSharedDimensions(
    const StoreUpdate& update, const std::set<std::string>& own, const RasterLayout& layout,
    const std::optional<zarr::GeoTransform>& transform);

// Writes the coordinate arrays and the grid mapping array of a raster. Reuses an existing grid
// mapping with an equal CRS. If a coordinate array exists with other coordinates, and other arrays
// refer to it, keeps it and adds a warning.
zarr::Result<GeoreferencingArrays> WriteGeoreferencingArrays(const CoordinateArrays& arrays,
                                                             const RasterLayout& layout,
                                                             const RasterPosition& placement,
                                                             Georeferenced convention,
                                                             zarr::Warnings& warnings);

// Writes only the grid mapping of a raster, or reuses a grid mapping with an equal CRS. Returns the
// name of the grid mapping.
zarr::Result<std::string> WriteGridMappingArray(const CoordinateArrays& arrays,
                                                const RasterLayout& layout,
                                                const RasterPosition& placement);

// Removes the grid mapping that an array's attributes name, because a stale grid mapping would
// apply to other arrays. Keeps a grid mapping that is `used`, or that other arrays refer to.
zarr::Status RemoveReplacedGridMapping(const CoordinateArrays& arrays, const RasterLayout& layout,
                                       const std::string& used);

// Sets the attributes that state an array's position, and removes earlier statements. `convention`
// selects the form: GDAL's `_CRS`, CF, CF with additions for every reader, or `proj:` and
// `spatial:`.
void SetGeoreferencingAttributes(const RasterLayout& layout, const RasterPosition& placement,
                                 Georeferenced convention,
                                 const GeoreferencingArrays& written_arrays,
                                 zarr::json::Object& attributes);

// Sets the name of an array's grid mapping in its attributes, in a form that xarray and rioxarray
// find. If `name` is empty, removes the grid mapping from the attributes.
void SetGridMapping(zarr::json::Object& attributes, const std::string& name);

// Writes the CRS of rasters to the file "pam.aux.xml" in the store; nullptr removes the CRS. GDAL's
// built-in driver before 3.9 does not know grid mappings and reads the CRS from this file.
zarr::Status WriteMultidimCrs(StoreUpdate& update, const std::vector<const RasterLayout*>& layouts,
                              const OGRSpatialReference* srs);

// Writes `texts`, the labels along a dimension, as a coordinate array of strings at `path`.
zarr::Status WriteTextCoordinates(const CoordinateArrays& arrays, const std::string& path,
                                  const std::vector<std::string>& texts);

// Sets the member `name` of a JSON object. A null value removes the member.
void SetMember(zarr::json::Object& object, std::string_view name, zarr::json::Value value);

// Returns the CRS as WKT2:2019. Empty if the CRS cannot be exported.
std::string Wkt2(const OGRSpatialReference& srs);

// Returns the code of a CRS, such as "EPSG:32632", with `separator` instead of the colon. Empty if
// the CRS has no code.
std::string CodeOf(const OGRSpatialReference& srs, const char* separator);

// Returns the value of GDAL's attribute `_CRS`, an object with the members `wkt` and `projjson`. If
// the CRS has a code, the object also has `url`.
zarr::json::Value GdalCrs(const OGRSpatialReference& srs);

}  // namespace zarr_driver

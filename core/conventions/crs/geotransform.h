// SPDX-License-Identifier: MIT
// Reads geotransforms from lists and texts of numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/conventions/attributes/attributes.h"
#include "core/json/value.h"

namespace zarr {

// Six coefficients that map a pixel corner (column, row) to coordinates, in GDAL's order:
// x = c[0] + column * c[1] + row * c[2],
// y = c[3] + column * c[4] + row * c[5].
using GeoTransform = std::array<double, 6>;

// A geotransform, and the attribute or arrays that state the geotransform (`origin`, for messages).
struct AffineSource {
    GeoTransform transform{};
    std::string origin;
    // True if the coordinate arrays are regular and agree with `transform`. The transform then has
    // the unit of the coordinates.
    bool from_coordinates = false;
    // Column of the array that `transform` places first; see LongitudeAxis. Not 0 only with
    // MovedColumns::kYes.
    std::uint64_t first_column = 0;
    bool is_ome = false;  // true if OME-NGFF states a physical scale without a CRS
};

// A ground control point: a position in pixels from the raster's upper left corner, and the
// coordinates of the position.
struct GroundControlPoint {
    double pixel = 0;
    double line = 0;
    double x = 0;
    double y = 0;
    double height = 0;
};

// True if all coefficients are finite, and no two pixels have equal coordinates.
bool IsInvertible(const GeoTransform& t);

// Converts six numbers a, b, c, d, e, f to a geotransform in GDAL's order. In the input, x = a *
// column + b * row + c. Nine numbers are a 3 x 3 matrix, whose last row is ignored. Returns nullopt
// if the transform is invalid or not invertible.
std::optional<GeoTransform> ParseAffineOrder(const json::Value& value);

// Parses a geotransform of six numbers in GDAL's order: the text "x0 dx rx y0 ry dy" that rioxarray
// writes, or a list. Returns nullopt if the transform is invalid or not invertible.
std::optional<GeoTransform> ParseGdalOrder(const json::Value& value);

// Returns the geotransform in the plain attribute `transform`, which rasterio and its relatives
// write in the order of ParseAffineOrder(): a list, a list of rows, or a text of numbers. Numbers
// that make sense only in GDAL's order are read in that order. Returns nullopt without a warning if
// `transform` is absent, the identity, or no list or text of numbers: `transform` may have any
// meaning. Other numbers give a warning.
Fact<std::optional<GeoTransform>> ReadPlainTransform(const json::Value& attributes);
inline constexpr const char* kPlainTransform = "transform";

// Attributes with an affine transformation (zarr-conventions and STAC), by precedence.
inline constexpr char kSpatialTransform[] = "spatial:transform";
inline constexpr const char* kTransformNames[] = {kSpatialTransform, "proj:transform"};
// True if the attribute `name`, one of kTransformNames, is stated.
bool HasTransform(const json::Value& attributes, const char* name);
// True if `spatial:transform_type` is "affine" or absent.
bool IsAffine(const json::Value& attributes);
// True if the attributes of an array or a group hold a supported `spatial:transform` or
// `proj:transform`.
bool StatesTransform(const json::Value& attributes);

// Returns the greatest distance between corresponding corners of rasters `a` and `b` along either
// axis, in pixels of `b`. Returns NaN if a corner is NaN. Widths and heights are in pixels.
double CornerDistance(const GeoTransform& a, double a_width, double a_height, const GeoTransform& b,
                      double b_width, double b_height);

}  // namespace zarr

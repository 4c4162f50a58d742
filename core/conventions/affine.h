// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <string>

#include "core/conventions/array_facts.h"
#include "core/conventions/coordinates.h"

namespace zarr {

// From pixel corners (column, row) to coordinates, in GDAL's order: x = c[0] + col * c[1] +
// row * c[2], y = c[3] + col * c[4] + row * c[5].
using GeoTransform = std::array<double, 6>;

// A geotransform with where it was found, for messages.
struct AffineSource {
    GeoTransform transform{};
    std::string origin;
    bool from_coordinates = false;  // in the units of the coordinate arrays, as they agree
    bool is_ome = false;            // a physical scale without a CRS
};

// True where the attributes of an array or of its group state a geotransform by themselves.
bool StatesTransform(const json::Value& attributes);

// The greatest distance between the corners of two rasters, along either axis, in pixels of the
// second one; NaN where it is unknown.
double CornerDistance(const GeoTransform& a, double a_width, double a_height, const GeoTransform& b,
                      double b_width, double b_height);

// The geotransform that counts: `spatial:transform`, `proj:transform`, regular coordinate arrays,
// `GeoTransform` of the grid mapping variable, OME's scale and translation, in this order, but a
// `GeoTransform` that agrees with the coordinates to half a pixel is preferred to them, as it holds
// the exact numbers. An attribute of the group counts where SharesGroupTransform(). A `transform`
// does not count where it is for another size, as OtherSizeOf() tells. Statements that are broken
// or, in a store of this machine, disagree with the coordinates by more than half a pixel give one
// warning each.
std::optional<AffineSource> FindGeoTransform(const Hierarchy& hierarchy, const ArrayFacts& facts,
                                             std::size_t threads, Warnings& warnings);

}  // namespace zarr

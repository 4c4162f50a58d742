// SPDX-License-Identifier: MIT
// Evaluates `coordinateTransformations` of OME-NGFF (0.4 to 0.6) and SpatialData.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/group/multiscales.h"
#include "core/conventions/ome/ome_axes.h"

namespace zarr {

// An affine map from the indices of array elements to the coordinates of one OME-NGFF coordinate
// system. An element's index and coordinates refer to its centre.
struct OmePlacement {
    std::string system;         // empty if the transformations name no system
    std::vector<OmeAxis> axes;  // one axis per row; without names if the image states no axes
    // Rows by coordinate of the system. Each row has a coefficient for each dimension of the array,
    // then the constant.
    std::vector<std::vector<double>> rows;
    // Transformations of the image from or to other coordinate systems (OME-NGFF 0.6), which `rows`
    // does not include.
    json::Array unused;

    // Returns the index in `rows` of the row that gives the coordinate along `axis`: the row with
    // the axis's name, else the row at `position`. Returns nullopt if neither exists.
    std::optional<std::size_t> RowOf(const OmeAxis& axis, std::size_t position) const;
    // True if the row depends on no dimensions except `dimensions`.
    bool DependsOnlyOn(std::size_t row, const std::vector<std::size_t>& dimensions) const;
};

// Returns the placement of the array of `rank` dimensions that `listing` lists as a level. Returns
// nullopt if no transformation is stated, or if a required one cannot be evaluated.
//
// Transformations without `output` are applied in sequence (OME-NGFF 0.4). If transformations have
// `output`, they lead to coordinate systems. The first existing one is chosen: the output system of
// the level's own transformations (OME-NGFF 0.6), the system of the image that the level labels,
// "global", the first system.
//
// One warning covers all transformations to other systems, another one all that cannot be
// evaluated. If the level's own transformations lead to a system, the image's transformations to
// other systems are `unused`, and give a warning only if their parameters are invalid.
Fact<std::optional<OmePlacement>> ReadOmePlacement(const LevelListing& listing, std::size_t rank);

// Returns the pixel size along the last axis in a level's own transformations; 0 if unknown.
double LastOmeScale(const json::Value& dataset);

}  // namespace zarr

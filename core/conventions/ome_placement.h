// SPDX-License-Identifier: MIT
// Evaluates the `coordinateTransformations` of OME-NGFF (0.4 to 0.6) and of SpatialData.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/attributes.h"
#include "core/conventions/multiscales.h"
#include "core/conventions/ome.h"

namespace zarr {

// An affine map from the indices of an array's elements, which are at their centres, to the
// coordinates of one system.
struct OmePlacement {
    std::string system;         // empty where the transformations name none
    std::vector<OmeAxis> axes;  // one for each row; without names where the image says none
    // A coefficient for each dimension of the array, then the constant.
    std::vector<std::vector<double>> rows;

    // The row with the coordinate along an axis of the array: of the axis' name, else its position.
    std::optional<std::size_t> RowOf(const OmeAxis& axis, std::size_t position) const;
    // The row depends on no dimension of the array but on `dimensions`.
    bool DependsOnlyOn(std::size_t row, const std::vector<std::size_t>& dimensions) const;
};

// The placement of the level that `listing` lists, an array of `rank` dimensions.
//
// Transformations without `output` are applied one after another (OME-NGFF 0.4). Those with it lead
// to systems, of which one is followed: that of the level's own transformations (0.6), else
// that of the image whose label the level is, else "global", else the first. Gives one warning for
// those that lead elsewhere and one for what cannot be evaluated; nullopt where nothing is stated,
// or a transformation on the way cannot be evaluated.
std::optional<OmePlacement> ReadOmePlacement(const LevelListing& listing, std::size_t rank,
                                             Warnings& warnings);

// The name of the system that an `input` or `output` means, an object or a string; empty where
// there is none.
std::string OmeSystemName(const json::Value* reference);

// The pixel's size along the last axis by a level's own transformations; 0 where it is unknown.
double LastOmeScale(const json::Value& dataset);

}  // namespace zarr

// SPDX-License-Identifier: MIT
// Reads the axes of OME-NGFF images (versions 0.1 to 0.6).
#pragma once

#include <string>
#include <vector>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/attributes/axis_roles.h"
#include "core/conventions/group/multiscales.h"

namespace zarr {

// An axis of a multiscale image.
struct OmeAxis {
    std::string name;
    AxisRole role = AxisRole::kNone;
    bool is_channel = false;
    std::string unit;
};

// Reads a list of axes; empty if `listed` is nullptr or not a list.
std::vector<OmeAxis> ReadOmeAxes(const json::Value* listed);

// Returns the name of the coordinate system that `input` or `output` refers to, by an object or a
// string. Empty if there is no name.
std::string OmeSystemName(const json::Value* reference);

// Returns the axes of a level's multiscale: the member `axes`, or in version 0.6 the axes of the
// output system of the level's transformations. Empty if no axes are stated.
std::vector<OmeAxis> OmeAxesOf(const MultiscaleLevel& level);

// Returns the axes of the coordinate system `name` in `coordinateSystems`; empty if no system has
// that name.
std::vector<OmeAxis> OmeSystemAxes(const json::Value& multiscale, const std::string& name);

// Returns the axes of the first image in `levels` that has `rank` axes; empty if there is no such
// image. An image of version 0.1 states no axes, and is assumed to have five axes: t, c, z, y, x.
std::vector<OmeAxis> FindOmeAxes(const std::vector<MultiscaleLevel>& levels, std::size_t rank);

// True if an array of `rank` dimensions is a level of an OME-NGFF image. False for labels, whose
// value 0 is the background.
bool IsOmeImage(const LevelListing& listing, std::size_t rank);

}  // namespace zarr

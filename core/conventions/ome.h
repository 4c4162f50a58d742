// SPDX-License-Identifier: MIT
// Reads axes and display settings of OME-NGFF images (versions 0.1 to 0.6).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/attributes.h"
#include "core/conventions/axis_roles.h"
#include "core/conventions/multiscales.h"

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

// Display settings of a channel of an OME-NGFF image (`omero` in the attributes of the image's
// group). Members are empty if absent or invalid.
struct OmeroChannel {
    std::string label;
    std::optional<std::array<std::uint8_t, 3>> colour;  // red, green, blue
    // Member `window`: range of values in the image (min, max), and range to display (start, end).
    std::optional<double> min;
    std::optional<double> max;
    std::optional<double> start;
    std::optional<double> end;
    std::optional<bool> active;
};

// Returns the channels in the order of the image's channel axis. An invalid entry gives a warning
// and a channel without settings, so that later channels keep their positions.
std::vector<OmeroChannel> ReadOmeroChannels(const json::Value& group_attributes,
                                            Warnings& warnings);

}  // namespace zarr

// SPDX-License-Identifier: MIT
// The axes of OME-NGFF's images (versions 0.1 to 0.6).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/attributes.h"
#include "core/conventions/coordinates.h"
#include "core/conventions/dimensions.h"
#include "core/conventions/multiscales.h"

namespace zarr {

// An axis of a multiscale image.
struct OmeAxis {
    std::string name;
    AxisRole role = AxisRole::kNone;
    bool is_channel = false;
    std::string unit;
};

// Reads an axis, an object or a name (version 0.3).
OmeAxis DescribeOmeAxis(const json::Value& axis);

// The axes that a level's multiscale says: `axes`, or in version 0.6 those of the system in
// `coordinateSystems` that the level's transformations lead to. Empty where it says none.
std::vector<OmeAxis> OmeAxesOf(const MultiscaleLevel& level);

// The axes of the system `name` in `coordinateSystems`; empty where there is no such system.
std::vector<OmeAxis> OmeSystemAxes(const json::Value& multiscale, const std::string& name);

// The axes of the image that lists an array of `rank` dimensions as these levels; empty where it
// says none for as many. Version 0.1 has no axes and means t, c, z, y, x.
std::vector<OmeAxis> FindOmeAxes(const std::vector<MultiscaleLevel>& levels, std::size_t rank);

// True for an array of `rank` dimensions that is a level of an OME-NGFF image; not for labels, of
// which 0 is the background.
bool IsOmeImage(const LevelListing& listing, std::size_t rank);

// The coordinates of `count` elements, from `first` on, along the dimension `axis` of an array of
// `rank` dimensions, as the image that lists the array gives them, with their unit; nullopt where
// the image gives none, for channels, and above kMaxLabels.
std::optional<CoordinateLabels> ImageCoordinates(const LevelListing& listing, std::size_t rank,
                                                 std::size_t axis, std::uint64_t first,
                                                 std::uint64_t count);

// How OME-NGFF images want to be shown: `omero` in the attributes of an image group.

// A channel; what the attributes do not say, or say wrongly, is absent.
struct OmeroChannel {
    std::string label;
    std::optional<std::array<std::uint8_t, 3>> colour;  // red, green, blue
    // `window`: the range of values there is, and the part of it that is shown.
    std::optional<double> min;
    std::optional<double> max;
    std::optional<double> start;
    std::optional<double> end;
    std::optional<bool> active;
};

// The channels in the order of the image's channel axis. An entry that is broken is a channel that
// says nothing, so that the others keep their places.
std::vector<OmeroChannel> ReadOmeroChannels(const json::Value& group_attributes,
                                            Warnings& warnings);

}  // namespace zarr

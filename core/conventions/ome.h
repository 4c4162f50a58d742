// SPDX-License-Identifier: MIT
// The axes of OME-NGFF's images (versions 0.1 to 0.5).
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

// The axes of the image that lists an array of `rank` dimensions as these levels; empty where it
// says none for as many. Version 0.1 has no axes and means t, c, z, y, x.
std::vector<OmeAxis> FindOmeAxes(const std::vector<MultiscaleLevel>& levels, std::size_t rank);

// Where the centres of elements lie along each dimension: index * scale + shift.
struct OmePlacement {
    std::vector<double> scale;
    std::vector<double> shift;
};

// The `coordinateTransformations` of a level, each a scale or a translation, then those of the
// whole multiscale (OME-NGFF 0.4). What is broken gives a warning and is passed over; nullopt where
// nothing is left.
std::optional<OmePlacement> ReadOmePlacement(const json::Value& dataset,
                                             const json::Value& multiscale, std::size_t rank,
                                             Warnings& warnings);

// The places of the `size` elements along the dimension `axis` of an array of `rank` dimensions, as
// the image that lists it gives them, with their unit; nullopt where it gives none, and for
// channels.
std::optional<CoordinateLabels> ImageCoordinates(const LevelListing& listing, std::size_t rank,
                                                 std::size_t axis, std::uint64_t size);

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

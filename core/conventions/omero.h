// SPDX-License-Identifier: MIT
// How OME-NGFF images want to be shown: `omero` in the attributes of an image group.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/attributes.h"

namespace zarr {

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

// SPDX-License-Identifier: MIT
// Reads the display settings of OME-NGFF images.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/attributes/attributes.h"
#include "core/json/value.h"

namespace zarr {

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

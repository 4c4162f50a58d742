// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace zarr {

using Colour = std::array<std::uint8_t, 3>;  // red, green, blue

// Parses "RRGGBB" or "#RRGGBB". Returns nullopt for any other text.
std::optional<Colour> ParseColour(std::string_view text);

}  // namespace zarr

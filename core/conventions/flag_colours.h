// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/value.h"

namespace zarr {

using Colour = std::array<std::uint8_t, 3>;  // red, green, blue

// Parses "RRGGBB" or "#RRGGBB". Returns nullopt for any other text.
std::optional<Colour> ParseColour(std::string_view text);

// Returns the items of an attribute that describes flags: the words of a string (CF) or the strings
// of a list (EOPF). Empty if an item is not a string.
std::vector<std::string> FlagItems(const json::Value& attributes, std::string_view name);

// Returns the items of `flag_values`: numbers, also those in texts such as "1, 2" or "1b 2b", and
// other values as they are. Empty if the attribute is absent.
json::Array FlagValues(const json::Value& attributes);

// Returns the classes and their colours from `flag_values` and `flag_colors`. Returns an empty list
// if FlagNames() finds no classes, the numbers of values and colours differ, or a colour is not
// "#RRGGBB".
std::vector<std::pair<std::int64_t, Colour>> FlagColours(const json::Value& attributes);

}  // namespace zarr

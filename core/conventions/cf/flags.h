// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/attributes/colour.h"
#include "core/json/value.h"

namespace zarr {

// Returns the items of `flag_values`: numbers, also those in texts such as "1, 2" or "1b 2b", and
// other values as they are. Empty if the attribute is absent.
json::Array FlagValues(const json::Value& attributes);

// Returns the class names of the pixel values 0, 1, 2, ... by `flag_values` and `flag_meanings` (CF
// conventions, section 3.5), which EOPF writes as a list. A value without a meaning has an empty
// name. Warns if the numbers of meanings and values differ.
//
// Returns an empty list if the array has no flags, if the attribute `flag_masks` exists, or if a
// value is outside 0 to 1023.
Fact<std::vector<std::string>> FlagNames(const json::Value& attributes);

// Returns the classes and their colours from `flag_values` and `flag_colors`. Returns an empty list
// if FlagNames() finds no classes, the numbers of values and colours differ, or a colour is not
// "#RRGGBB".
std::vector<std::pair<std::int64_t, Colour>> FlagColours(const json::Value& attributes);

}  // namespace zarr

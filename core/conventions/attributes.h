// SPDX-License-Identifier: MIT
// Reading single attributes leniently, as real stores have them.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.h"

namespace zarr {

// What is wrong with attributes without making a store unreadable; each names the attribute.
using Warnings = std::vector<std::string>;

// A string attribute, else nullptr.
const std::string* StringAttribute(const json::Value& attributes, std::string_view name);

// A number attribute: a number, an array of one number, or a string that spells one, as writers
// have been seen to leave them. An attribute that is there but is none of these gives a warning.
std::optional<double> NumberAttribute(const json::Value& attributes, std::string_view name,
                                      Warnings& warnings);

// An attribute of several finite numbers: an array of them, a single one, or a string that lists
// them with blanks or commas between. Empty where it is absent, and, with a warning, where it is
// none of these.
std::vector<double> NumbersAttribute(const json::Value& attributes, std::string_view name,
                                     Warnings& warnings);

// The words of a string attribute that lists names: "lat lon", "crs: x y".
std::vector<std::string> WordsAttribute(const json::Value& attributes, std::string_view name);

// The last names of the arrays that describe an array, by its attributes: coordinates, grid
// mappings, bounds (CF conventions).
std::set<std::string> ReferencedNames(const json::Value& attributes);

}  // namespace zarr

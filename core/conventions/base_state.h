// SPDX-License-Identifier: MIT
// The statement of an overview, or of statistics, about its base, the array that it was made from.
// It shows where the base has other values now: a program may replace an array and leave overviews
// and statistics as they are.
#pragma once

#include <string>
#include <string_view>

#include "core/array/array.h"
#include "core/json/value.h"

namespace zarr {

// The attribute of a group of overviews that holds the BaseState() of the array that each was made
// from: a JSON object by the names of the arrays, as a text, which netCDF has attributes of, too.
inline constexpr std::string_view kBaseStateAttribute = "gdal_base_state";

// The statement in a group's attributes about the base of its array `name`; empty without one.
std::string StatedBase(const json::Value& group_attributes, std::string_view name);
// Puts it into them; an empty one takes it out.
void StateBase(json::Object& group_attributes, std::string_view name, std::string state);

// Digests of an array with ":" between: of its shape and data type; and where reading takes no
// requests over a network, of the stored bytes of some of its chunks, and of values in some places,
// which are the same where a copy is stored in other chunks. What is pending does not count.
std::string BaseState(const Array& array);

// True where an array holds what a BaseState() was made of, as far as that and the store tell.
// Values are read only where the stored bytes are others.
bool IsInState(const Array& array, std::string_view state);

}  // namespace zarr

// SPDX-License-Identifier: MIT
// Base states. The base of an overview or of statistics is the array from which they were computed.
// The metadata of the overview or statistics has a digest of the base. The digest shows whether the
// base has changed since, because a program may replace an array without updating its overviews and
// statistics.
#pragma once

#include <string>
#include <string_view>

#include "core/array/array.h"
#include "core/json/value.h"

namespace zarr {

// Attribute of an overview group that records the BaseState() of the array that each overview was
// made from. The value is a JSON object by array name. The object is stored as text, because netCDF
// attributes can hold text.
inline constexpr std::string_view kBaseStateAttribute = "gdal_base_state";

// Returns the base state that the attributes of an overview group record for array `name`. Empty if
// no state is recorded.
std::string StatedBase(const json::Value& group_attributes, std::string_view name);
// Records the base state of array `name` in the attributes of an overview group. An empty `state`
// removes the record.
void StateBase(json::Object& group_attributes, std::string_view name, std::string state);

// Returns digests of an array, separated by ":". The first digest covers shape and data type. If
// the store is not remote, two digests follow: of stored bytes of sampled chunks, and of sampled
// values. The digest of values is equal for a copy with other chunks. Pending writes are not
// included.
std::string BaseState(const Array& array);

// True if an array matches `state`, a result of BaseState(). Values are read only if the stored
// bytes differ. Also returns true if a digest is missing or cannot be computed.
bool IsInState(const Array& array, std::string_view state);

}  // namespace zarr

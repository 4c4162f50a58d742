// SPDX-License-Identifier: MIT
// Zarr Conventions that a node says it follows: the attribute `zarr_conventions`.
#pragma once

#include <cstdint>

#include "core/json/value.h"

namespace zarr {

// The conventions that this library writes.
enum class Convention : std::uint8_t {
    kMultiscales,  // `multiscales` of groups
    kProj,         // `proj:` attributes
    kSpatial,      // `spatial:` attributes
};

// Says that the node follows the convention, unless its attributes do already. Others in the list
// are kept; an attribute of that name that is no list is replaced by one.
void RegisterConvention(json::Object& attributes, Convention convention);

// Takes it back, and the list where nothing is left in it.
void UnregisterConvention(json::Object& attributes, Convention convention);

}  // namespace zarr

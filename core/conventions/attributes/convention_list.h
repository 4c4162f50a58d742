// SPDX-License-Identifier: MIT
// Reads and writes the attribute `zarr_conventions`, which lists the Zarr Conventions that a node
// declares to follow.
#pragma once

#include <cstdint>

#include "core/json/value.h"

namespace zarr {

// Conventions that this library writes and declares.
enum class Convention : std::uint8_t {
    kMultiscales,  // `multiscales` of groups
    kProj,         // `proj:` attributes
    kSpatial,      // `spatial:` attributes
};

// Declares in `zarr_conventions` that the node follows version 0.1 of a convention. An entry with
// the convention's UUID is replaced, because older entries have other URLs and names. Other entries
// are kept. An attribute that is not a list is replaced.
void RegisterConvention(json::Object& attributes, Convention convention);

// Removes the declaration of a convention, and an empty `zarr_conventions`.
void UnregisterConvention(json::Object& attributes, Convention convention);

}  // namespace zarr

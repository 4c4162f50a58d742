// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_string.h>

#include <string>
#include <string_view>

#include "core/json/value.h"

namespace zarr_driver {

// An attribute's value as a metadata item: strings as they are, numbers exactly, flat arrays as
// {a,b,c}, anything else as JSON.
std::string MetadataText(const zarr::json::Value& value);

// True for attributes that the driver itself shows elsewhere (nodata, scale, dimension names, ...),
// or that place a raster.
bool IsInterpretedAttribute(std::string_view name);

// Adds to `list` the attributes that are not interpreted, with flags that are no classes. Later
// ones replace earlier ones of the same name.
void AddAttributes(const zarr::json::Value& attributes, CPLStringList& list);

}  // namespace zarr_driver

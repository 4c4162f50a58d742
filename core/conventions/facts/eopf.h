// SPDX-License-Identifier: MIT
// Reads attributes of ESA's EOPF products (EOPF Product Structure and Format Definition, section
// 4), as the processors of Sentinel-1, -2 and -3 write them.
#pragma once

#include <optional>
#include <string>

#include "core/conventions/attributes/attributes.h"
#include "core/hierarchy/hierarchy.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// Merges the members of `_eopf_attrs` into an array's attributes, under the names of CF and xarray.
// Existing attributes are kept. An `_eopf_attrs` that is not an object gives a warning.
//
// scale_factor, add_offset and the fill value describe stored elements. They are merged only if the
// elements have the type that the member `dtype` states or, without `dtype`, an integer type.
Fact<json::Value> WithEopf(json::Value attributes, const ArrayMetadata& metadata);

// Returns the CRS of a product as "EPSG:n", from `other_metadata.horizontal_CRS_code` in the root's
// attributes. Returns nullopt if this member is absent.
std::optional<std::string> EopfCrsCode(const json::Value& root_attributes);

// True if the root's attributes mark the store as an EOPF product.
bool IsEopfProduct(const Hierarchy& hierarchy);

}  // namespace zarr

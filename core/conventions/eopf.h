// SPDX-License-Identifier: MIT
// Reads attributes of ESA's EOPF products (EOPF Product Structure and Format Definition, section
// 4), as the processors of Sentinel-1, -2 and -3 write them.
#pragma once

#include <optional>
#include <string>

#include "core/conventions/attributes.h"
#include "core/hierarchy/hierarchy.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// Merges the members of `_eopf_attrs` into an array's attributes, under the names of CF and xarray:
// dimensions, coordinates, units, long_name, standard_name, flags. Existing attributes are kept.
// scale_factor, add_offset and the fill value describe stored elements, not decoded ones. They are
// merged only if the elements are stored in the type that the member `dtype` states. Without
// `dtype`, they are merged if the elements are integers. An `_eopf_attrs` that is not an object
// gives a warning.
json::Value WithEopf(json::Value attributes, const ArrayMetadata& metadata, Warnings& warnings);

// Returns the CRS of a product as "EPSG:n". The source is `other_metadata.horizontal_CRS_code` in
// the root's attributes, a code or a number. Returns nullopt if absent.
std::optional<std::string> EopfCrsCode(const json::Value& root_attributes);

// True if the root's attributes mark the store as an EOPF product.
bool IsEopfProduct(const Hierarchy& hierarchy);

}  // namespace zarr

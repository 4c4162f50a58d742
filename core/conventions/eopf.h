// SPDX-License-Identifier: MIT
// Attributes of ESA's EOPF products (EOPF Product Structure and Format Definition, section 4), as
// the processors of Sentinel-1, -2 and -3 write them.
#pragma once

#include <optional>
#include <string>

#include "core/conventions/attributes.h"
#include "core/hierarchy/hierarchy.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// An array's attributes, and those that only its `_eopf_attrs` have, under the names of CF and
// xarray: dimensions, coordinates, units, long_name, standard_name, flags; and scale_factor,
// add_offset and the fill value where the elements are stored as `_eopf_attrs` say, by `dtype` or,
// without it, because they are integers: of decoded ones they have been applied already. Attributes
// without `_eopf_attrs` stay as they are; what is not an object gives a warning.
json::Value WithEopf(json::Value attributes, const ArrayMetadata& metadata, Warnings& warnings);

// The CRS of a product by `other_metadata.horizontal_CRS_code` of the root's attributes: "EPSG:n",
// also where the attribute is but the number. nullopt where there is none.
std::optional<std::string> EopfCrsCode(const json::Value& root_attributes);

// True for a store that is a product of EOPF's, by its root's attributes. Reads them.
bool IsEopfProduct(const Hierarchy& hierarchy);

}  // namespace zarr

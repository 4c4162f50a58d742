// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/conventions/crs/crs_source.h"
#include "core/conventions/facts/array_facts.h"

namespace zarr {

// Conditions under which longitude and latitude coordinates imply WGS 84, if the store states no
// CRS.
enum class AssumeLonglat : std::uint8_t {
    kNo,
    // Coordinates known by standard_name or units. If the root of the product states a CRS,
    // coordinates known by name, too.
    kByAttributes,
    // Coordinates known by standard_name, units or name.
    kByName,
};

// Returns all statements of an array's CRS, by precedence: `_CRS`, CF `grid_mapping`, a scalar
// `spatial_ref` or `crs` beside the data, `proj:*`, pyramid metadata, GeoKeys, attributes without a
// convention, longitude and latitude coordinates (subject to `assume_longlat`).
//
// A caller that cannot use one statement takes the next. An invalid statement is listed as kBroken,
// and gives no warning if an earlier statement is used.
std::vector<CrsSource> FindCrsSources(const Hierarchy& hierarchy, const ArrayFacts& facts,
                                      AssumeLonglat assume_longlat);

}  // namespace zarr

// SPDX-License-Identifier: MIT
// Compares what stored values mean in a pyramid level and in its base, the largest level. The
// meanings must agree, because GDAL reads overviews as values of the base.
#pragma once

#include <cstdint>
#include <string>

#include "core/conventions/facts/array_facts.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// How a level that states no scale, offset or nodata value is compared with its base.
enum class LevelMeaning : std::uint8_t {
    kAll,     // a level that states none has scale 1, offset 0 and no nodata value
    kStated,  // a level that states none has the scale, offset and nodata value of its base
};

// Returns how scale, offset, units or nodata value of a level differ from those of its base, such
// as "has scale_factor 0.2, not 0.1". Empty if nothing differs. Both arrays must have the same data
// type. Units are compared only if both arrays state units.
//
// Nodata values are read by ReadNodata() with FillAsNodata::kAuto. If they differ, the attributes
// of the base's ancestor groups are read: black pixels of OME images are not nodata.
std::string MeaningMismatch(const Hierarchy& hierarchy, const ArrayFacts& level,
                            const ArrayFacts& base, LevelMeaning compared);

// Returns the EPSG code of the CRS that an array's attributes or grid mapping state, as
// "EPSG:32632". Empty without such a code.
std::string StatedEpsgCode(const Hierarchy& hierarchy, const ArrayFacts& facts);

}  // namespace zarr

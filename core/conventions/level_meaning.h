// SPDX-License-Identifier: MIT
// Compares the meaning of stored values in a pyramid's level with that in its base: GDAL reads
// overviews as values of the base.
#pragma once

#include <cstdint>
#include <string>

#include "core/conventions/array_facts.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// The statements of a level that are compared with those of its base.
enum class LevelMeaning : std::uint8_t {
    kAll,     // an absent one says that there is no scale, offset or nodata value
    kStated,  // an absent one follows the base, as in overviews that were built from its values
};

// A predicate that says which of scale, offset, units and nodata value differ between a level and
// its base, which have the same data type, "has scale_factor 0.2, not 0.1"; empty if none does.
// Nodata values are those of ReadNodata() with FillAsNodata::kAuto; both values of booleans, and
// black pixels of OME images, are data. Units that one of the arrays does not state are not
// compared. Reads no more than the attributes of the groups around the base, and these only if a
// fill value of 0 decides.
std::string OtherMeaning(const Hierarchy& hierarchy, const ArrayFacts& level,
                         const ArrayFacts& base, LevelMeaning compared);

// The EPSG code of the CRS that the array's own attributes state or name a grid mapping for, as
// "EPSG:32632"; empty if there is none, or finding out takes a request over a network.
std::string StatedEpsgCode(const Hierarchy& hierarchy, const ArrayFacts& facts);

}  // namespace zarr

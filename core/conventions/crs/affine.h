// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "core/conventions/cf/coordinates.h"
#include "core/conventions/crs/geotransform.h"
#include "core/conventions/facts/array_facts.h"

namespace zarr {

// Says whether a geotransform may place the columns in another order than the array's.
enum class MovedColumns : std::uint8_t { kNo, kYes };

// Returns the geotransform of an array; nullopt if no source states one. The sources, by
// precedence:
// 1. `spatial:transform`, then `proj:transform`, of the array or, if SharesGroupTransform(), of its
// group;
// 2. `GeoTransform` of the array or its grid mapping variable, else the tags of GeoTIFF. These are
// more exact than coordinate arrays; ignored if they disagree by more than half a pixel;
// 3. regular coordinate arrays;
// 4. OME-NGFF's scale and translation;
// 5. the multiscales layout of the group (zarr-conventions);
// 6. `spatial:bbox`, or `proj:bbox` with `proj:shape`;
// 7. the plain attribute `transform` of the array, else of its group.
//
// A transform for another raster size (MismatchedSize()) is ignored. Each invalid statement gives a
// warning. A statement that disagrees with the coordinates by more than half a pixel also gives a
// warning; in a remote store only a statement without a size is compared. `threads` limits the
// threads that read the coordinates.
std::optional<AffineSource> FindGeoTransform(const Hierarchy& hierarchy, const ArrayFacts& facts,
                                             std::size_t threads, Warnings& warnings,
                                             MovedColumns columns = MovedColumns::kNo);

}  // namespace zarr

// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace zarr::fuzz {

// Does with what this driver opens under a name what GDAL's tools do: subdatasets, every band's
// checksum, overviews, georeferencing, metadata, the whole multidimensional tree. Looks at a
// bounded number of things, and reads none that is large.
void ExerciseDataset(const std::string& name);

}  // namespace zarr::fuzz

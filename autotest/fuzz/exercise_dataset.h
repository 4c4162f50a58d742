// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace zarr::fuzz {

// Uses the dataset `name` as GDAL's tools do: subdatasets, checksums, overviews, georeference,
// metadata, and the multidimensional tree. Limits the number and the size of reads.
void ExerciseDataset(const std::string& name);

}  // namespace zarr::fuzz

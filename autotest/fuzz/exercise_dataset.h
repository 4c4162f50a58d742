// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace zarr::fuzz {

// Uses the dataset `name` as GDAL's tools do: subdatasets, checksums of bands, overviews,
// georeference, metadata, and the whole multidimensional tree. The number and size of reads are
// bounded.
void ExerciseDataset(const std::string& name);

}  // namespace zarr::fuzz

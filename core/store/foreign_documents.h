// SPDX-License-Identifier: MIT
// What tells stores that this core does not read from those that it does.
#pragma once

#include <string_view>

namespace zarr {

// Of Zarr v3 (Zarr v3 specification, "Group metadata" and "Array metadata").
inline constexpr std::string_view kV3Key = "zarr.json";

// True for the `.zmetadata` of Kerchunk references in Parquet files, which has documents as
// consolidated metadata have them, and says how many references a file holds (fsspec's
// documentation of LazyReferenceMapper).
bool AreReferences(std::string_view text);

}  // namespace zarr

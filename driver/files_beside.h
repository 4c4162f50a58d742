// SPDX-License-Identifier: MIT
// The files that GDAL puts beside a store, of all datasets in it; see sidecar_names.h.
#pragma once

#include <string>

#include "core/base/status.h"

namespace zarr_driver {

// Remove, or rename with the store, the files beside it. What fails is left.
void RemoveBeside(const std::string& path);
void MoveBeside(const std::string& from, const std::string& to);

// Copies the files beside a store to beside another. The error names the file that cannot be
// copied; those that were are left.
zarr::Status CopyBeside(const std::string& from, const std::string& to);

}  // namespace zarr_driver

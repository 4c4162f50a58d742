// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <string>

namespace zarr_driver {

// GDALDriver::pfnCreateMultiDimensional: makes an empty store, in place of one that is there, and
// opens it for update. A place where something else than a store lies is refused.
GDALDataset* CreateMultiDimensional(const char* name, CSLConstList group_options,
                                    CSLConstList options);

// GDALDriver::pfnCreateCopy of a source that has no bands, but a root group: the same with
// everything in it. A store whose copying failed or was cancelled is removed, and what it was to
// replace stays.
GDALDataset* CopyMultiDimensional(const char* name, GDALDataset* source, int strict,
                                  CSLConstList options, GDALProgressFunc progress,
                                  void* progress_data);

// The creation options of datasets and of arrays of the multidimensional API, as XML for GDAL.
std::string MultiDimDatasetOptionList();
std::string MultiDimArrayOptionList();

}  // namespace zarr_driver

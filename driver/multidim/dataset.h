// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <memory>
#include <string>

#include "driver/base/gdal_compat.h"

namespace zarr_driver {

class SharedResource;
class ZarrGroup;
class ZarrMDArray;

// A dataset of GDAL's multidimensional API. Closing it writes all changes to the store. Groups and
// arrays that outlive the dataset write later changes when the last of them is destroyed.
class MdimDataset final : public GDALDataset {
  public:
    // `array` is the array that was opened; nullptr if a group was opened.
    explicit MdimDataset(std::shared_ptr<SharedResource> session,
                         std::shared_ptr<ZarrMDArray> array = nullptr);
    ~MdimDataset() override;
    MdimDataset(const MdimDataset&) = delete;
    MdimDataset& operator=(const MdimDataset&) = delete;

    std::shared_ptr<GDALGroup> GetRootGroup() const override;
    SharedResource& session() const { return *session_; }
    ZARR_FLUSH_RESULT FlushCache(bool bAtClosing = false) override;
#if ZARR_HAS_CLOSE
    CPLErr Close(ZARR_CLOSE_PARAMETERS) override;
#endif

  private:
    // Writes all changes. Emits an error on failure.
    CPLErr FinishSession();

    const std::shared_ptr<SharedResource> session_;
    const std::shared_ptr<ZarrGroup> root_;
    const std::shared_ptr<ZarrMDArray> array_;  // keeps the opened array from being opened again
};

// Implements GDALDriver::pfnCreateMultiDimensional: creates an empty store and opens it for update.
// Replaces an existing store. Fails if the path holds anything else.
GDALDataset* CreateMultiDimensional(const char* name, CSLConstList group_options,
                                    CSLConstList options);

// Implements GDALDriver::pfnCreateCopy for a source that has a root group and no bands. Copies all
// groups and arrays of the source. On failure or cancellation the new store is deleted, and the
// store that it was to replace stays.
GDALDataset* CopyMultiDimensional(const char* name, GDALDataset* source, int strict,
                                  CSLConstList options, GDALProgressFunc progress,
                                  void* progress_data);

// Return GDAL's XML lists of creation options: of a multidimensional dataset, and of its arrays.
std::string MultiDimDatasetOptionList();
std::string MultiDimArrayOptionList();

}  // namespace zarr_driver

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

// A dataset of GDAL's multidimensional API: a root group. What was written through it is in the
// store once it is gone; what is written afterwards, through objects that are still held, when the
// last of them goes.
class MdimDataset final : public GDALDataset {
  public:
    // `array` is the one that was opened, where it was no group.
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
    // Emits what fails.
    CPLErr FinishSession();

    const std::shared_ptr<SharedResource> session_;
    const std::shared_ptr<ZarrGroup> root_;
    const std::shared_ptr<ZarrMDArray> array_;  // so that it is not opened again
};

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

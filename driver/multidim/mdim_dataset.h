// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_string.h>
#include <gdal_priv.h>

#include <memory>
#include <string>

#include "driver/base/gdal_compat.h"

namespace zarr_driver {

class MdimSession;
class ZarrGroup;
class ZarrMDArray;

// A dataset of GDAL's multidimensional API. Closing the dataset writes all changes to the store.
// Groups and arrays may outlive the dataset; later changes are written when the last of them is
// destroyed.
class MdimDataset final : public GDALDataset {
  public:
    // `array` is the array that was opened, or nullptr if a group was opened.
    explicit MdimDataset(std::shared_ptr<MdimSession> session,
                         std::shared_ptr<ZarrMDArray> array = nullptr);
    ~MdimDataset() override;
    MdimDataset(const MdimDataset&) = delete;
    MdimDataset& operator=(const MdimDataset&) = delete;

    std::shared_ptr<GDALGroup> GetRootGroup() const override;
    MdimSession& session() const { return *session_; }
    // The metadata domain ZARR has the branches and tags of an Icechunk repository.
    char** GetMetadataDomainList() override;
    NameValueList GetMetadata(const char* pszDomain = "") override;
    const char* GetMetadataItem(const char* pszName, const char* pszDomain = "") override;
    ZARR_FLUSH_RESULT FlushCache(bool bAtClosing = false) override;
#if ZARR_HAS_CLOSE
    CPLErr Close(ZARR_CLOSE_PARAMETERS) override;
#endif

  private:
    // Writes all changes to the store. Emits an error on failure.
    CPLErr FinishSession();
    // Returns the metadata domain ZARR; empty if the store is no Icechunk repository.
    NameValueList Description();

    const std::shared_ptr<MdimSession> session_;
    const std::shared_ptr<ZarrGroup> root_;
    // Array that this dataset consists of; nullptr for a group. While it exists, root_ returns it
    // to callers who open the array again.
    const std::shared_ptr<ZarrMDArray> array_;
    CPLStringList description_;  // metadata domain ZARR, once it was requested
    bool is_finished_ = false;   // FinishSession() was called
};

// Implements GDALDriver::pfnCreateMultiDimensional. Creates an empty store and opens it for update.
// Replaces an existing store at the path. Fails if the path holds anything other than a store.
GDALDataset* CreateMultiDimensional(const char* name, CSLConstList group_options,
                                    CSLConstList options);

// Implements GDALDriver::pfnCreateCopy for a source with a root group and without bands, and for
// every copy that is written as references. Copies all groups and arrays of the source. On failure
// or cancellation the new store is deleted, and an existing store at the path stays.
GDALDataset* CopyMultiDimensional(const char* name, GDALDataset* source, int strict,
                                  CSLConstList options, GDALProgressFunc progress,
                                  void* progress_data);

// Return the XML lists of creation options for GDAL: for a multidimensional dataset, and for an
// array in it.
std::string MultiDimDatasetOptionList();
std::string MultiDimArrayOptionList();

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#include "driver/mdim_dataset.h"

#include "driver/builtin_driver.h"
#include "driver/mdim_array.h"
#include "driver/mdim_group.h"
#include "driver/report.h"

namespace zarr_driver {

MdimDataset::MdimDataset(std::shared_ptr<MdimSession> session, std::shared_ptr<ZarrMDArray> array)
    : session_(std::move(session)),
      root_(session_->OpenGroup(session_->root())),
      array_(std::move(array)) {
    poDriver = GetGDALDriverManager()->GetDriverByName(kDriverName);  // whoever was asked
    if (session_->update() != nullptr) eAccess = GA_Update;
}

MdimDataset::~MdimDataset() {
    const zarr::Status status = session_->Finish();
    if (!status.ok()) EmitError(session_->store_path(), status);
}

std::shared_ptr<GDALGroup> MdimDataset::GetRootGroup() const { return root_; }

ZARR_FLUSH_RESULT MdimDataset::FlushCache(bool /*bAtClosing*/) {
    const zarr::Status status = session_->Flush();
    const CPLErr error = status.ok() ? CE_None : EmitError(session_->store_path(), status);
    ZARR_FLUSH_RETURN(error);
}

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#include "driver/multidim/dataset.h"

#include "driver/base/builtin_driver.h"
#include "driver/base/guard.h"
#include "driver/base/report.h"
#include "driver/multidim/array.h"
#include "driver/multidim/group.h"

namespace zarr_driver {

MdimDataset::MdimDataset(std::shared_ptr<SharedResource> session,
                         std::shared_ptr<ZarrMDArray> array)
    : session_(std::move(session)),
      root_(session_->OpenGroup(session_->root())),
      array_(std::move(array)) {
    poDriver = GetGDALDriverManager()->GetDriverByName(kDriverName);  // whoever was asked
    if (session_->update() != nullptr) eAccess = GA_Update;
}

MdimDataset::~MdimDataset() {
    Guarded(session_->store_path(), [&] { FinishSession(); });
}

CPLErr MdimDataset::FinishSession() {
    const zarr::Status status = session_->Finish();
    return status.ok() ? CE_None : EmitError(session_->store_path(), status);
}

#if ZARR_HAS_CLOSE
CPLErr MdimDataset::Close(ZARR_CLOSE_PARAMETERS) {
    return Guarded(session_->store_path(), [&]() -> CPLErr {
        if (nOpenFlags == OPEN_FLAGS_CLOSED) return CE_None;
        const CPLErr finished = FinishSession();
        const CPLErr closed = GDALDataset::Close(ZARR_CLOSE_ARGUMENTS);
        return finished == CE_None ? closed : finished;
    });
}
#endif

std::shared_ptr<GDALGroup> MdimDataset::GetRootGroup() const {
    return Guarded(session_->store_path(), [&]() -> std::shared_ptr<GDALGroup> { return root_; });
}

ZARR_FLUSH_RESULT MdimDataset::FlushCache(bool /*bAtClosing*/) {
    return Guarded(session_->store_path(), [&]() -> ZARR_FLUSH_RESULT {
        const zarr::Status status = session_->Flush();
        const CPLErr error = status.ok() ? CE_None : EmitError(session_->store_path(), status);
        ZARR_FLUSH_RETURN(error);
    });
}

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#include "driver/store/open_store.h"

#include <cpl_error.h>

#include <cstring>
#include <utility>

#include "core/store/zip_store.h"
#include "driver/base/report.h"
#include "driver/store/remote_url.h"
#include "driver/store/zip_file.h"

namespace zarr_driver {

zarr::Result<std::shared_ptr<const zarr::Store>> OpenStore(const std::string& path,
                                                           const StoreAccess& access) {
    using StorePtr = std::shared_ptr<const zarr::Store>;
    if (const auto place = ZipPlaceOf(path)) {
        ZARR_ASSIGN_OR_RETURN(const auto archive, OpenZip(place->archive));
        return StorePtr(std::make_shared<zarr::ZipStore>(archive, InnerFolder(*place, *archive)));
    }
    if (IsRemote(path)) return StorePtr(std::make_shared<RemoteStore>(path, access));
    return StorePtr(std::make_shared<VsiStore>(path));
}

std::shared_ptr<VsiStore> OpenStoreForUpdate(const std::string& folder, bool missing_on_403) {
    if (!IsRemote(folder)) return std::make_shared<VsiStore>(folder);
    StoreAccess access;
    access.missing_on_403 = missing_on_403;
    access.update = true;
    return std::make_shared<RemoteStore>(folder, access);
}

void WarnOfFailure(const zarr::Hierarchy& hierarchy, const std::string& store) {
    const zarr::Status failure = hierarchy.TakeFailure();
    if (failure.ok() || std::strstr(CPLGetLastErrorMsg(), failure.message().c_str()) != nullptr)
        return;
    EmitWarning(store, failure.message());
}

}  // namespace zarr_driver

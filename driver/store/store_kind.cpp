// SPDX-License-Identifier: MIT
#include "driver/store/store_kind.h"

#include "driver/store/icechunk_kind.h"
#include "driver/store/kerchunk_json_kind.h"
#include "driver/store/kerchunk_parquet_kind.h"
#include "driver/store/levels_store.h"
#include "driver/store/remote_store.h"
#include "driver/store/vsi_store.h"
#include "driver/store/zip_file.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

std::vector<const StoreKind*>& StoreKinds() {
    static auto& kinds = *new std::vector<const StoreKind*>{
        &kIcechunkKind, &kKerchunkJsonKind, &kKerchunkParquetKind, &kLevelsKind,
        &kZipKind,      &kWebServerKind,    &kObjectStoreKind,     &kFolderKind};
    return kinds;
}

Result<std::shared_ptr<const zarr::Store>> OpenStore(const StorePath& path,
                                                     const StoreAccess& access) {
    // References are read here already, within the present limits.
    ReadLimits();
    return OfKind(path, &StoreKind::open)(path, access);
}

Result<std::shared_ptr<zarr::Store>> OpenStoreForUpdate(const StorePath& path,
                                                        bool missing_on_403) {
    StoreAccess access;
    access.missing_on_403 = missing_on_403;
    access.update = true;
    return OfKind(path, &StoreKind::open_for_update)(path, access);
}

Status EraseWhole(const std::string& path, bool is_store) {
    return OfKind(path, &StoreKind::erase)(path, is_store);
}

}  // namespace zarr_driver

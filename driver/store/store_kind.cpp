// SPDX-License-Identifier: MIT
#include "driver/store/store_kind.h"

#include "driver/store/folder_kind.h"
#include "driver/store/icechunk_kind.h"
#include "driver/store/kerchunk_json_kind.h"
#include "driver/store/kerchunk_parquet_kind.h"
#include "driver/store/remote_kind.h"
#include "driver/store/xcube_store.h"
#include "driver/store/zip_kind.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

std::vector<const StoreKind*>& StoreKinds() {
    static auto& kinds = *new std::vector<const StoreKind*>{
        &kIcechunkKind, &kKerchunkJsonKind, &kKerchunkParquetKind, &kLevelsKind,
        &kZipKind,      &kWebServerKind,    &kObjectStoreKind,     &kFolderKind};
    return kinds;
}

const StoreKind* KindOfFile(const StorePath& path, std::string_view head) {
    for (const StoreKind* kind : StoreKinds())
        if (kind->is_proven_by != nullptr && kind->is_proven_by(path, head)) return kind;
    return nullptr;
}

Result<std::shared_ptr<const zarr::Store>> OpenStore(const StoreAddress& address,
                                                     const StoreAccess& access) {
    // References are read here already, within the present limits.
    ReadLimits();
    return OfKind(address, &StoreKind::open)(address, access);
}

Result<std::shared_ptr<zarr::Store>> OpenStoreForUpdate(const StoreAddress& address,
                                                        bool missing_on_403) {
    ZARR_RETURN_IF_ERROR(OfKind(address, &StoreKind::check)(address, StoreOperation::kWrite));
    StoreAccess access;
    access.missing_on_403 = missing_on_403;
    access.update = true;
    return OfKind(address, &StoreKind::open_for_update)(address, access);
}

Status EraseWhole(const StorePath& path, bool is_store) {
    const StoreAddress address(path);
    return OfKind(address, &StoreKind::erase)(address, is_store);
}

}  // namespace zarr_driver

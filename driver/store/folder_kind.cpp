// SPDX-License-Identifier: MIT
#include "driver/store/folder_kind.h"

#include <cpl_vsi.h>

#include <memory>
#include <string>

#include "driver/store/resolve.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

bool IsAny(const StoreAddress& /*address*/) { return true; }

// Returns the topmost folder of the groups around `address`, a store. Only local folders and
// /vsimem/ are read.
StoreAddress FindRootFolder(const StoreAddress& address) {
    if (address.kind() == StorePath::Kind::kOther || !HoldsStore(address)) return address;
    return Ascended(address, address.text(), PathExists);
}

Result<std::shared_ptr<const zarr::Store>> OpenFolderToRead(const StoreAddress& address,
                                                            const StoreAccess& /*access*/) {
    return std::shared_ptr<const zarr::Store>(OpenFolder(address));
}

Result<std::shared_ptr<zarr::Store>> OpenFolderForUpdate(const StoreAddress& address,
                                                         const StoreAccess& /*access*/) {
    return OpenFolder(address);
}

Status AllowChange(const StoreAddress& /*address*/, StoreOperation /*operation*/) { return {}; }

Status CreateFolder(const std::string& path) {
    return VSIMkdir(path.c_str(), 0755) == 0 ? Status() : Status::Io("cannot be created");
}

Status EraseFolder(const StoreAddress& address, bool /*is_store*/) {
    return EraseFileOrFolder(address);
}

}  // namespace

const StoreKind kFolderKind = {IsAny,          nullptr,          HoldsFolderStore,
                               FindRootFolder, OpenFolderToRead, OpenFolderForUpdate,
                               AllowChange,    CreateFolder,     EraseFolder};

}  // namespace zarr_driver

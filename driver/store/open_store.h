// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "core/hierarchy/hierarchy.h"
#include "core/store/store.h"
#include "driver/store/remote_store.h"

namespace zarr_driver {

// The store at a path: in a folder, on a server, or in a zip file. Fails for a zip file that cannot
// be read.
zarr::Result<std::shared_ptr<const zarr::Store>> OpenStore(const std::string& path,
                                                           const StoreAccess& access);

// The store in a folder, for reading and writing. `missing_on_403` as in StoreAccess.
std::shared_ptr<VsiStore> OpenStoreForUpdate(const std::string& folder,
                                             bool missing_on_403 = false);

// Warns where the store failed to give metadata or a listing since it was last asked, unless that
// is what was reported last: what is looked for and need not be there, coordinates or a CRS, may be
// missing for that reason. `store` is its path.
void WarnOfFailure(const zarr::Hierarchy& hierarchy, const std::string& store);

}  // namespace zarr_driver

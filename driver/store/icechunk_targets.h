// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/references/icechunk_containers.h"
#include "core/references/target.h"
#include "core/store/store.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

// Opens the files and objects that contain the chunks of an Icechunk repository. They are of two
// kinds: objects of the repository itself, which are read through `repository`, the store in
// `folder`; and virtual chunks, which lie in other files.
// A virtual chunk must lie in one of the repository's `containers`. The rules of
// OpenReferenceTargets() apply, too. ZARR_REFERENCE_FOLDERS=ALL allows chunks outside of the
// containers. The credentials of object stores are GDAL's. An anonymous container of S3, Google or
// Azure is read by unsigned requests to the server that the container names. Options of GDAL with
// credentials or a server take precedence.
std::shared_ptr<const zarr::TargetOpener> OpenIcechunkTargets(
    const StorePath& folder, std::shared_ptr<const zarr::Store> repository,
    zarr::IcechunkContainers containers);

}  // namespace zarr_driver

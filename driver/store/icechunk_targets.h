// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/references/icechunk_containers.h"
#include "core/references/target.h"
#include "core/store/store.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

// Opens the files and objects that contain the chunks of an Icechunk repository. There are two
// kinds. Objects of the repository itself are read through `repository`, the store in `folder`.
// Virtual chunks lie in other files, which must be in one of the repository's `containers`. For
// virtual chunks the rules of OpenReferenceTargets() apply, too. ZARR_REFERENCE_FOLDERS=ALL allows
// chunks outside of the containers. The credentials of object stores are GDAL's. An anonymous
// container of S3, Google or Azure is read by unsigned requests to the server that the container
// names. If the user has set credentials or a server by GDAL's options, these options apply
// instead.
std::shared_ptr<const zarr::TargetOpener> OpenIcechunkTargets(
    const StorePath& folder, std::shared_ptr<const zarr::Store> repository,
    zarr::IcechunkContainers containers);

}  // namespace zarr_driver

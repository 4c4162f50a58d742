// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "core/base/status.h"
#include "core/references/icechunk_containers.h"
#include "core/references/target.h"
#include "core/store/store.h"
#include "driver/transport/store_path.h"

namespace zarr_driver {

// Opens the files and objects that contain the chunks of an Icechunk repository. Chunks that the
// repository stores itself are read through `repository`, the store in `folder`. Virtual chunks lie
// in other files, which must be in one of the `containers` unless ZARR_REFERENCE_FOLDERS=ALL is
// set. The rules of OpenReferenceTargets() apply, too.
//
// Credentials are those of GDAL's options. If the user has set no credentials and no server, an
// anonymous container of S3, Google or Azure is read by unsigned requests to the container's
// server.
std::shared_ptr<const zarr::TargetOpener> OpenIcechunkTargets(
    const StorePath& folder, std::shared_ptr<const zarr::Store> repository,
    zarr::IcechunkContainers containers);

// Returns the location of a virtual chunk, whose URL is `text`, in the form that
// OpenReferenceTargets() takes. `container` is the chunk's container, and may be nullptr. Sends no
// request. Thread-safe.
zarr::Result<std::string> LocationOfVirtualChunk(const std::string& text,
                                                 const zarr::IcechunkContainer* container);

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "core/references/target.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

// Opens the files and objects to which references point.
// References may point to servers and object stores, and to regular files below the local folder
// `trusted`, after links are resolved. GDAL's virtual file systems and link-local addresses are
// refused. Configuration options allow more targets:
// GDAL_ALLOW_REMOTE_RESOURCE_TO_ACCESS_LOCAL_FILE=YES, ICECHUNK_ALLOW_LOCAL_CHUNK_LOCATION=YES and
// ZARR_REFERENCE_FOLDERS=dir:dir or ALL.
// A target whose server redirects to another host is an error, unless
// ZARR_REFERENCE_HOSTS=host,host or ALL allows that host or its parent domain. GDAL's HTTP client
// follows redirects itself, so the other host receives the request. The answer is discarded.
// Relative locations start at `folder`. No local file is allowed by default if `trusted` is not
// local. `sample` is the location of any target, or empty if none is known. `sample` decides
// whether Traits() describe a remote store.
std::shared_ptr<const zarr::TargetOpener> OpenReferenceTargets(const StorePath& folder,
                                                               const StorePath& trusted,
                                                               const std::string& sample);

// Returns the parent folder of the local folder `folder`, because users keep the data beside a
// folder of references. Returns `folder` itself if it is not local.
StorePath FolderAround(const StorePath& folder);

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/base/status.h"
#include "core/references/target.h"
#include "driver/transport/store_path.h"

namespace zarr_driver {

// Opens the files and objects to which references point: on servers, in object stores, and below
// the local folder `trusted` after links are resolved. Refuses GDAL's virtual file systems and
// link-local addresses. More targets need GDAL_ALLOW_REMOTE_RESOURCE_TO_ACCESS_LOCAL_FILE=YES,
// ICECHUNK_ALLOW_LOCAL_CHUNK_LOCATION=YES or ZARR_REFERENCE_FOLDERS=dir:dir or ALL.
//
// A redirect to another host is an error unless ZARR_REFERENCE_HOSTS=host,host or ALL allows the
// host or its parent domain. GDAL's HTTP client has already followed the redirect, so the answer is
// discarded.
//
// Relative locations start at `folder`. If `trusted` is not local, no local file is allowed by
// default. `sample` is the location of any target, or empty, and decides whether Traits() describe
// a remote store.
std::shared_ptr<const zarr::TargetOpener> OpenReferenceTargets(const StorePath& folder,
                                                               const StorePath& trusted,
                                                               const std::string& sample);

// Returns a function for the locations that a document in `folder` states, with the arguments of
// OpenReferenceTargets(). The function returns the path of a location; kPermission if
// OpenReferenceTargets() refuses it, and kIo if its host cannot be resolved. It sends no request,
// but may ask a name server, once for a host that is known.
using ReferenceResolver = std::function<zarr::Result<StorePath>(const std::string& location)>;
ReferenceResolver ResolverOfReferences(const StorePath& folder, const StorePath& trusted);

// Returns the parent of the local folder `folder`, because users keep data beside a folder of
// references. A remote `folder` is returned itself.
StorePath FolderAround(const StorePath& folder);

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "core/references/target.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

// Opens the files and objects to which a document of Kerchunk references refers.
//
// A document may refer to servers and object stores. A local document may also refer to regular
// files below its own folder, after links are resolved. GDAL's virtual file systems and link-local
// addresses are refused. Configuration options allow more:
// GDAL_ALLOW_REMOTE_RESOURCE_TO_ACCESS_LOCAL_FILE=YES, ICECHUNK_ALLOW_LOCAL_CHUNK_LOCATION=YES and
// ZARR_REFERENCE_FOLDERS=dir:dir or ALL.
//
// `document_folder` is the folder of the document, at which relative locations start. `sample` is a
// location from the document, or empty if none is known. `sample` decides whether Traits() describe
// a remote store.
std::shared_ptr<const zarr::TargetOpener> OpenReferenceTargets(const StorePath& document_folder,
                                                               const std::string& sample);

}  // namespace zarr_driver

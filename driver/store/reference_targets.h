// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "core/references/target.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

// Opens the files and objects that a document of references names.
//
// A document may name servers and object stores. A local document may name regular files below its
// own folder too, after links are resolved. Names of GDAL's virtual file systems and link-local
// addresses are refused. Configuration options allow more:
// GDAL_ALLOW_REMOTE_RESOURCE_TO_ACCESS_LOCAL_FILE=YES, ICECHUNK_ALLOW_LOCAL_CHUNK_LOCATION=YES and
// ZARR_REFERENCE_FOLDERS=dir:dir or ALL.
//
// `document_folder` is the folder of the document, which relative locations start from. `sample` is
// a location that the document names, empty if none is known; it decides Traits().
std::shared_ptr<const zarr::TargetOpener> OpenReferenceTargets(const StorePath& document_folder,
                                                               const std::string& sample);

}  // namespace zarr_driver

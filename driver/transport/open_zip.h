// SPDX-License-Identifier: MIT
// Zip files in GDAL's file systems, opened for reading.
#pragma once

#include <cpl_vsi.h>

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/status.h"
#include "core/store/zip_reader.h"

namespace zarr_driver {

// Opens a zip file and reads its directory. If the archive is already open and the file has not
// changed, returns the open archive. Thread-safe.
zarr::Result<std::shared_ptr<const zarr::ZipArchive>> OpenZip(const std::string& path);

// Releases the archive that OpenZip() opened last. OpenZip() keeps that archive open for its next
// call.
void CloseIdleZip();

// Opens a zip file of `size` bytes that this process has locked, or has made under a staging name.
// The archive is not shared.
zarr::Result<std::shared_ptr<const zarr::ZipArchive>> OpenLockedZip(const std::string& path,
                                                                    std::uint64_t size);

// Returns an error if the local file at `path` is a pipe or a device, because opening it could wait
// forever. `stat` describes the file.
zarr::Status CheckIsNoPipe(const std::string& path, const VSIStatBufL& stat);

}  // namespace zarr_driver

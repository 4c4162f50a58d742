// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "core/base/status.h"
#include "core/store/zip_writer.h"

namespace zarr_driver {

// Opens the existing file `path` for reading and writing at any offset. The file is local or in one
// of GDAL's file systems. A local file is locked by flock(2), unless `is_locked_by_caller` says
// that the caller already holds the lock. Returns nullptr if somebody else has the lock. Returns
// kUnsupported if the file system can only write whole files.
zarr::Result<std::unique_ptr<zarr::ByteFile>> OpenByteFile(const std::string& path,
                                                           bool is_locked_by_caller);

// Records that this process has replaced the file at `path`. After this call, ByteFile::IsInPlace()
// returns false for handles that were opened before. Does nothing for local files: their inode
// numbers show the replacement. Thread-safe.
void RecordReplacement(const std::string& path);

}  // namespace zarr_driver

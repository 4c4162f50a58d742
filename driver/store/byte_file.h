// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "core/base/status.h"
#include "core/store/zip_update.h"

namespace zarr_driver {

// Opens an existing file for reading and writing at any offset. The file is local or in one of
// GDAL's file systems; `path` names it. A local file is locked by flock(2), unless `is_held` is
// true: the caller then has the lock. Returns kIo if another process has the lock, and kUnsupported
// if the file system only writes files whole.
zarr::Result<std::unique_ptr<zarr::ByteFile>> OpenByteFile(const std::string& path, bool is_held);

// Records that this process replaced the file at `path`, so that IsInPlace() turns false for
// handles that were opened earlier. Does nothing for local files, whose inode numbers tell.
// Thread-safe.
void RecordReplacement(const std::string& path);

}  // namespace zarr_driver

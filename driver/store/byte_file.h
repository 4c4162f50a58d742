// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "core/base/status.h"
#include "core/store/zip_update.h"

namespace zarr_driver {

// Opens a file of this machine, or of a file system of GDAL that can change a part of a file, to be
// read and written. Of this machine it is locked (flock(2)) against others that open it so, unless
// `is_held` says that the caller has the lock; kIo where someone has it. kUnsupported where files
// are only written whole.
zarr::Result<std::unique_ptr<zarr::ByteFile>> OpenByteFile(const std::string& path, bool is_held);

// Says that this process has put another file at `path`: what was opened there before is no longer
// in place. Does nothing for local files, whose numbers say so. Thread-safe.
void NoteReplaced(const std::string& path);

}  // namespace zarr_driver

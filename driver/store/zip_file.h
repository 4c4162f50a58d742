// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/store/zip_store.h"

namespace zarr_driver {

// Where a path leads to in a zip file.
struct ZipPlace {
    std::string archive;               // path of the zip file
    std::optional<std::string> inner;  // folder in it; none: wherever the store in it lies
};

// The place of a path below /vsizip/, or of a file whose name ends in ".zip"; none for other paths.
std::optional<ZipPlace> ZipPlaceOf(const std::string& path);

// Opens a zip file; the same object that somebody else holds open, where the file has not changed.
// Errors say what is wrong with the file. Thread-safe.
zarr::Result<std::shared_ptr<const zarr::ZipArchive>> OpenZip(const std::string& path);

// Lets go of the zip file that was opened last, which is kept for the next opening.
void CloseIdleZip();

// Ok where a zip file that was just written holds what was put into it, which is read for that:
// GDAL's writer does not notice that bytes were not written, and leaves a hole in their place.
zarr::Status CheckZip(const std::string& path);

// The folder in an archive that a place means, "" for its root.
std::string InnerFolder(const ZipPlace& place, const zarr::ZipArchive& archive);

// True where a prefix of a zip file has one of the documents that a store of Zarr v2 has at its
// root.
bool HoldsStore(const zarr::ZipArchive& archive, const std::string& prefix);

}  // namespace zarr_driver

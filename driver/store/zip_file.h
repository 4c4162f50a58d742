// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/store/store.h"
#include "core/store/zip_store.h"
#include "driver/store/store_kind.h"

namespace zarr_driver {

// The file system of GDAL that shows what is in a zip file.
inline constexpr const char* kZipPrefix = "/vsizip/";

// Stores in zip files: below kZipPrefix, or in a file whose name ends in ".zip".
extern const StoreKind kZipKind;

// Where a path leads to in a zip file.
struct ZipPlace {
    std::string archive;               // path of the zip file
    std::optional<std::string> inner;  // folder in it; none: wherever the store in it lies
};

// The place of a path below /vsizip/, or of a file whose name ends in ".zip"; none for other paths.
std::optional<ZipPlace> ZipPlaceOf(const std::string& path);

// Opens a zip file; the same object that is open already, where the file has not changed.
// Errors say what is wrong with the file. Thread-safe.
zarr::Result<std::shared_ptr<const zarr::ZipArchive>> OpenZip(const std::string& path);

// Lets go of the zip file that was opened last, which is kept for the next opening.
void CloseIdleZip();

// The folder in an archive that a place means, "" for its root.
std::string InnerFolder(const ZipPlace& place, const zarr::ZipArchive& archive);

// True where a prefix of a zip file has one of the documents that a store of Zarr v2 has at its
// root.
bool HoldsStore(const zarr::ZipArchive& archive, const std::string& prefix);

// Returns the path of the place in the zip file `archive` that `path`, below kZipPrefix, means in
// another one.
std::string InOtherArchive(const std::string& path, const std::string& archive);

// The archive of a path below /vsizip/, such as /vsizip/folder/x.zip/store; none for other paths.
std::optional<std::string> ArchiveOf(const std::string& path);

}  // namespace zarr_driver

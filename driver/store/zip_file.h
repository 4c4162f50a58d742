// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/store/store.h"
#include "core/store/zip_store.h"
#include "driver/store/store_kind.h"

namespace zarr_driver {

// Prefix of paths in GDAL's file system for members of zip files.
inline constexpr const char* kZipPrefix = "/vsizip/";

// Store kind for zip files: paths that begin with kZipPrefix, and files for which IsNamedAsZip() is
// true.
extern const StoreKind kZipKind;

// Extension of OME-Zarr in one zip file (RFC 9 of OME-NGFF).
inline constexpr const char* kOzxExtension = ".ozx";

// True if the name ends as those of zip files: ".zip" or kOzxExtension.
bool IsNamedAsZip(const std::string& path);

// True if the name ends in kOzxExtension.
bool IsOzx(const std::string& path);

// Writes the members of a zip file anew, without those that were replaced: first the documents
// "zarr.json", by their depth. Nobody else may use the file.
zarr::Status SortZip(const std::string& path);

// Path of a zip file, and a folder in that zip file.
struct ZipLocation {
    std::string archive;  // path of the zip file
    // Folder in the zip file; if nullopt, the zip file is searched for a store.
    std::optional<std::string> inner;
};

// Splits a path below /vsizip/, or the path of a file named "x.zip", into zip file and folder.
// Returns nullopt for other paths.
std::optional<ZipLocation> ZipLocationOf(const std::string& path);

// Opens a zip file and reads its directory. If the archive is already open and the file has not
// changed, returns the open archive. Thread-safe.
zarr::Result<std::shared_ptr<const zarr::ZipArchive>> OpenZip(const std::string& path);

// Releases the archive that OpenZip() opened last. OpenZip() keeps that archive open for its next
// call.
void CloseIdleZip();

// Returns the folder of the store in `archive`; an empty text is the root of the archive. If
// `location.inner` is nullopt, the folder is found by searching the archive for a store.
std::string InnerFolder(const ZipLocation& location, const zarr::ZipArchive& archive);

// True if the folder `prefix` of a zip file holds a metadata document that makes it a Zarr v2 or v3
// store.
bool HoldsStore(const zarr::ZipArchive& archive, const std::string& prefix);

// Returns `path`, a path below /vsizip/, with its zip file replaced by the zip file `archive`.
std::string InOtherArchive(const std::string& path, const std::string& archive);

// Returns the path of the zip file in `path`, a path below /vsizip/: "folder/x.zip" for
// "/vsizip/folder/x.zip/store". Returns nullopt for other paths.
std::optional<std::string> ArchiveOf(const std::string& path);

}  // namespace zarr_driver

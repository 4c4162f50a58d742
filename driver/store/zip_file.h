// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/store/store.h"
#include "core/store/zip_store.h"
#include "driver/store/store_kind.h"

namespace zarr_driver {

// Prefix of GDAL's file system for the members of zip files.
inline constexpr const char* kZipPrefix = "/vsizip/";

// Store kind for zip files: paths below kZipPrefix, and files whose names end in ".zip".
extern const StoreKind kZipKind;

// A zip file and a folder in it.
struct ZipLocation {
    std::string archive;               // path of the zip file
    std::optional<std::string> inner;  // folder in the zip file; nullopt: the root of its store
};

// Returns the zip file and folder for a path below /vsizip/, or for a file named "x.zip". Returns
// nullopt for other paths.
std::optional<ZipLocation> ZipLocationOf(const std::string& path);

// Opens a zip file and reads its directory. Returns an archive that is already open if the file has
// not changed. Thread-safe.
zarr::Result<std::shared_ptr<const zarr::ZipArchive>> OpenZip(const std::string& path);

// Releases the zip file that was opened last, which OpenZip() caches for the next call.
void CloseIdleZip();

// Returns the folder in the archive to which `place` refers, "" for the root of the archive.
std::string InnerFolder(const ZipLocation& place, const zarr::ZipArchive& archive);

// True if the folder `prefix` of a zip file holds one of the documents at the root of a Zarr v2 or
// v3 store.
bool HoldsStore(const zarr::ZipArchive& archive, const std::string& prefix);

// Returns `path`, which lies below kZipPrefix, with its zip file replaced by `archive`.
std::string InOtherArchive(const std::string& path, const std::string& archive);

// Returns the path of the zip file in a path below /vsizip/, such as /vsizip/folder/x.zip/store.
// Returns nullopt for other paths.
std::optional<std::string> ArchiveOf(const std::string& path);

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
// Sidecar files, which GDAL writes next to a store that is not open for update. They hold metadata
// and statistics (".aux.xml"), overviews (".ovr") and masks (".msk").
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/array/array.h"
#include "core/base/status.h"
#include "driver/base/open_options.h"
#include "driver/store/store_address.h"

namespace zarr_driver {

inline constexpr const char* kSidecarExtensions[] = {".aux.xml", ".ovr", ".msk"};

// Hidden metadata domains with items of this driver: of PAM in attributes, and of auxiliary files.
inline constexpr const char* kPamState = "ZARR";
inline constexpr const char* kSidecarState = "ZARR_SIDECAR";
// Item of kSidecarState whose value is the DatasetId() of the dataset that owns the file.
inline constexpr const char* kOwner = "OF";

// Returns the id of a dataset within its store: "/node", or "/array:3:0" for a slice.
// "?OPTION=value" is appended for each open option that changes how the array appears.
std::string DatasetId(const std::string& node, const std::vector<std::uint64_t>& indices,
                      const OpenOptions& options);

// Facts about the auxiliary file "x.zarr.aux.xml" of a store "x.zarr".
struct AuxiliaryFile {
    bool is_there = false;
    std::string of;  // DatasetId() of the owner; empty if the file names none
};
// Loads the auxiliary file of `store`. Takes one request if the store is remote.
// Returns an empty result if `store` is a URL with a query or is in /vsizip/, or if
// GDAL_PAM_ENABLED is NO. Also returns an empty result if the store is remote and
// GDAL_DISABLE_READDIR_ON_OPEN is EMPTY_DIR.
AuxiliaryFile LoadAuxiliaryFile(const StoreAddress& store);

// Loads the sidecar file at `path` from a server with one request. Returns nullopt if the file is
// absent, if the request fails, or if no URL can express GDAL's options.
std::optional<std::string> FetchSidecar(const std::string& path);

// Returns the path of the sidecar files of the dataset `id`, without the file extension.
// `is_by_path` is true if the user opened the store by its path alone.
// The files of a dataset opened by path are named "x.zarr", and those of another dataset
// "x.zarr@group.array@3". In the name '.' stands for '/' and '@' for ':'. A digest is appended if
// the id is long, or has characters other than lower-case letters, digits, '-' and '_'.
// If the auxiliary file `plain` names its dataset, only that dataset uses the name "x.zarr",
// however it is opened. This rule is needed because the path alone may later open another dataset.
std::string SidecarBase(const StoreAddress& store, const std::string& id, bool is_by_path,
                        const AuxiliaryFile& plain);

// Returns the modification time of a file in nanoseconds since 1970; nullopt if missing or remote.
std::optional<std::int64_t> WrittenAt(const std::string& path);
// Returns that time of a file of references; of an Icechunk repository the latest time of its list
// of snapshots and of its branch or tag.
std::optional<std::int64_t> ReferencesWrittenAt(const StoreAddress& store);
// Such times of an array, which are compared with a file beside its store. For a zip file all times
// are that of the file. The initial values mean that a time is unknown.
struct ArrayTimes {
    std::int64_t oldest_chunk = std::numeric_limits<std::int64_t>::max();
    std::int64_t newest_chunk = std::numeric_limits<std::int64_t>::min();
    std::int64_t document = std::numeric_limits<std::int64_t>::min();
};
ArrayTimes TimesOf(const StoreAddress& store, const zarr::Array& array);

// DeleteSidecars() deletes all sidecar files of the store at `path`. RenameSidecars() renames the
// sidecar files of the store at `from`. Files that cannot be deleted or renamed stay.
void DeleteSidecars(const std::string& path);
void RenameSidecars(const std::string& from, const std::string& to);

// Copies a file between any two paths in GDAL's file systems. Returns false on failure.
bool CopyFile(const std::string& source, const std::string& target);
// DeleteNodeSidecars() deletes the sidecar files of one node of a local store. RenameNodeSidecars()
// renames the sidecar files of a node.
void DeleteNodeSidecars(const StoreAddress& store, const std::string& node);
void RenameNodeSidecars(const StoreAddress& store, const std::string& from, const std::string& to);

// Copies the sidecar files of the store at `from` to the store at `to`. On failure the error names
// the file that cannot be copied, and files that were copied before it stay.
zarr::Status CopySidecars(const std::string& from, const std::string& to);

}  // namespace zarr_driver

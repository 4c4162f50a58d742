// SPDX-License-Identifier: MIT
// Sidecar files, which GDAL writes next to a store that is not open for update. They hold metadata
// and statistics (".aux.xml"), overviews (".ovr") and masks (".msk").
#pragma once

#include <cpl_minixml.h>
#include <cpl_string.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/store/store.h"
#include "driver/base/open_options.h"
#include "driver/store/store_address.h"

namespace zarr_driver {

inline constexpr const char* kSidecarExtensions[] = {".aux.xml", ".ovr", ".msk"};

// Hidden metadata domain of an auxiliary file. An item in this domain states the dataset to which
// the file belongs.
inline constexpr const char* kSidecarDomain = "ZARR_SIDECAR";
// name of the item whose value is the DatasetId() of the dataset that owns the file
inline constexpr const char* kSidecarOwner = "OF";
// Items that say that a mask file or an overview file exists. Their value is
// SourceState::Documents() when the file was known to be current, or "YES" in files of older
// versions of the driver.
inline constexpr const char* kSidecarMask = "MASK";
inline constexpr const char* kSidecarOverviews = "OVERVIEWS";
// name of the item whose value is SourceState::Text()
inline constexpr const char* kSidecarMadeFrom = "MADE_FROM";

// Returns the id of a dataset within its store: "/node", or "/array:3:0" for a slice.
// "?OPTION=value" is appended for each open option that changes how the array appears.
std::string DatasetId(const std::string& node, const std::vector<std::uint64_t>& indices,
                      const OpenOptions& options);

// Facts about the auxiliary file "x.zarr.aux.xml" of a store "x.zarr".
struct AuxiliaryFile {
    bool is_local = false;  // true if the file was looked for in a local folder
    bool is_there = false;
    std::optional<std::string> of;  // DatasetId() of the owner, if the file names one
};
// Loads the auxiliary file of `store`. Takes one request if the store is remote.
// Returns an empty result if `store` is a URL with a query or is in /vsizip/, or if
// GDAL_PAM_ENABLED is NO. Also returns an empty result if the store is remote and
// GDAL_DISABLE_READDIR_ON_OPEN is EMPTY_DIR.
AuxiliaryFile LoadAuxiliaryFile(const StoreAddress& store);

// Loads the sidecar file at `path` from a server with one request. Returns false if the file is
// absent, if the request fails, or if no URL can express GDAL's options. `text` receives the
// contents of the file and may be nullptr.
bool FetchSidecar(const std::string& path, zarr::Buffer* text);

// Returns the path of the sidecar files of the dataset `id`, without the file extension.
// `is_by_path` is true if the user opened the store by its path alone.
// The files of a dataset opened by path are named "x.zarr", and those of another dataset
// "x.zarr@group.array@3". In the name '.' stands for '/' and '@' for ':'. A digest is appended if
// the id is long, or has characters other than lower-case letters, digits, '-' and '_'.
// If the auxiliary file `plain` names its dataset, only that dataset uses the name "x.zarr",
// however it is opened. This rule is needed because the path alone may later open another dataset.
std::string SidecarBase(const StoreAddress& store, const std::string& id, bool is_by_path,
                        const AuxiliaryFile& plain);

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

// Removes two things from the XML tree of an auxiliary file: metadata items that the store has with
// equal values (`stored`), and the domain IMAGE_STRUCTURE. If these copies stayed in the file, they
// would hide later changes of the store. Returns `tree`, which stays owned by the caller. If
// nothing is left, destroys `tree` and returns nullptr. `tree` may be nullptr.
CPLXMLNode* RemoveStoredItems(CPLXMLNode* tree, const CPLStringList& stored);

// CRS of an array, for the file "pam.aux.xml" of GDAL's multidimensional API. GDAL's built-in
// driver reads the CRS from this file if it cannot read the CRS of the store.
struct MultidimCrs {
    std::string path;     // path of the array in the store
    std::string wkt;      // empty if the array has no CRS
    std::string mapping;  // GDAL's mapping of CRS axes to the array's dimensions: "2,1"
};
// Writes the CRSs of arrays into the file "pam.aux.xml" in the store. Also removes the statistics
// of all arrays from that file: the file gets a new modification time, which would make outdated
// statistics seem current.
zarr::Status StoreMultidimCrs(zarr::Store& store, const std::vector<MultidimCrs>& arrays);

// Facts about an array in the file "pam.aux.xml", which GDAL's multidimensional API writes.
struct MultidimPam {
    std::string crs;           // WKT; empty without a CRS, or if StoreMultidimCrs() wrote it
    CPLStringList statistics;  // band items such as STATISTICS_MINIMUM; may be empty
};
// Loads the facts about the array at `path` from the file "pam.aux.xml". Returns an empty result
// for remote stores. `newest_chunk` returns the time when the array was last written, in
// nanoseconds since 1970. Statistics that were computed before that time are left out.
MultidimPam ReadMultidimPam(const std::string& store_path, const std::string& path,
                            const std::function<std::int64_t()>& newest_chunk);

}  // namespace zarr_driver

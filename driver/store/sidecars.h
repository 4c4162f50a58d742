// SPDX-License-Identifier: MIT
// Sidecar files, which GDAL writes beside a store: metadata and statistics (".aux.xml"), overviews
// (".ovr") and masks (".msk") of stores that are not open for update.
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

namespace zarr_driver {

inline constexpr const char* kSidecarExtensions[] = {".aux.xml", ".ovr", ".msk"};

// Hidden metadata domain of an auxiliary file. Its items name the dataset to which the file
// belongs.
inline constexpr const char* kSidecarDomain = "ZARR_SIDECAR";
inline constexpr const char* kSidecarOwner = "OF";   // item with the DatasetId() of the owner
inline constexpr const char* kSidecarMask = "MASK";  // item that says that a mask exists
inline constexpr const char* kSidecarMadeFrom = "MADE_FROM";  // see SourceState

// Returns the id of a dataset within its store: "/node", or "/array:3:0" for a slice. Each open
// option that changes how the array appears adds "?OPTION=value".
std::string DatasetId(const std::string& node, const std::vector<std::uint64_t>& indices,
                      const OpenOptions& options);

// The auxiliary file "x.zarr.aux.xml" of the store "x.zarr".
struct AuxiliaryFile {
    bool is_local = false;  // the file's folder is local; false if not looked at
    bool is_there = false;
    std::optional<std::string> of;  // DatasetId() of the owner, if the file names one
};
// Loads the auxiliary file of the store at `store_path`. Takes one request if the store is remote.
// Returns an empty result for URLs with a query, for stores in /vsizip/, and if GDAL_PAM_ENABLED is
// NO.
AuxiliaryFile LoadAuxiliaryFile(const std::string& store_path);

// Loads the sidecar file at `path` from a server with one request. Returns false if the file is
// absent, if the request fails, or if no URL can express GDAL's options. `text` receives the
// contents and may be nullptr.
bool FetchSidecar(const std::string& path, zarr::Buffer* text);

// Returns the path, without its ending, of the sidecar files of the dataset `id`. `is_by_path` is
// true if the store was opened by its path alone. That dataset owns "x.zarr"; any other one owns a
// name such as "x.zarr@group.array@3". In these names '.' stands for '/' and '@' for ':'. Long ids
// get a digest, and so do ids with characters other than lower-case letters, digits, '-' and '_'.
// If the auxiliary file `plain` names its owner, only that dataset owns "x.zarr", however it is
// opened: a path alone may later open another dataset.
std::string SidecarBase(const std::string& store_path, const std::string& id, bool is_by_path,
                        const AuxiliaryFile& plain);

// DeleteSidecars() deletes, and RenameSidecars() renames, all sidecar files of the store at a path.
// Files that cannot be deleted or renamed stay.
void DeleteSidecars(const std::string& path);
void RenameSidecars(const std::string& from, const std::string& to);

// Copies a file within or between GDAL's file systems. Returns false on failure.
bool CopyFile(const std::string& source, const std::string& target);
// DeleteNodeSidecars() deletes, and RenameNodeSidecars() renames, the sidecar files of one node of
// a local store.
void DeleteNodeSidecars(const std::string& store_path, const std::string& node);
void RenameNodeSidecars(const std::string& store_path, const std::string& from,
                        const std::string& to);

// Copies the sidecar files of the store at `from` to the store at `to`. The error names the file
// that cannot be copied; files copied before stay.
zarr::Status CopySidecars(const std::string& from, const std::string& to);

// Removes from an auxiliary file the metadata items that the store itself has, `stored`, and the
// domain IMAGE_STRUCTURE. Copies of them would hide later changes of the store. Returns `tree`,
// which stays owned by the caller, or nullptr if nothing is left: then `tree` was destroyed. `tree`
// may be nullptr.
CPLXMLNode* RemoveStoredItems(CPLXMLNode* tree, const CPLStringList& stored);

// CRS of an array for the file "pam.aux.xml", in which GDAL's multidimensional API stores facts
// about arrays. GDAL's built-in driver reads the CRS there if it cannot read the store's own.
struct MultidimCrs {
    std::string path;     // path of the array
    std::string wkt;      // empty if the array has no CRS
    std::string mapping;  // GDAL's mapping of CRS axes to the array's dimensions: "2,1"
};
// Writes the CRSs of arrays into "pam.aux.xml" in the store. Removes the statistics of all arrays
// from the file: its new time of modification would make old statistics look current.
zarr::Status StoreMultidimCrs(zarr::Store& store, const std::vector<MultidimCrs>& arrays);

// Facts about an array in "pam.aux.xml", as GDAL's multidimensional API wrote them.
struct MultidimPam {
    std::string crs;           // WKT; empty without a CRS, or if StoreMultidimCrs() wrote it
    CPLStringList statistics;  // band items such as STATISTICS_MINIMUM; may be empty
};
// Loads the facts about the array at `path` from "pam.aux.xml". Returns an empty result for remote
// stores. `newest_chunk` returns when the array was last written, in nanoseconds since 1970.
// Statistics older than that are left out.
MultidimPam ReadMultidimPam(const std::string& store_path, const std::string& path,
                            const std::function<std::int64_t()>& newest_chunk);

}  // namespace zarr_driver

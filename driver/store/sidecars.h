// SPDX-License-Identifier: MIT
// Where the files lie that GDAL puts beside a store: statistics and what no attribute holds
// (".aux.xml"), overviews (".ovr") and a mask (".msk") of one that could not be changed.
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

inline constexpr const char* kSidecarEnds[] = {".aux.xml", ".ovr", ".msk"};

// The metadata domain of an auxiliary file that says what it is of; hidden from users.
inline constexpr const char* kSidecarDomain = "ZARR_SIDECAR";
inline constexpr const char* kSidecarOf = "OF";               // the dataset, see DatasetId()
inline constexpr const char* kSidecarMask = "MASK";           // that there is one
inline constexpr const char* kSidecarMadeFrom = "MADE_FROM";  // see SourceState

// One of the datasets that a store can be opened as: "/node", "/array:3:0", with "?OPTION=value"
// for each open option that shows an array in another way.
std::string DatasetId(const std::string& node, const std::vector<std::uint64_t>& indices,
                      const OpenOptions& options);

// The file "x.zarr.aux.xml" of a store.
struct PlainAuxiliary {
    bool is_local = false;  // where it would be; false where it was not looked at
    bool is_there = false;
    std::optional<std::string> of;  // the id of the dataset that it is of, where it says that
};
// Looks at it, with one request where the store is on a server; not where nothing could be found,
// or GDAL itself is to ask for it.
PlainAuxiliary LookAtPlainAuxiliary(const std::string& store_path);

// Asks a server for a file beside a store, with one request; false where it has none, or where GDAL
// itself is to ask. The contents go into `text`, which may be nullptr.
bool FetchSidecar(const std::string& path, zarr::Buffer* text);

// The path without its ending of the sidecars of a dataset that is opened. `is_by_path` tells that
// the store was opened by its path alone. That gives them the path itself, "x.zarr", and every
// other dataset "x.zarr@group.array@3": of letters, digits, '-' and '_' of its id, '/' as '.', ':'
// as '@'; of other ids a part and a digest. Where the plain auxiliary file says that it is of a
// dataset, that is so however it is opened, and no other has it: what opening the path gives may
// change.
std::string SidecarBase(const std::string& store_path, const std::string& id, bool is_by_path,
                        const PlainAuxiliary& plain);

// The files that GDAL puts beside a store, of all datasets in it.

// Remove, or rename with the store, the files beside it. What fails is left.
void RemoveBeside(const std::string& path);
void MoveBeside(const std::string& from, const std::string& to);

// Copies a file of GDAL's virtual file systems, also from one of them to another. False where that
// fails.
bool CopyFile(const std::string& source, const std::string& target);
// Remove, or rename with it, the files beside a store that are of one node in it.
void RemoveBesideNode(const std::string& store_path, const std::string& node);
void MoveBesideNode(const std::string& store_path, const std::string& from, const std::string& to);

// Copies the files beside a store to beside another. The error names the file that cannot be
// copied; those that were are left.
zarr::Status CopyBeside(const std::string& from, const std::string& to);

// What GDAL writes into the auxiliary file (".aux.xml") beside a store.

// Takes the metadata that the store itself says, `stored`, and the domain IMAGE_STRUCTURE out of
// what a dataset and its bands would write beside it: the copy would outlive what the store says,
// and hide what that becomes. `tree` is the
// caller's, and what is returned is, too: nullptr where nothing is left. nullptr stays nullptr.
CPLXMLNode* WithoutStored(CPLXMLNode* tree, const CPLStringList& stored);

// The CRS of an array for "pam.aux.xml", in which the multidimensional API of any driver keeps what
// it knows of arrays: GDAL's built-in driver finds it there where it does not know what the store
// says.
struct MultidimCrs {
    std::string path;     // of the array
    std::string wkt;      // empty: none
    std::string mapping;  // of its axes to the array's dimensions, as GDAL has it: "2,1"
};
// Statistics in the file go, as they are as old as it.
zarr::Status StoreMultidimCrs(zarr::Store& store, const std::vector<MultidimCrs>& arrays);

// What the multidimensional API of any driver has kept of an array, in "pam.aux.xml" in the store's
// folder.
struct MultidimPam {
    std::string crs;           // WKT; empty without, and where StoreMultidimCrs() has written it
    CPLStringList statistics;  // as items of a band, STATISTICS_MINIMUM and so on; may be empty
};
// Of the array at `path`, where that costs no requests; `newest_chunk`, in nanoseconds since 1970,
// is when the array was written last: statistics that are older are left out.
MultidimPam ReadMultidimPam(const std::string& store_path, const std::string& path,
                            const std::function<std::int64_t()>& newest_chunk);

}  // namespace zarr_driver

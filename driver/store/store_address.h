// SPDX-License-Identifier: MIT
// The grammar of the names that users of GDAL open, and of the paths of stores:
//
//   path
//   ZARR:path  or  ZARR:"path"
//   ICECHUNK:path  or  ICECHUNK:path?branch=name
//   ZARR:"path":/group/array
//   ZARR:"path":/array:3:0      index along each extra dimension, slowest first
//   ZARR:"path":/array:time=2020-07-01,z=2      slice by coordinates, see
//   driver/georef/slice_selection.h
//
// A path may be a URL: http://, https://, s3://, gs://, az:// or file://.
//
// An array whose name ends like an index needs a slash after the name: /array:3/ or /array:3/:0.
//
// The quotes may be left out if the path has no ":/" other than that of a drive letter or a URL.
// Quotes inside of the path need no escaping. Only a path with `":/` in it cannot be combined with
// a node.
//
// Paths of stores that GDAL's file systems show as folders:
//
//   /vsizip/x.zip/folder  or  /vsizip/{path}/folder
//   /vsiicechunk/{path}  or  /vsiicechunk/{path?branch=name}
//   /vsikerchunk_json_ref/{path}, /vsikerchunk_json_ref_cached/{path}
//   /vsikerchunk_parquet_ref/{path}
//
// This driver accepts these even if this version of GDAL lacks the file system. "/node" may follow
// the braces, except of /vsizip/, where a folder of the zip file follows them.
//
// Only this file and its source file know these texts. All others use the parts of a StoreAddress.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/references/icechunk_repository.h"
#include "driver/transport/store_path.h"

namespace zarr_driver {

struct StoreKind;

// What a name states beside the path of a store: a node, or a slice of an array.
struct StatedNode {
    bool has_node = false;               // the name states a node in the store
    std::string node;                    // normal form of the node's path; "" for the root
    std::vector<std::uint64_t> indices;  // indices of a slice
    std::string select;                  // selection such as "time=2020-07-01,z=2"; may be empty
};

// State of an Icechunk repository that a name selects.
struct RepositoryState {
    zarr::IcechunkSelection selection;
    // False if "ignore-timestamp-etag=yes" turns off the check that files with virtual chunks are
    // unchanged.
    bool checks_targets = true;
};

// What the prefix of a path says about the file or folder that the path contains.
enum class PathScheme : std::uint8_t { kNone, kIcechunk, kKerchunkJson, kKerchunkParquet };

// The path of a store with its parts, and a node in the store. As a StorePath and as a string, an
// address is the path that messages and the names of subdatasets state.
struct StoreAddress : StorePath, StatedNode {
    StoreAddress() = default;
    // Splits `path` into its parts and finds the store kind. Looks at a local file if the path is
    // named as a zip file or as Kerchunk references. Sends no request over a network.
    explicit StoreAddress(const StorePath& path);

    // True if the path is that of a zip file.
    bool IsZipFile() const { return !archive.empty() && !is_below_vsizip(); }
    const StorePath& path() const { return *this; }
    // Returns the zip file that holds the store, else the path of the store.
    const std::string& FileOrFolder() const { return archive.empty() ? text() : archive; }
    // Returns the address of a node, or of the node at `node_path`, in the same store.
    StoreAddress At(const StatedNode& stated) const;
    StoreAddress At(const std::string& node_path) const { return At({true, node_path, {}, {}}); }

    const StoreKind* store_kind = nullptr;  // first kind that recognises the path
    PathScheme scheme = PathScheme::kNone;
    // The document or folder of references, or the repository, that `scheme` shows as a folder. The
    // path itself if the scheme is kNone.
    StorePath container;
    std::string archive;  // path of the zip file that holds the store; empty if none does
    // Folder in the zip file; if nullopt, the zip file is searched for a store.
    std::optional<std::string> inner;
    RepositoryState state;  // for the scheme kIcechunk
    bool is_store = false;  // true if HoldsStore() is known to be true
};

// Returns the address of the Icechunk repository in `repository`: a folder, zip file or URL.
StoreAddress IcechunkAddress(const StorePath& repository, const RepositoryState& state = {});

// Returns the query part of a name, such as "?branch=name"; empty for the branch "main".
std::string QueryOf(const RepositoryState& state);

// Returns the address of the store in the folder `inner` of the zip file `archive`. If `inner` is
// empty, the zip file is searched for a store.
StoreAddress ZipAddress(const std::string& archive, const std::string& inner);

// Returns the path by which GDAL's own functions find the folder `inner` of a zip file, also of one
// whose name does not end in ".zip".
std::string ZipPathOfGdal(const std::string& archive, const std::string& inner);

// Extension of OME-Zarr in one zip file (RFC 9 of OME-NGFF).
inline constexpr const char* kOzxExtension = ".ozx";

// True if the name ends as those of zip files: ".zip" or kOzxExtension.
bool IsNamedAsZip(const std::string& path);

// True if the name ends in kOzxExtension.
bool IsOzx(const std::string& path);

// True if the name ends as those of zip files that hold a Zarr store: ".zarr.zip" or kOzxExtension.
bool IsNamedAsZippedStore(const std::string& path);

// A name, as a user has typed it.
struct ConnectionString : StatedNode {
    bool has_prefix = false;  // the name starts with "ZARR:" or "ICECHUNK:"
    StorePath path;           // path of the store, or of a document in it
};

// True if `name` starts with "ZARR:", in upper or lower case.
bool HasZarrPrefix(const std::string& name);

// Returns the scheme that the start of `name` shows, also for "ICECHUNK:", in upper or lower case.
PathScheme SchemeOf(const std::string& name);

// Parts of a name that starts with "ZARR:". Each part is spelled as the user has typed it.
struct ConnectionParts {
    std::string prefix;  // "ZARR", without the colon
    std::string path;    // path of the store, with its quotes
    std::string node;    // such as "/group/array:3"; empty if not stated
};

// Splits a name into its parts. Returns nullopt if `name` does not start with "ZARR:", or if a
// quote is not closed.
std::optional<ConnectionParts> SplitConnectionString(const std::string& name);

// Parses a name that a user opens. If the name does not start with "ZARR:", the whole name is a
// path. Looks at no file.
zarr::Result<ConnectionString> ParseConnectionString(const std::string& name);

// Returns ZARR:"path":/node, followed by ":index" for each of the `indices` of a slice.
std::string FormatConnectionString(const std::string& path, const std::string& node,
                                   const std::vector<std::uint64_t>& indices = {});

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
// The grammar of the names that users of GDAL open:
//
//   path
//   ZARR:path  or  ZARR:"path"
//   ICECHUNK:path  or  ICECHUNK:path?branch=name      see driver/store/icechunk_name.h
//   ZARR:"path":/group/array
//   ZARR:"path":/array:3:0      index along each extra dimension, slowest first
//   ZARR:"path":/array:time=2020-07-01,z=2      slice by coordinates, see driver/georef/selection.h
//
// A path may be a URL: http://, https://, s3://, gs://, az:// or file://.
//
// An array whose name ends like an index needs a slash after the name: /array:3/ or /array:3/:0.
//
// The quotes may be left out if the path has no ":/" other than that of a drive letter or a URL.
// Quotes inside of the path need no escaping. Only a path with `":/` in it cannot be combined with
// a node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"

namespace zarr_driver {

// A path in GDAL's file systems, with its kind. The constructor finds the kind by the first
// characters of the path. Only assignment changes an object.
class StorePath {
  public:
    enum class Kind : std::uint8_t {
        kLocal,        // a file or folder of this machine
        kMemory,       // /vsimem/
        kWebServer,    // /vsicurl/http://... and /vsicurl/https://...
        kObjectStore,  // /vsis3/, /vsigs/, /vsiaz/, /vsioss/, /vsiadls/, /vsiswift/
        kOther,        // any other file system of GDAL: /vsizip/, /vsitar/, ...
    };

    StorePath() = default;
    // `path` may be a URL: http://, https://, s3://, gs://, az:// or file://.
    StorePath(const std::string& path);  // NOLINT(google-explicit-constructor)
    StorePath(const char* path)
        : StorePath(std::string(path)) {}  // NOLINT(google-explicit-constructor)

    // Returns the path in the form that GDAL's file systems accept.
    const std::string& text() const { return text_; }
    operator const std::string&() const { return text_; }  // NOLINT(google-explicit-constructor)
    const char* c_str() const { return text_.c_str(); }

    Kind kind() const { return kind_; }
    // True for web servers and object stores, where each read sends a request over a network.
    bool is_remote() const { return kind_ == Kind::kWebServer || is_object_store(); }
    // True for object stores, which return listings and accept writes; false for web servers.
    bool is_object_store() const { return kind_ == Kind::kObjectStore; }

    // Returns the URL from which a GET request reads the file `key` of this remote folder. If `key`
    // is empty, returns the URL of the folder. A URL of a web server is percent-encoded and ends
    // with the folder's query. A URL of an object store is signed with GDAL's credentials for one
    // hour, for a request with the method `verb`. Returns nullopt if a URL cannot express GDAL's
    // options, and for paths that are not remote.
    std::optional<std::string> Url(const std::string& key = {}, const char* verb = "GET") const;

    // Returns a text with the GDAL options that select server, account and rights, and their
    // current values for this path. If two texts differ, the path may lead to different contents.
    // The text may hold passwords: never show it to users. Empty if no such option is set.
    std::string AccountOptions() const;

  private:
    std::string text_;
    Kind kind_ = Kind::kLocal;
};

// Removes the query of the URL `url` from the end of `path`, and returns the query. `path` is `url`
// or a path below it.
std::string TakeQuery(const StorePath& url, std::string& path);

// Returns the path of the file `key` in a folder. If the folder is a URL with a query, the query
// stays at the end.
std::string FileIn(const StorePath& folder, std::string_view key);

// Returns the folder that contains the file or folder at `path`, without resolving links. Returns
// "." for a name alone, and "/" for a name directly below the root.
std::string ContainingFolder(std::string_view path);

struct ConnectionString {
    bool has_prefix = false;             // the name starts with "ZARR:"
    StorePath path;                      // path of the store
    bool has_node = false;               // the name states a node in the store
    std::string node;                    // normal form of the node's path; "" for the root
    std::vector<std::uint64_t> indices;  // indices of a slice
    std::string select;                  // selection such as "time=2020-07-01,z=2"; may be empty
    bool is_store = false;  // true if IsStoreFolder(FolderOf(path)) is known to be true
};

// Prefixes of GDAL's file systems that show Kerchunk references in JSON as a folder. "{path}"
// follows the prefix. This driver accepts names with the prefixes even if this version of GDAL
// lacks the file systems.
inline constexpr const char* kKerchunkJsonPrefixes[] = {"/vsikerchunk_json_ref/",
                                                        "/vsikerchunk_json_ref_cached/"};
// Prefix of GDAL's file system that shows Kerchunk references in Parquet files as a folder.
inline constexpr const char* kKerchunkParquetPrefix = "/vsikerchunk_parquet_ref/";

// True if `name` starts with "ZARR:", in upper or lower case.
bool HasZarrPrefix(const std::string& name);

// True if `name` starts with "ICECHUNK:", in upper or lower case.
bool HasIcechunkPrefix(const std::string& name);

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
// path.
zarr::Result<ConnectionString> ParseConnectionString(const std::string& name);

// Returns ZARR:"path":/node, followed by ":index" for each of the `indices` of a slice.
std::string FormatConnectionString(const std::string& path, const std::string& node,
                                   const std::vector<std::uint64_t>& indices = {});

}  // namespace zarr_driver

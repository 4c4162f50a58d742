// SPDX-License-Identifier: MIT
// The grammar of the names that users of GDAL open:
//
//   path
//   ZARR:path  or  ZARR:"path"
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

// A path in GDAL's file systems, with its kind, which the constructor derives from the first
// characters. Only assignment changes it.
class StorePath {
  public:
    enum class Kind : std::uint8_t {
        kLocal,        // a file or folder of this machine
        kMemory,       // /vsimem/
        kWebServer,    // /vsicurl/http://... and https://
        kObjectStore,  // /vsis3/, /vsigs/, /vsiaz/, /vsioss/, /vsiadls/, /vsiswift/
        kOther,        // any other file system of GDAL: /vsizip/, /vsitar/, ...
    };

    StorePath() = default;
    // `path` may be a URL: http://, https://, s3://, gs://, az:// or file://.
    StorePath(const std::string& path);  // NOLINT(google-explicit-constructor)
    StorePath(const char* path)
        : StorePath(std::string(path)) {}  // NOLINT(google-explicit-constructor)

    // Returns the path as GDAL's file systems spell it.
    const std::string& text() const { return text_; }
    operator const std::string&() const { return text_; }  // NOLINT(google-explicit-constructor)
    const char* c_str() const { return text_.c_str(); }

    Kind kind() const { return kind_; }
    // True for web servers and object stores, where each request takes a round trip over a network.
    bool is_remote() const { return kind_ == Kind::kWebServer || is_object_store(); }
    // True for object stores, which return listings and accept writes.
    bool is_object_store() const { return kind_ == Kind::kObjectStore; }

    // Returns the URL from which a GET request reads the file `key` of this remote folder. An empty
    // `key` means the folder itself. URLs of a web server are percent-encoded and end with the
    // folder's query. URLs of an object store are signed with GDAL's credentials for one hour.
    // Returns nullopt if a URL cannot express GDAL's options, and for paths that are not remote.
    std::optional<std::string> Url(const std::string& key = {}) const;

    // Returns the GDAL options, with their current values for this path, that select server,
    // account and rights. Two different texts may mean two different contents of one path. Holds
    // passwords: never show the text to users. Empty if no such option is set.
    std::string AccountOptions() const;

  private:
    std::string text_;
    Kind kind_ = Kind::kLocal;
};

// Removes the query of a URL from the end of `path`, and returns it. `path` lies at or below `url`.
std::string TakeQuery(const StorePath& url, std::string& path);

// Returns the path of the file `key` in a folder. The query of a URL stays at the end.
std::string FileIn(const StorePath& folder, std::string_view key);

struct ConnectionString {
    bool has_prefix = false;             // starts with ZARR:
    StorePath path;                      // of the store
    bool has_node = false;               // names a node inside the store
    std::string node;                    // normal form, "" for the root
    std::vector<std::uint64_t> indices;  // indices of a slice
    std::string select;                  // selection such as "time=2020-07-01,z=2"; may be empty
    bool is_store = false;               // IsStoreFolder(FolderOf(path)) is known to be true
};

// Prefixes of GDAL's file systems that show references in JSON as a folder. "{path}" follows the
// prefix. Dataset names with them open without these file systems.
inline constexpr const char* kKerchunkJsonPrefixes[] = {"/vsikerchunk_json_ref/",
                                                        "/vsikerchunk_json_ref_cached/"};

// True if `name` starts with "ZARR:" in any case.
bool HasZarrPrefix(const std::string& name);

// The parts of a name that starts with "ZARR:", as the user typed them.
struct ConnectionParts {
    std::string prefix;  // "ZARR", without the colon
    std::string path;    // with its quotes
    std::string node;    // "/group/array:3"; empty without
};

// Returns nullopt if `name` does not start with "ZARR:", or if its quote is not closed.
std::optional<ConnectionParts> SplitConnectionString(const std::string& name);

// Parses a name that a user opens. A name without "ZARR:" is a path as a whole.
zarr::Result<ConnectionString> ParseConnectionString(const std::string& name);

// Returns ZARR:"path":/node, followed by ":index" for each of the `indices` of a slice.
std::string FormatConnectionString(const std::string& path, const std::string& node,
                                   const std::vector<std::uint64_t>& indices = {});

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
// The one grammar of the names that GDAL's users open:
//
//   path
//   ZARR:path  or  ZARR:"path"
//   ZARR:"path":/group/array
//   ZARR:"path":/array:3:0      index along each extra dimension, slowest first
//   ZARR:"path":/array:time=2020-07-01,z=2      a slice by names, see driver/georef/selection.h
//
// A path may be a URL: http://, https://, s3://, gs://, az:// or file://.
//
// A name that ends as if with an index needs a slash behind it: /array:3/ or /array:3/:0.
//
// The quotes may be left out where the path holds no ":/" of its own, a drive letter or the "://"
// of a URL aside. A quote in the path needs none before it; only a path that holds `":/` cannot be
// named with a node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"

namespace zarr_driver {

// A path of GDAL's file systems, with what its beginning says of it, found when it is made.
// Immutable but by assignment.
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

    // As GDAL's file systems spell it.
    const std::string& text() const { return text_; }
    operator const std::string&() const { return text_; }  // NOLINT(google-explicit-constructor)
    const char* c_str() const { return text_.c_str(); }

    Kind kind() const { return kind_; }
    // True for web servers and object stores, to which every request takes a while.
    bool is_remote() const { return kind_ == Kind::kWebServer || is_object_store(); }
    // True for object stores: they list what they have, and may be written to.
    bool is_object_store() const { return kind_ == Kind::kObjectStore; }

    // The URL that a GET reads the file `key` of this remote folder from, `key` being empty for the
    // folder itself: of a web server percent-encoded, with what the folder has after a "?" at the
    // end; of an object store signed with the credentials that GDAL finds, for an hour. nullopt
    // where GDAL's options ask for more than a URL can say, and for paths that are not remote.
    std::optional<std::string> Url(const std::string& key = {}) const;

    // GDAL's options, as they are set for the path now, that decide which server, account and
    // rights answer for it: two texts that differ may mean two contents of one path. It holds
    // passwords: not to be shown. Empty where none is set.
    std::string AccountOptions() const;

  private:
    std::string text_;
    Kind kind_ = Kind::kLocal;
};

// Removes the query of a URL from the end of `path`, a path at or below `url`, and returns it.
std::string TakeQuery(const StorePath& url, std::string& path);

// Returns the path of the file `key` in a folder. The query of a URL stays at the end.
std::string FileIn(const StorePath& folder, std::string_view key);

struct ConnectionString {
    bool has_prefix = false;             // starts with ZARR:
    StorePath path;                      // of the store
    bool has_node = false;               // names a node inside the store
    std::string node;                    // normal form, "" for the root
    std::vector<std::uint64_t> indices;  // of a slice
    std::string select;                  // "time=2020-07-01,z=2"; empty without
    bool is_store = false;  // FolderOf() the path is known to be one, by IsStoreFolder()
};

// True where `name` starts with "ZARR:" in any case.
bool HasZarrPrefix(const std::string& name);

// The parts of a name with the prefix, as they are written.
struct ConnectionParts {
    std::string prefix;  // "ZARR", without the colon
    std::string path;    // with its quotes
    std::string node;    // "/group/array:3"; empty without
};

// nullopt where `name` has no prefix, or its quote is not closed.
std::optional<ConnectionParts> SplitConnectionString(const std::string& name);

// Splits a name. Anything without the prefix is a path as a whole.
zarr::Result<ConnectionString> ParseConnectionString(const std::string& name);

// The name of a node: ZARR:"path":/node, with the indices of a slice.
std::string FormatConnectionString(const std::string& path, const std::string& node,
                                   const std::vector<std::uint64_t>& indices = {});

}  // namespace zarr_driver

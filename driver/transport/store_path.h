// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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
    // True if the path leads into a zip file through GDAL's file system /vsizip/. False for the
    // path of a zip file.
    bool is_below_vsizip() const { return is_below_vsizip_; }

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
    bool is_below_vsizip_ = false;
};

// Prefix of paths in GDAL's file system for members of zip files, in upper or lower case.
inline constexpr const char* kZipPrefix = "/vsizip/";

// Removes the query of the URL `url` from the end of `path`, and returns the query. `path` is `url`
// or a path below it.
std::string TakeQuery(const StorePath& url, std::string& path);

// Returns the path of the file `key` in a folder. If the folder is a URL with a query, the query
// stays at the end.
std::string FileIn(const StorePath& folder, std::string_view key);

// Returns the folder that contains the file or folder at `path`, without resolving links. Returns
// "." for a name alone, and "/" for a name directly below the root.
std::string ContainingFolder(std::string_view path);

}  // namespace zarr_driver

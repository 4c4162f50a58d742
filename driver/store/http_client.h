// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/store/link_estimate.h"

namespace zarr_driver {

struct ByteExtent {
    std::uint64_t offset = 0;
    std::size_t length = 0;    // in bytes; must be at least 1
    bool is_from_end = false;  // true: the last `length` bytes of the value, without `offset`
};

// Address of a value on a server. `url` is the URL that is requested. `path` is the value's path in
// GDAL's file systems, by which GDAL looks up path-specific options. `key` is the name of the value
// in error messages. The three strings must outlive this object.
struct RemoteValue {
    const std::string& url;
    const std::string& path;
    const std::string& key;
    // Additional lines of the request header, such as "If-Match: ...", separated by "\r\n".
    std::string headers = {};
    // Called if the server of `url`, on the host `host`, redirects to the host `other`. An error
    // becomes the result of the request. nullptr if all redirects are allowed.
    zarr::Status (*check_redirect)(const std::string& host, const std::string& other) = nullptr;
};

// Facts about a value that a server sends together with the bytes of the value.
struct ValueInfo {
    // Size of the whole value in bytes. 0 if the requested range lies outside of the value. nullopt
    // if unknown.
    std::optional<std::uint64_t> size;
    // Text that differs between versions of the value: the ETag, or else the time of modification
    // and the size. Empty if the server sends neither.
    std::string version;
    bool is_other_part = false;  // the fetch failed because the server sent another range
    // True if the server answered 412: the value does not meet a condition in RemoteValue::headers.
    // Fetch() returns false in this case.
    bool is_condition_unmet = false;
};

// Reads a value with one GET request over a persistent connection. GDAL's HTTP options apply. Its
// retry options, such as GDAL_HTTP_MAX_RETRY, may add requests. If `extent` is given, reads only
// that byte range, or fewer bytes if the value ends earlier. `info` receives facts about the value
// and may be nullptr. Thread-safe.
// Returns false if the server says that the value does not exist (404, 410). Returns kLimit if the
// answer has more than `limit` bytes, kPermission for 401 and 403, and kInvalidArgument for 400.
// Any other failure is kIo, and so is an answer with another range than `extent`.
zarr::Result<bool> Fetch(const RemoteValue& value, zarr::Buffer& bytes, std::size_t limit,
                         std::optional<ByteExtent> extent = {}, ValueInfo* info = nullptr);

// Returns the latency and bandwidth that this process has measured for the server of `path`, a path
// in GDAL's file systems. All paths of one server or bucket share one estimate. Thread-safe.
zarr::LinkEstimate& LinkTo(const std::string& path);

// A session of GDAL's HTTP client, borrowed for the lifetime of this object. A session keeps its
// connection open and serves one request at a time. Options that a request sets, credentials
// included, stay set in the session. A session is therefore reused only for an equal `purpose`, a
// text that names the server and the options. A forked child gets its own sessions, because
// processes cannot share a connection. Thread-safe.
class HttpSession {
  public:
    explicit HttpSession(const std::string& purpose);
    ~HttpSession();
    HttpSession(const HttpSession&) = delete;
    HttpSession& operator=(const HttpSession&) = delete;

    // Returns the name of the session, to be passed to CPLHTTPFetch() as the option PERSISTENT.
    const char* name() const { return name_.c_str(); }

  private:
    std::string purpose_;  // begins with the process id
    std::string name_;
};

}  // namespace zarr_driver

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
    std::size_t length = 0;    // at least 1
    bool is_from_end = false;  // the last `length` bytes; `offset` is not used
};

// Address of a value on a server. `url` is requested. `path` is the path in GDAL's file systems by
// which path-specific options are looked up. `key` begins the messages. All three are borrowed.
struct RemoteValue {
    const std::string& url;
    const std::string& path;
    const std::string& key;
    // Further lines of the request's header, such as "If-Match: ..."; joined by "\r\n".
    std::string headers = {};
};

// Facts about a value that a server sends beside its bytes.
struct ValueInfo {
    // bytes of the whole value; 0 if the requested range lies outside
    std::optional<std::uint64_t> size;
    // Text that differs between versions of the value: the ETag, else the time of modification and
    // the size. Empty if the server sends none of them.
    std::string version;
    bool is_other_part = false;  // the fetch failed because the server sent another range
    // True if the value does not meet a condition of RemoteValue::headers (412). Fetch() returns
    // false then.
    bool is_condition_unmet = false;
};

// Reads a value with one GET request over a persistent connection. GDAL_HTTP_MAX_RETRY and its
// companions may add requests. Returns false if the server says that the value does not exist (404,
// 410). With `extent` reads that range: fewer bytes if the value ends earlier, kIo if the server
// sends another range. A server without range support sends the whole value. `told` may be nullptr.
// Errors: kLimit if the answer has more than `limit` bytes, kPermission for 401 and 403,
// kInvalidArgument for 400, kIo for any other failure. Thread-safe. GDAL's HTTP options apply.
zarr::Result<bool> Fetch(const RemoteValue& value, zarr::Buffer& bytes, std::size_t limit,
                         std::optional<ByteExtent> extent = {}, ValueInfo* told = nullptr);

// Returns the latency and bandwidth that this process has measured for the server of `path`, a path
// in GDAL's file systems. All paths of one server or bucket share one estimate. Thread-safe.
zarr::LinkEstimate& LinkTo(const std::string& path);

// A session of GDAL's HTTP client, borrowed for the lifetime of this object. A session keeps its
// connection and serves one request at a time. Options that a request sets, credentials included,
// stay set in its session. `purpose` therefore names the server and the options: sessions are
// reused only for an equal `purpose`. A forked child gets sessions of its own, as processes cannot
// share a connection. Thread-safe.
class HttpSession {
  public:
    explicit HttpSession(const std::string& purpose);
    ~HttpSession();
    HttpSession(const HttpSession&) = delete;
    HttpSession& operator=(const HttpSession&) = delete;

    // Value for the option PERSISTENT of CPLHTTPFetch().
    const char* name() const { return name_.c_str(); }

  private:
    std::string purpose_;  // begins with the process id
    std::string name_;
};

}  // namespace zarr_driver

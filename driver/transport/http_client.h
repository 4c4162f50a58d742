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
    std::size_t length = 0;  // number of bytes; must be at least 1
    // True to select the last `length` bytes of the value; `offset` is then ignored.
    bool is_from_end = false;
};

// Address of a value on a server. The request goes to `url`. GDAL looks up path-specific options by
// `path`, the value's path in GDAL's file systems. Error messages name `key`. The three strings
// must outlive this object.
struct RemoteValue {
    const std::string& url;
    const std::string& path;
    const std::string& key;
    // Additional request headers, such as "If-Match: ...", separated by "\r\n".
    std::string headers = {};
    // Called if the server redirects a request from `host` to the host `other`. An error that it
    // returns becomes the result of the request. nullptr allows all redirects.
    zarr::Status (*check_redirect)(const std::string& host, const std::string& other) = nullptr;
};

// Properties of a value that a server's response states.
struct ValueInfo {
    // Size of the whole value in bytes; nullopt if unknown, and 0 if the requested range lies
    // outside of the value.
    std::optional<std::uint64_t> size;
    // Identifies the version of the value: its ETag, or else its modification time and size. Empty
    // if the server sends neither.
    std::string version;
    // True if Fetch() failed because the server sent another range than requested.
    bool is_other_part = false;
    // True if the server answered 412, because a condition in RemoteValue::headers is not met.
    // Fetch() then returns false.
    bool is_condition_unmet = false;
};

// Reads a value, or only the range `extent`, with a GET request over a persistent connection. Reads
// fewer bytes if the value ends earlier. GDAL's HTTP options apply; retry options such as
// GDAL_HTTP_MAX_RETRY may add requests. `info` may be nullptr. Thread-safe.
// Returns false if the value does not exist (404, 410). Returns kLimit if the answer has more than
// `limit` bytes, and kPermission for 401 and 403. Returns kInvalidArgument if an object store may
// have another address, and for 400 without a reason. Returns kIo for other failures, for an answer
// with another range than `extent`, and for an error that the answer describes despite its status.
zarr::Result<bool> Fetch(const RemoteValue& value, zarr::Buffer& bytes, std::size_t limit,
                         std::optional<ByteExtent> extent = {}, ValueInfo* info = nullptr);

// Answer to a request for one object.
struct ObjectAnswer {
    int status = 0;  // HTTP status
    std::string body;
    std::string error;               // what the server says about a failure, for messages
    std::string version;             // the ETag; empty if the server sends none
    std::optional<double> age = {};  // seconds since the last change, on the server's clock
};

// Sends a request with the method `verb` ("GET", "PUT" or "DELETE") for one small object. `body` is
// the object's new value in a PUT request. Returns the server's answer, whatever its status, of
// which requests are repeated by HttpRetry. Returns kIo if there is none. Thread-safe.
zarr::Result<ObjectAnswer> RequestObject(const RemoteValue& value, const char* verb,
                                         const std::string& body = {});

// Returns the latency and bandwidth that this process has measured for the server of `path`, a path
// in GDAL's file systems. All paths on one server or in one bucket share the measurement.
// Thread-safe.
zarr::LinkEstimate& LinkTo(const std::string& path);

// A session of GDAL's HTTP client, borrowed while this object exists. A session has one connection,
// serves one request at a time, and keeps options of earlier requests, such as credentials. It is
// therefore reused only for an equal `purpose`, a text that names server and options. A forked
// child gets sessions of its own. Thread-safe.
class HttpSession {
  public:
    explicit HttpSession(const std::string& purpose);
    ~HttpSession();
    HttpSession(const HttpSession&) = delete;
    HttpSession& operator=(const HttpSession&) = delete;

    // Returns the session's name, the value of CPLHTTPFetch()'s option PERSISTENT.
    const char* name() const { return name_.c_str(); }

  private:
    std::string purpose_;  // server and options of the session, after the process id
    std::string name_;
};

}  // namespace zarr_driver

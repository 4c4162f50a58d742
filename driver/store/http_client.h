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
    std::size_t length = 0;    // 1 or more
    bool is_from_end = false;  // the last bytes, and `offset` does not count
};

// Where a value lies: its URL, the path of GDAL's virtual file systems that options for it are set
// by, and its key, which messages start with. Borrowed.
struct RemoteValue {
    const std::string& url;
    const std::string& path;
    const std::string& key;
};

// What a server tells of a value beside its bytes.
struct ToldOfValue {
    std::optional<std::uint64_t> size;  // of the whole value; 0 where it has no such part
    // Another text for another value, as far as the server tells: by its ETag, else by the time of
    // modification and the size. Empty where it tells nothing.
    std::string version;
    bool is_other_part = false;  // the error is that the server sent a part that was not asked for
};

// Reads a value in one request (and those that GDAL_HTTP_MAX_RETRY and the like allow), over a
// connection that is kept for the next. False where the server says that there is nothing (404,
// 410). With `extent` that part; fewer bytes where it ends before, and kIo where the server sends
// another one. A server that knows no ranges sends all. `told` may be nullptr. More than `limit`
// bytes of an answer are a kLimit error, a refusal (401, 403) kPermission, a request that the
// server does not understand (400) kInvalidArgument, any other failure kIo. Thread-safe; GDAL's
// options for HTTP hold.
zarr::Result<bool> Fetch(const RemoteValue& value, zarr::Buffer& bytes, std::size_t limit,
                         std::optional<ByteExtent> extent = {}, ToldOfValue* told = nullptr);

// What the requests of this process have shown of the way to the server that a path of GDAL's
// virtual file systems leads to; the same for all paths of a server or bucket. Thread-safe.
zarr::LinkEstimate& LinkTo(const std::string& path);

// A session of GDAL's HTTP client, which keeps its connection and serves one request at a time;
// lent until this is destroyed. What a request sets, credentials too, stays set in its session, so
// that sessions serve one purpose: all requests with the same purpose are to the same server and
// with the same options. A forked child has sessions of its own, as a connection cannot be shared.
// Thread-safe.
class HttpSession {
  public:
    explicit HttpSession(const std::string& purpose);
    ~HttpSession();
    HttpSession(const HttpSession&) = delete;
    HttpSession& operator=(const HttpSession&) = delete;

    // For the option PERSISTENT of CPLHTTPFetch().
    const char* name() const { return name_.c_str(); }

  private:
    std::string purpose_;  // with the process
    std::string name_;
};

}  // namespace zarr_driver

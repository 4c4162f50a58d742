// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace zarr_driver {

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

// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_http.h>

#include <string>

namespace zarr_driver {

// Decides whether a failed HTTP request is repeated, by GDAL's options for a path.
// GDAL_HTTP_MAX_RETRY is the maximum number of repetitions (default 0). A request is repeated after
// the statuses 429, 502, 503 and 504, and after a failed connection. GDAL_HTTP_RETRY_CODES replaces
// this list of statuses by numbers separated by commas, or by ALL. The first wait takes
// GDAL_HTTP_RETRY_DELAY seconds (default 30). Each further wait takes twice as long as the wait
// before. A Retry-After header of the server can lengthen a wait up to kLongestWait. If the server
// asks for a longer wait, the request is not repeated.
//
// GDAL's own client retries in the same cases, but ignores Retry-After.
class HttpRetry {
  public:
    explicit HttpRetry(const std::string& path);

    // Waits and returns true if the request must be repeated; else returns false at once. `status`
    // is the HTTP status of `answer` if it is an error status, else 0.
    bool WaitFor(const CPLHTTPResult& answer, int status);

    static constexpr double kLongestWait = 300;  // seconds

  private:
    bool IsWorthwhile(const CPLHTTPResult& answer, int status) const;

    int left_;
    double delay_;  // seconds
    std::string codes_;
};

}  // namespace zarr_driver

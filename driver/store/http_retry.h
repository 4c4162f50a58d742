// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_http.h>

#include <string>

namespace zarr_driver {

// When a failed request is made again, by GDAL's options for a path: GDAL_HTTP_MAX_RETRY times at
// most (by default never), after answers 429, 502, 503 and 504, or those of GDAL_HTTP_RETRY_CODES
// (numbers with commas between them, or ALL), and where the connection fails. The first wait is
// GDAL_HTTP_RETRY_DELAY seconds (30), each further one twice as long; longer where the server's
// header Retry-After says so, up to kLongestWait.
//
// GDAL's own client does the same, but for Retry-After. Of one request.
class HttpRetry {
  public:
    explicit HttpRetry(const std::string& path);

    // Whether a request is to be made again after an answer, whose HTTP status is `status`, or 0
    // for none that is an error. Waits before that.
    bool WaitFor(const CPLHTTPResult& answer, int status);

    static constexpr double kLongestWait = 300;  // seconds

  private:
    bool IsWorthwhile(const CPLHTTPResult& answer, int status) const;

    int left_;
    double delay_;  // seconds
    std::string codes_;
};

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_http.h>

#include <optional>
#include <string>

namespace zarr_driver {

// Decides whether a failed request is repeated, by GDAL's options for a path, and waits before the
// repetition. The own HTTP client uses it, and so do requests of GDAL's client, whose repetitions
// are switched off (GdalRetriesOff).
//
// GDAL_HTTP_MAX_RETRY is the maximum number of repetitions. A request is repeated after the
// statuses 429, 500, 502, 503 and 504, after S3's error RequestTimeout, and after a failed
// connection. GDAL_HTTP_RETRY_CODES replaces this list of statuses by numbers separated by commas,
// or by ALL. The first wait takes GDAL_HTTP_RETRY_DELAY seconds. Each further wait takes twice as
// long as the wait before. A Retry-After header of the server can lengthen a wait up to
// kLongestWait. If the server asks for a longer wait, the request is not repeated.
//
// If GDAL_HTTP_MAX_RETRY is not set, a request is repeated kRepetitions times. A server that cannot
// be reached at all is then not asked again.
class HttpRetry {
  public:
    explicit HttpRetry(const std::string& path);

    // Waits and returns true if the request must be repeated; else returns false at once. `status`
    // is the HTTP status of `answer` if it is an error status, else 0. `code` is the server's name
    // of the error, such as "SlowDown"; empty if unknown.
    bool WaitFor(const CPLHTTPResult& answer, int status, const std::string& code);
    // Waits like the function above, for a request of GDAL's client that failed with `message`.
    // `status` is 0 if the connection failed, and nullopt if GDAL hides what happened, in which
    // case the request is repeated.
    bool WaitFor(std::optional<int> status, const std::string& message);

    static constexpr double kLongestWait = 300;  // seconds
    static constexpr int kRepetitions = 4;
    static constexpr const char* kFirstWait = "0.25";  // seconds

  private:
    bool IsWorthwhile(int status) const;
    bool IsWorthwhile(const CPLHTTPResult& answer, int status, const std::string& code) const;
    bool Wait(double least);

    bool is_set_;  // true if GDAL_HTTP_MAX_RETRY is set
    int left_;
    double delay_;  // seconds
    std::string codes_;
};

// Switches off the repetitions of GDAL's HTTP client on this thread during its lifetime, because
// HttpRetry decides about repetitions.
class GdalRetriesOff {
  public:
    GdalRetriesOff();
    ~GdalRetriesOff();
    GdalRetriesOff(const GdalRetriesOff&) = delete;
    GdalRetriesOff& operator=(const GdalRetriesOff&) = delete;

  private:
    std::optional<std::string> before_;  // the thread's own value of the option
};

}  // namespace zarr_driver

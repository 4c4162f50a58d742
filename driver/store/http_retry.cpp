// SPDX-License-Identifier: MIT
#include "driver/store/http_retry.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_time.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <thread>

namespace zarr_driver {

namespace {

// Error numbers of curl after which repeating the request may succeed. Meanings: server not found
// or not reached, answer truncated, timeout, TLS failure, no answer, send or receive failure,
// broken HTTP/2 stream.
constexpr int kTransientErrors[] = {5, 6, 7, 18, 28, 35, 52, 55, 56, 92};

// Returns how many seconds the server asks the client to wait, in the header Retry-After (RFC
// 9110). The header has a number of seconds or a date.
std::optional<double> RetryAfter(const CPLHTTPResult& answer) {
    const char* const text = CSLFetchNameValue(answer.papszHeaders, "Retry-After");
    if (text == nullptr) return std::nullopt;
    char* end = nullptr;
    const double seconds = CPLStrtod(text, &end);
    if (end != text) return seconds;
    std::tm when = {};
    int zone = 0;
    if (!CPLParseRFC822DateTime(text, &when.tm_year, &when.tm_mon, &when.tm_mday, &when.tm_hour,
                                &when.tm_min, &when.tm_sec, &zone, nullptr))
        return std::nullopt;
    when.tm_year -= 1900;
    when.tm_mon -= 1;
    return static_cast<double>(CPLYMDHMSToUnixTime(&when)) -
           static_cast<double>(std::time(nullptr));
}

}  // namespace

HttpRetry::HttpRetry(const std::string& path) {
    const auto option = [&](const char* name, const char* otherwise) {
        return VSIGetPathSpecificOption(path.c_str(), name, otherwise);
    };
    left_ = std::atoi(option("GDAL_HTTP_MAX_RETRY", "0"));
    delay_ = std::max(0.0, CPLAtof(option("GDAL_HTTP_RETRY_DELAY", "30")));
    codes_ = option("GDAL_HTTP_RETRY_CODES", "429,502,503,504");
}

bool HttpRetry::IsWorthwhile(const CPLHTTPResult& answer, int status) const {
    if (status == 0)
        return std::find(std::begin(kTransientErrors), std::end(kTransientErrors),
                         answer.nStatus) != std::end(kTransientErrors);
    if (EQUAL(codes_.c_str(), "ALL")) return status >= 400;
    const CPLStringList codes(CSLTokenizeString2(codes_.c_str(), ", ", 0));
    return codes.FindString(std::to_string(status).c_str()) >= 0;
}

bool HttpRetry::WaitFor(const CPLHTTPResult& answer, int status) {
    if (left_ <= 0 || !IsWorthwhile(answer, status)) return false;
    --left_;
    const double wait = std::max(delay_, RetryAfter(answer).value_or(0));
    // If the server asks for a wait above the maximum, the request is not repeated. After the
    // maximum wait, it would still be too early.
    if (wait > kLongestWait && wait > delay_) return false;
    std::this_thread::sleep_for(std::chrono::duration<double>(wait));
    delay_ *= 2;
    return true;
}

}  // namespace zarr_driver

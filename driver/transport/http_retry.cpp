// SPDX-License-Identifier: MIT
#include "driver/transport/http_retry.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_time.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string_view>
#include <thread>

namespace zarr_driver {

namespace {

constexpr const char* kMaxRetry = "GDAL_HTTP_MAX_RETRY";

// Error numbers of curl after which repeating the request may succeed. Meanings of the first list:
// answer truncated, no answer, send or receive failure, broken HTTP/2 stream. Of the second list:
// server not found or not reached, timeout, TLS failure.
constexpr int kBrokenConnection[] = {18, 52, 55, 56, 92};
constexpr int kUnreachable[] = {5, 6, 7, 28, 35};

// Parts of curl's messages for errors 5, 6 and 7 in its several versions, because GDAL's client
// tells no numbers.
constexpr const char* kUnreachableTexts[] = {"Could not resolve ", "Couldn't resolve ",
                                             "Failed to connect", "Could not connect",
                                             "Couldn't connect"};

// Errors of object stores that repeating may mend, whatever their status, which may be 400 or 200.
constexpr std::string_view kTransientCodes[] = {"RequestTimeout", "InternalError", "SlowDown",
                                                "ServiceUnavailable", "ServerBusy"};

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
    const char* const most = option(kMaxRetry, nullptr);
    is_set_ = most != nullptr;
    left_ = is_set_ ? std::atoi(most) : kRepetitions;
    delay_ = std::max(0.0, CPLAtof(option("GDAL_HTTP_RETRY_DELAY", kFirstWait)));
    codes_ = option("GDAL_HTTP_RETRY_CODES", "429,500,502,503,504");
}

bool HttpRetry::IsWorthwhile(int status) const {
    if (EQUAL(codes_.c_str(), "ALL")) return status >= 400;
    const CPLStringList codes(CSLTokenizeString2(codes_.c_str(), ", ", 0));
    return codes.FindString(std::to_string(status).c_str()) >= 0;
}

bool HttpRetry::IsWorthwhile(const CPLHTTPResult& answer, int status,
                             const std::string& code) const {
    const auto holds = [&](const auto& errors) {
        return std::find(std::begin(errors), std::end(errors), answer.nStatus) != std::end(errors);
    };
    const std::string_view name = code;
    if (std::find(std::begin(kTransientCodes), std::end(kTransientCodes), name) !=
        std::end(kTransientCodes))
        return true;
    if (status != 0) return IsWorthwhile(status);
    // If curl itself has repeated a request on a new connection, the error of the old connection
    // stays in GDAL's result, and hides the status.
    if (answer.nStatus == 0) return answer.pszErrBuf != nullptr;
    return holds(kBrokenConnection) || (is_set_ && holds(kUnreachable));
}

bool HttpRetry::Wait(double least) {
    const double wait = std::max(delay_, least);
    // If the server asks for a wait above the maximum, the request is not repeated. After the
    // maximum wait, it would still be too early.
    if (left_ <= 0 || (wait > kLongestWait && wait > delay_)) return false;
    --left_;
    std::this_thread::sleep_for(std::chrono::duration<double>(wait));
    delay_ *= 2;
    return true;
}

bool HttpRetry::WaitFor(const CPLHTTPResult& answer, int status, const std::string& code) {
    return IsWorthwhile(answer, status, code) && Wait(RetryAfter(answer).value_or(0));
}

bool HttpRetry::WaitFor(std::optional<int> status, const std::string& message) {
    const bool is_unreachable =
        std::any_of(std::begin(kUnreachableTexts), std::end(kUnreachableTexts),
                    [&](const char* text) { return message.find(text) != std::string::npos; });
    if (is_unreachable && !is_set_) return false;
    return (!status || *status == 0 || IsWorthwhile(*status)) && Wait(0);
}

GdalRetriesOff::GdalRetriesOff() {
    if (const char* const own = CPLGetThreadLocalConfigOption(kMaxRetry, nullptr)) before_ = own;
    CPLSetThreadLocalConfigOption(kMaxRetry, "0");
}

GdalRetriesOff::~GdalRetriesOff() {
    CPLSetThreadLocalConfigOption(kMaxRetry, before_ ? before_->c_str() : nullptr);
}

}  // namespace zarr_driver

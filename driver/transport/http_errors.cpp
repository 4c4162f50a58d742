// SPDX-License-Identifier: MIT
#include "driver/transport/http_errors.h"

#include <cpl_error.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <cpl_vsi_error.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "core/base/bytes.h"
#include "core/base/text.h"
#include "driver/base/gdal_errors.h"
#include "driver/transport/http_client.h"
#include "driver/transport/http_retry.h"
#include "driver/transport/store_path.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// Returns the text of the first element `name` of an XML document; empty if there is none.
std::string_view ElementText(std::string_view xml, const std::string& name) {
    const std::string start = "<" + name + ">";
    const std::size_t begin = xml.find(start);
    if (begin == std::string_view::npos) return {};
    const std::size_t end = xml.find("</" + name + ">", begin);
    if (end == std::string_view::npos) return {};
    return xml.substr(begin + start.size(), end - begin - start.size());
}

// Returns the first line of a server's text without characters that would disturb a terminal.
std::string Line(std::string_view text) {
    constexpr std::size_t kLongest = 200;
    std::string line = zarr::ReplaceInvalidUtf8(text.substr(0, text.find_first_of("\r\n")));
    line.erase(
        std::remove_if(line.begin(), line.end(),
                       [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; }),
        line.end());
    return zarr::Shortened(line, kLongest);
}

// Numbers of GDAL's errors of object stores, whose names differ between GDAL's versions.
constexpr int kBucketNotFound = 7;
constexpr int kObjectNotFound = 8;
constexpr int kRefusals[] = {6, 9, 10};  // access denied, invalid credentials, wrong signature

}  // namespace

std::optional<int> HttpStatusIn(const std::string& message) {
    for (const std::string_view text :
         {"HTTP response code: ", "response_code=", "HTTP error code : ", "cannot read: HTTP "}) {
        const std::size_t at = message.find(text);
        if (at != std::string::npos) return std::atoi(message.c_str() + at + text.size());
    }
    constexpr std::string_view kOnUrl = "HTTP response code on ";
    const std::size_t at = message.find(kOnUrl);
    const std::size_t number = message.rfind(": ");
    if (at != std::string::npos && number != std::string::npos && number > at)
        return std::atoi(message.c_str() + number + 2);
    return message.find("CURL error") != std::string::npos ? std::optional(0) : std::nullopt;
}

bool ServerError::IsRedirect() const {
    constexpr std::string_view kCodes[] = {"PermanentRedirect",
                                           "TemporaryRedirect",
                                           "Redirect",
                                           "AuthorizationHeaderMalformed",
                                           "AuthorizationQueryParametersError",
                                           "IllegalLocationConstraintException"};
    return std::find(std::begin(kCodes), std::end(kCodes), code) != std::end(kCodes);
}

ServerError ParseServerError(std::string_view body) {
    constexpr std::size_t kMostBefore = 200;  // bytes before the element: declaration and comments
    const std::size_t mark = body.find_first_not_of(" \r\n\t\xEF\xBB\xBF");
    if (mark == std::string_view::npos || body[mark] != '<') return {};
    const std::size_t error = std::min(body.find("<Error>"), body.find("<Error "));
    // This is also true if no element was found, because npos is the greatest number.
    if (error > kMostBefore) return {};
    const std::string_view document = body.substr(error, 8192);
    return {Line(ElementText(document, "Code")), Line(ElementText(document, "Message"))};
}

Status HttpFailure(const std::string& key, int status, const ServerError& error,
                   const std::string& otherwise) {
    std::string text = otherwise;
    if (!error.code.empty() || !error.message.empty()) {
        text = "HTTP " + std::to_string(status);
        if (!error.code.empty()) text += " " + error.code;
        if (!error.message.empty()) text += ": " + error.message;
    }
    std::string message = (key.empty() ? "" : key + ": ") + "cannot read: " + text;
    return status == kHttpUnauthorized || status == kHttpForbidden
               ? Status::Permission(std::move(message))
               : Status::Io(std::move(message));
}

namespace {

// Returns whether an object exists, according to an answer of the server that GDAL does not
// understand, such as 404 with a text that is no XML. Returns nullopt for every other answer, and
// for paths that are not in object stores.
std::optional<bool> AskServer(const std::string& path, const std::string& key) {
    const StorePath place(path);
    const auto url = place.is_object_store() ? place.Url() : std::nullopt;
    if (!url) return std::nullopt;
    zarr::Buffer first;
    const auto found = Fetch({*url, path, key}, first, 1, ByteExtent{0, 1});
    if (found.ok()) return *found;
    return found.status().code() == zarr::StatusCode::kLimit ? std::optional(true) : std::nullopt;
}

// Returns the HTTP status that GDAL's error, warning and message tell; nullopt if they tell none.
std::optional<int> StatusOfGdal(int error, const std::string& warning, const std::string& message) {
    if (const auto status = HttpStatusIn(warning)) return status;
    if (const auto status = HttpStatusIn(message)) return status;
    // GDAL keeps quiet about the statuses 400 and 404, but tells them apart.
    if (error == kObjectNotFound || error == kBucketNotFound) return kHttpNotFound;
    const bool is_refusal =
        std::find(std::begin(kRefusals), std::end(kRefusals), error) != std::end(kRefusals);
    return is_refusal ? std::optional<int>(kHttpForbidden) : std::nullopt;
}

}  // namespace

Result<std::optional<bool>> AskGdal(const std::string& path, const std::string& key) {
    HttpRetry retry(path);
    const GdalRetriesOff off;
    while (true) {
        const QuietErrors quiet;
        VSIErrorReset();
        const CPLStringList headers(VSIGetFileMetadata(path.c_str(), "HEADERS", nullptr));
        const int error = VSIGetLastErrorNo();
        const std::string message = VSIGetLastErrorMsg();
        const std::string warning = QuietErrors::Message();
        if (!headers.empty()) return std::optional(true);
        // GDAL returns no headers for an empty object.
        if (error == VSIE_None && warning.empty())
            return StorePath(path).is_remote() ? std::optional(true) : std::nullopt;
        std::optional<int> status = StatusOfGdal(error, warning, message);
        if (!status) {
            const std::optional<bool> exists = AskServer(path, key);
            if (exists) return exists;
            status = kHttpBadRequest;
        }
        if (*status == kHttpNotFound || *status == kHttpGone) return std::optional(false);
        if (retry.WaitFor(status, std::string(warning).append("\n").append(message))) continue;
        const bool is_described = HttpStatusIn(message) == std::nullopt && !message.empty();
        return HttpFailure(key, *status, {"", is_described ? Line(message) : ""},
                           message.empty() ? warning : message);
    }
}

}  // namespace zarr_driver

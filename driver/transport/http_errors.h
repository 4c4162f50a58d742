// SPDX-License-Identifier: MIT
// Errors that servers and the HTTP client of GDAL report for failed requests.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/status.h"

namespace zarr_driver {

constexpr int kHttpOk = 200;
constexpr int kHttpBadRequest = 400;
constexpr int kHttpUnauthorized = 401;
constexpr int kHttpForbidden = 403;
constexpr int kHttpNotFound = 404;
constexpr int kHttpGone = 410;

// Error that an object store describes in the XML document of its answer.
struct ServerError {
    std::string code;     // such as "ExpiredToken"; empty if the answer has no such document
    std::string message;  // one line for the user; may be empty

    // True if the object store says that the bucket has another address or region, which GDAL's
    // file systems find by themselves.
    bool IsRedirect() const;
};

// Returns the error that the body of an answer describes, whatever the status of the answer.
ServerError ParseServerError(std::string_view body);

// Returns the error for a failed request for `key`: "key: cannot read: HTTP 400 ExpiredToken: The
// provided token has expired.". `otherwise` is the text after "cannot read: " if the server
// describes no error. Returns kPermission for 401 and 403, and kIo for other failures.
zarr::Status HttpFailure(const std::string& key, int status, const ServerError& error,
                         const std::string& otherwise);

// Returns the HTTP status that a message of GDAL's HTTP client or of HttpFailure() names; nullopt
// if it names none. 0 means that the connection failed.
std::optional<int> HttpStatusIn(const std::string& message);

// Sends one request for the remote file `path` through GDAL's HTTP client, and repeats it by
// HttpRetry. Returns true if the file exists, and false only if the server says that it is absent
// (404, 410). Other answers are errors that begin with `key`. Returns nullopt for a file system
// whose answers GDAL does not show, such as an archive.
//
// Functions such as VSIStatExL() return "absent" after every failure.
zarr::Result<std::optional<bool>> AskGdal(const std::string& path, const std::string& key);

}  // namespace zarr_driver

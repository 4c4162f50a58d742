// SPDX-License-Identifier: MIT
#include "driver/transport/access_refusal.h"

#include <cpl_http.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <cpl_vsi_error.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/metadata/documents.h"
#include "driver/base/debug_log.h"
#include "driver/base/gdal_errors.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Status;

namespace {

// Maximum number of bytes that are read of the server's answer.
constexpr std::size_t kMaxAnswer = 4096;

size_t Collect(void* data, size_t size, size_t count, void* text) {
    auto& answer = *static_cast<std::string*>(text);
    const std::size_t wanted = std::min(size * count, kMaxAnswer - answer.size());
    answer.append(static_cast<const char*>(data), wanted);
    return wanted;  // fewer bytes than given end the request
}

// Returns the text of the XML element `name` with printable characters alone. Empty if absent.
std::string TextOfElement(const std::string& answer, const std::string& name) {
    const std::size_t start = answer.find("<" + name + ">");
    if (start == std::string::npos) return {};
    const std::size_t begin = start + name.size() + 2;
    std::string text = answer.substr(begin, answer.find("</", begin) - begin);
    for (char& c : text)
        if (c < ' ' || c > '~') c = ' ';
    constexpr std::size_t kLongest = 200;
    return text.substr(0, kLongest);
}

// Returns what the server answers to a request for a document of the store, if that is a refusal.
std::string RefusalOfServer(const std::string& url) {
    CPLStringList options;
    options.SetNameValue("TIMEOUT", "30");
    std::string answer;
    struct Destroy {
        void operator()(CPLHTTPResult* result) const { CPLHTTPDestroyResult(result); }
    };
    const std::unique_ptr<CPLHTTPResult, Destroy> result(
        CPLHTTPFetchEx(url.c_str(), options.List(), nullptr, nullptr, Collect, &answer));
    if (result == nullptr || answer.find("<Error>") == std::string::npos) return {};
    const std::string code = TextOfElement(answer, "Code");
    for (const char* const absent : {"NoSuchKey", "BlobNotFound", "ResourceNotFound"})
        if (code == absent) return {};
    const std::string message = TextOfElement(answer, "Message");
    return message.empty() || code.empty() ? code + message : code + ": " + message;
}

// Returns what GDAL says about the credentials with which it would send requests.
std::string RefusalOfGdal(const std::string& path) {
    ForgetCached(path);
    VSIErrorReset();
    VSIStatBufL stat;
    constexpr int kObjectNotFound = 8;  // its name in GDAL's header differs between versions
    if (VSIStatExL(path.c_str(), &stat, VSI_STAT_EXISTS_FLAG | VSI_STAT_SET_ERROR_FLAG) == 0 ||
        VSIGetLastErrorNo() == kObjectNotFound)
        return {};
    return VSIGetLastErrorNo() != 0 ? VSIGetLastErrorMsg() : "";
}

// Returns the options of GDAL that give credentials for the folder.
const char* OptionsFor(const std::string& folder) {
    struct Row {
        const char* prefix;
        const char* options;
    };
    static constexpr Row kRows[] = {
        {"/vsis3",
         "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_NO_SIGN_REQUEST=YES for a public "
         "store"},
        {"/vsigs",
         "GS_ACCESS_KEY_ID and GS_SECRET_ACCESS_KEY, or GS_NO_SIGN_REQUEST=YES for a public store"},
        {"/vsiaz",
         "AZURE_STORAGE_CONNECTION_STRING, or AZURE_NO_SIGN_REQUEST=YES for a public store"},
        {"/vsiadls",
         "AZURE_STORAGE_CONNECTION_STRING, or AZURE_NO_SIGN_REQUEST=YES for a public store"},
        {"/vsioss", "OSS_ACCESS_KEY_ID and OSS_SECRET_ACCESS_KEY"},
    };
    for (const Row& row : kRows)
        if (STARTS_WITH(folder.c_str(), row.prefix)) return row.options;
    return "those of GDAL for this object store";
}

}  // namespace

Status WithRefusal(const StorePath& folder, Status failure) {
    const zarr::StatusCode code = failure.code();
    const bool may_be_refusal =
        code == zarr::StatusCode::kNotFound || code == zarr::StatusCode::kIo ||
        code == zarr::StatusCode::kPermission || code == zarr::StatusCode::kUnsupported;
    if (!folder.is_object_store() || !may_be_refusal || failure.message().empty()) return failure;
    constexpr const char* kOptions = " (options for access: ";
    if (failure.message().find(kOptions) != std::string::npos) return failure;
    const QuietErrors quiet;
    const auto url = folder.Url(std::string(zarr::kV3Document));
    const std::string path = FileIn(folder, zarr::kV3Document);
    std::string refusal;
    static_cast<void>(Logged("GET", path, {}, [&]() -> zarr::Result<bool> {
        refusal = url ? RefusalOfServer(*url) : RefusalOfGdal(path);
        return refusal.empty();
    }));
    if (refusal.empty()) return failure;
    const std::string reason = (url ? "the server says " : "GDAL says ") + refusal + kOptions +
                               OptionsFor(folder.text()) + ")";
    // Without credentials GDAL has sent no request, and the failure repeats its words.
    if (!url && failure.message().find(refusal.substr(0, 40)) != std::string::npos)
        return {code, reason};
    // The store may exist, because nobody was allowed to look.
    if (code == zarr::StatusCode::kNotFound) return Status::Permission("cannot be read: " + reason);
    return {code, failure.message() + "; " + reason};
}

}  // namespace zarr_driver

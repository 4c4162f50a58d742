// SPDX-License-Identifier: MIT
#include "driver/http_fetch.h"

#include <cpl_http.h>
#include <cpl_multiproc.h>
#include <cpl_string.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include "core/store/store.h"
#include "driver/report.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

constexpr const char* kPrefix = "/vsicurl/";

bool IsUnreserved(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._~/").find(c) != std::string_view::npos;
}

void AppendEncoded(std::string& url, char c) {
    constexpr char kDigits[] = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    url += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
}

// A session of GDAL's HTTP client keeps its connection, and serves one request at a time. Names of
// sessions, lent to one thread at a time, and different in a forked child, as a connection cannot
// be shared with it.
class Session {
  public:
    Session() {
        const std::lock_guard<std::mutex> lock(Mutex());
        auto& idle = Idle();
        const auto process = CPLGetCurrentProcessID();
        const auto own = std::find_if(idle.begin(), idle.end(),
                                      [&](const Name& name) { return name.process == process; });
        if (own != idle.end()) {
            name_ = *own;
            idle.erase(own);
            return;
        }
        static std::uint64_t next = 0;
        name_ = {process, "zarr-" + std::to_string(process) + "-" + std::to_string(next++)};
    }
    ~Session() {
        const std::lock_guard<std::mutex> lock(Mutex());
        Idle().push_back(name_);
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    const char* name() const { return name_.text.c_str(); }

  private:
    struct Name {
        decltype(CPLGetCurrentProcessID()) process = 0;
        std::string text;
    };
    static std::mutex& Mutex() {
        static std::mutex mutex;
        return mutex;
    }
    static std::vector<Name>& Idle() {
        static std::vector<Name> idle;
        return idle;
    }
    Name name_;
};

struct Destroy {
    void operator()(CPLHTTPResult* result) const { CPLHTTPDestroyResult(result); }
};
using Answer = std::unique_ptr<CPLHTTPResult, Destroy>;

// The status that GDAL found to be an error; 0 where it found none.
int HttpStatus(const CPLHTTPResult& answer) {
    constexpr std::string_view kText = "HTTP error code : ";
    const std::string_view message = answer.pszErrBuf != nullptr ? answer.pszErrBuf : "";
    const std::size_t at = message.find(kText);
    return at == std::string_view::npos ? 0 : std::atoi(message.data() + at + kText.size());
}

Status Failure(const std::string& key, const CPLHTTPResult& answer, int status) {
    const std::string message =
        key + ": cannot read: " + (answer.pszErrBuf != nullptr ? answer.pszErrBuf : "no answer");
    return status == 401 || status == 403 ? Status::Permission(message) : Status::Io(message);
}

}  // namespace

std::optional<std::string> HttpUrl(const std::string& folder, const std::string& key) {
    if (!STARTS_WITH(folder.c_str(), kPrefix)) return std::nullopt;
    const std::string base = folder.substr(strlen(kPrefix));
    if (!STARTS_WITH_CI(base.c_str(), "http://") && !STARTS_WITH_CI(base.c_str(), "https://"))
        return std::nullopt;
    const std::size_t query = std::min(base.find('?'), base.size());
    std::string url;
    // What the user typed is a URL already, but for what no URL may hold.
    for (const char c : base.substr(0, query))
        if (c <= ' ' || c > '~')
            AppendEncoded(url, c);
        else
            url += c;
    if (!key.empty()) url += '/';
    for (const char c : key)
        if (IsUnreserved(c))
            url += c;
        else
            AppendEncoded(url, c);
    return url + base.substr(query);
}

Result<bool> FetchUrl(const std::string& url, const std::string& key, zarr::Buffer& value,
                      std::size_t limit, std::optional<ByteExtent> extent) {
    const QuietErrors quiet;
    const Session session;
    CPLStringList options;
    options.SetNameValue("PERSISTENT", session.name());
    if (extent)
        options.SetNameValue("HEADERS", ("Range: bytes=" + std::to_string(extent->offset) + "-" +
                                         std::to_string(extent->offset + extent->length - 1))
                                            .c_str());
    // GDAL counts in int.
    constexpr std::size_t kMost = INT_MAX;
    if (limit < kMost) options.SetNameValue("MAX_FILE_SIZE", std::to_string(limit + 1).c_str());
    const Answer answer(CPLHTTPFetch(url.c_str(), options.List()));
    if (answer == nullptr) return Status::Io(key + ": cannot read: " + QuietErrors::Message());
    constexpr int kTooLarge = 63;  // of curl
    if (answer->nStatus == kTooLarge) return zarr::ValueTooLarge(key, limit + 1, limit);
    const int status = HttpStatus(*answer);
    constexpr int kNotFound = 404;
    constexpr int kGone = 410;
    constexpr int kNoSuchRange = 416;
    if (status == kNotFound || status == kGone) return false;
    if (extent && status == kNoSuchRange) {
        ZARR_RETURN_IF_ERROR(value.Reset(0));
        return true;
    }
    if (answer->nStatus != 0 || answer->pszErrBuf != nullptr) return Failure(key, *answer, status);
    zarr::ByteSpan bytes(answer->pabyData, static_cast<std::size_t>(answer->nDataLen));
    if (bytes.size > limit) return zarr::ValueTooLarge(key, bytes.size, limit);
    if (extent && bytes.size > extent->length) {  // a server that does not know ranges sent all
        const std::uint64_t from = std::min<std::uint64_t>(extent->offset, bytes.size);
        bytes = bytes.From(static_cast<std::size_t>(from));
        bytes.size = std::min(bytes.size, extent->length);
    }
    ZARR_RETURN_IF_ERROR(value.Assign(bytes).WithContext(key));
    return true;
}

}  // namespace zarr_driver

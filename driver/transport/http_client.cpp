// SPDX-License-Identifier: MIT
#include "driver/transport/http_client.h"

#include <cpl_conv.h>
#include <cpl_http.h>
#include <cpl_multiproc.h>
#include <cpl_string.h>
#include <cpl_time.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "core/base/status.h"
#include "core/base/text.h"
#include "core/base/threads.h"
#include "core/base/tuning.h"
#include "core/store/store.h"
#include "driver/base/debug_log.h"
#include "driver/base/gdal_errors.h"
#include "driver/transport/http_body.h"
#include "driver/transport/http_errors.h"
#include "driver/transport/http_retry.h"
#include "driver/transport/url_host.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// Returns the HTTP status if GDAL reports an HTTP error, else 0.
int HttpStatus(const CPLHTTPResult& answer) {
    constexpr std::string_view kText = "HTTP error code : ";
    const std::string_view message = answer.pszErrBuf != nullptr ? answer.pszErrBuf : "";
    const std::size_t at = message.find(kText);
    return at == std::string_view::npos ? 0 : std::atoi(message.data() + at + kText.size());
}

zarr::ByteSpan BodyOf(const CPLHTTPResult& answer) {
    return {answer.pabyData, static_cast<std::size_t>(answer.nDataLen)};
}

// Returns the error for a request that failed. kInvalidArgument means that an object store may have
// another address or region, which only GDAL's file systems can find.
Status Failure(const std::string& key, const CPLHTTPResult& answer, int status,
               const ServerError& error) {
    Status failure = HttpFailure(key, status != 0 ? status : kHttpOk, error,
                                 answer.pszErrBuf != nullptr ? answer.pszErrBuf : "no answer");
    const bool is_redirect =
        error.IsRedirect() || (status == kHttpBadRequest && error.code.empty());
    return is_redirect ? Status::Invalid(failure.message()) : failure;
}

// Names of GDAL's options, without "GDAL_HTTP_", that affect a request.
constexpr const char* kHttpOptions[] = {
    "HEADERS",      "USERPWD",        "BEARER",          "AUTH",        "PROXY",
    "PROXYUSERPWD", "NETRC",          "NETRC_FILE",      "HEADER_FILE", "UNSAFESSL",
    "COOKIE",       "COOKIEFILE",     "USERAGENT",       "TIMEOUT",     "CONNECTTIMEOUT",
    "SSLCERT",      "LOW_SPEED_TIME", "LOW_SPEED_LIMIT", "MAX_RETRY",   "RETRY_DELAY",
    "SSLKEY",       "RETRY_CODES",    "KEYPASSWD",       "VERSION"};

// Returns the name that CPLHTTPFetch() uses for the configuration option GDAL_HTTP_`name`.
const char* OptionOfClient(const char* name) {
    if (EQUAL(name, "AUTH")) return "HTTPAUTH";
    return EQUAL(name, "VERSION") ? "HTTP_VERSION" : name;
}

struct HttpOptions {
    std::string purpose;  // server and options as text, which selects an HttpSession
    CPLStringList own;    // path-specific options; GDAL's client finds global options itself
    std::string headers;  // path-specific headers; each line but "Range" ends with "\r\n"
};

HttpOptions FindOptions(const RemoteValue& value) {
    HttpOptions found;
    const std::size_t host = value.url.find("://");
    bool is_version_chosen = false;
    found.purpose =
        value.url.substr(0, value.url.find('/', host == std::string::npos ? 0 : host + 3));
    for (const char* name : kHttpOptions) {
        const std::string option = std::string("GDAL_HTTP_") + name;
        const char* text = VSIGetPathSpecificOption(value.path.c_str(), option.c_str(), nullptr);
        if (text == nullptr) continue;
        is_version_chosen = is_version_chosen || EQUAL(name, "VERSION");
        found.purpose += std::string("\n") + name + "=" + text;
        const char* global = CPLGetConfigOption(option.c_str(), nullptr);
        if (global != nullptr && std::strcmp(text, global) == 0) continue;
        if (!EQUAL(name, "HEADERS")) {
            found.own.SetNameValue(OptionOfClient(name), text);
            continue;
        }
        const CPLStringList lines(CSLTokenizeString2(text, ",", CSLT_HONOURSTRINGS));
        for (int i = 0; i < lines.size(); ++i) found.headers += std::string(lines[i]) + "\r\n";
    }
    if (!value.headers.empty()) found.headers += value.headers + "\r\n";
    // GDAL's client asks for HTTP/1.1 by default. The value "2TLS" lets the server choose HTTP/2
    // during the TLS handshake, without an extra round trip.
    if (!is_version_chosen && STARTS_WITH_CI(value.url.c_str(), "https://"))
        found.own.SetNameValue("HTTP_VERSION", "2TLS");
    return found;
}

CPLStringList RequestOptions(HttpOptions found, const HttpSession& session, std::size_t limit,
                             const std::optional<ByteExtent>& extent) {
    CPLStringList options(std::move(found.own));
    options.SetNameValue("PERSISTENT", session.name());
    options.SetNameValue("MAX_RETRY", "0");  // HttpRetry repeats requests, not GDAL's client
    if (extent && extent->is_from_end)
        found.headers += "Range: bytes=-" + std::to_string(extent->length);
    else if (extent)
        found.headers += "Range: bytes=" + std::to_string(extent->offset) + "-" +
                         std::to_string(extent->offset + extent->length - 1);
    // GDAL asks for gzip by default. For a byte range, the answer must not be compressed, because a
    // part of a compressed value cannot be decompressed.
    if (extent) found.headers += "\r\nAccept-Encoding: identity";
    if (!found.headers.empty()) options.SetNameValue("HEADERS", found.headers.c_str());
    // MAX_FILE_SIZE is set for every request. Otherwise the session would apply the limit of its
    // previous request. GDAL parses the limit as an int. A server that ignores ranges may state the
    // size of a value above the limit; FetchBodyPart() then bounds the body.
    constexpr std::size_t kMost = INT_MAX;
    options.SetNameValue("MAX_FILE_SIZE",
                         std::to_string(limit < kMost && !extent ? limit + 1 : kMost).c_str());
    return options;
}

// Byte range of a value that an answer contains, according to the server.
struct SentPart {
    unsigned long long first = 0;
    unsigned long long end = 0;    // one past the last byte
    unsigned long long total = 0;  // size of the value in bytes; `end` if the server does not say
    bool states_total = true;
};

const char* HeaderOf(const CPLHTTPResult& answer, const char* name) {
    return CSLFetchNameValue(answer.papszHeaders, name);
}

bool IsEncoded(const CPLHTTPResult& answer) {
    const char* const coding = HeaderOf(answer, "Content-Encoding");
    return coding != nullptr && !EQUAL(coding, "identity");
}

// Cuts the `wanted` range from an answer. Without a Content-Range header, the body is that of the
// whole value. Returns kIo if the answer has another range; this does not mean that the value has
// changed.
Result<zarr::ByteSpan> CutWantedRange(const std::string& key, const HttpReply& reply,
                                      ByteExtent wanted, SentPart& sent) {
    const CPLHTTPResult& answer = *reply.answer;
    zarr::ByteSpan body(answer.pabyData, static_cast<std::size_t>(answer.nDataLen));
    sent.first = reply.first;
    sent.end = reply.size;
    sent.total = reply.size;
    const char* const text = HeaderOf(answer, "Content-Range");
    int known = 0;
    if (text != nullptr) {
        unsigned long long last = 0;
        known = std::sscanf(text, " bytes %llu-%llu/%llu", &sent.first, &last, &sent.total);
        sent.end = last + 1;
        // The server may send "*" if it does not know the total size. An answer with fewer bytes
        // than requested then ends at the end of the value.
        sent.states_total = known == 3;
        if (known == 2) sent.total = sent.end;
    }
    if (wanted.is_from_end) {
        ZARR_ASSIGN_OR_RETURN(const auto tail,
                              zarr::ValuePart::Tail(wanted.length).Of(key, sent.total));
        wanted = {tail.offset, tail.size};
        sent.states_total = true;
    }
    if (text != nullptr && IsEncoded(answer))
        return Status::Io(key +
                          ": cannot read: the server sent a byte range of the compressed value "
                          "(Content-Encoding " +
                          zarr::Quoted(HeaderOf(answer, "Content-Encoding")) +
                          "), which cannot be decoded");
    if (text != nullptr) {
        const bool is_right = known >= 2 && !reply.is_longer && sent.first < sent.end &&
                              sent.end - sent.first == body.size && sent.first <= wanted.offset &&
                              (sent.end >= sent.total || sent.end - wanted.offset >= wanted.length);
        if (!is_right || body.size == 0 || sent.end < wanted.offset)
            return Status::Io(
                key + ": cannot read: the server sent " + (reply.is_longer ? "more than " : "") +
                std::to_string(body.size) + " bytes as " + zarr::Quoted(text) +
                ", but the request asked for bytes from offset " + std::to_string(wanted.offset));
    }
    body = body.From(
        static_cast<std::size_t>(std::min<std::uint64_t>(wanted.offset - sent.first, body.size)));
    body.size = std::min(body.size, wanted.length);
    return body;
}

// Returns the text for ValueInfo::version, made from the headers of an answer. `size` is the size
// of the whole value in bytes; nullopt if unknown.
std::string VersionIn(const CPLHTTPResult& answer, std::optional<std::uint64_t> size) {
    const auto header = [&](const char* name) {
        const char* const text = HeaderOf(answer, name);
        return std::string(text != nullptr ? text : "");
    };
    std::string tag = header("ETag");
    // A strong ETag is the whole text. A weak ETag ("W/...") may stay equal when the bytes change,
    // so other headers are added to the text.
    if (!tag.empty() && tag.compare(0, 2, "W/") != 0) return tag;
    return tag + header("Last-Modified") + (size ? " " + std::to_string(*size) : "");
}

// Fills `info` after HTTP status 416, which means that the requested range lies outside of the
// value.
void HandleUnsatisfiableRange(const CPLHTTPResult& answer, ValueInfo& info) {
    // A server answers 416 to a request for the last bytes of an empty value, so the size is
    // reported as 0.
    info.size = 0;
    const char* const text = CSLFetchNameValue(answer.papszHeaders, "Content-Range");
    unsigned long long size = 0;
    const bool is_size_stated = text != nullptr && std::sscanf(text, " bytes */%llu", &size) == 1;
    info.version =
        VersionIn(answer, is_size_stated ? std::optional<std::uint64_t>(size) : std::nullopt);
}

// Returns an error if RemoteValue::check_redirect refuses a redirect that the client has followed.
// GDAL returns the headers of all answers, from the first redirect on.
Status CheckRedirects(const RemoteValue& value, const CPLHTTPResult& answer) {
    if (value.check_redirect == nullptr) return {};
    const std::string host = HostOf(value.url);
    for (int i = 0; answer.papszHeaders != nullptr && answer.papszHeaders[i] != nullptr; ++i) {
        char* name = nullptr;
        const char* const text = CPLParseNameValue(answer.papszHeaders[i], &name);
        const bool is_redirect = name != nullptr && text != nullptr && EQUAL(name, "Location");
        CPLFree(name);
        if (!is_redirect) continue;
        const std::string other = HostOfRedirect(text);
        if (!other.empty() && other != host)
            ZARR_RETURN_IF_ERROR(value.check_redirect(host, other));
    }
    return {};
}

// Sends a request, and repeats the request by GDAL's retry options. Returns the last answer, with
// `part` of its body.
Result<HttpReply> SendRequest(const RemoteValue& value, std::size_t limit,
                              const std::optional<ByteExtent>& extent, const BodyPart& part) {
    HttpOptions found = FindOptions(value);
    const HttpSession session(found.purpose);
    const CPLStringList options = RequestOptions(std::move(found), session, limit, extent);
    HttpRetry retry(value.path);
    HttpReply reply;
    do {
        reply = FetchBodyPart(value.url.c_str(), options.List(), part);
        if (reply.answer == nullptr)
            return Status::Io(value.key + ": cannot read: " + QuietErrors::Message());
        if (reply.is_out_of_memory)
            return Status::OutOfMemory(value.key + ": not enough memory for the server's answer");
    } while (!reply.is_longer &&
             retry.WaitFor(*reply.answer, HttpStatus(*reply.answer),
                           ParseServerError(BodyOf(*reply.answer).text()).code));
    ZARR_RETURN_IF_ERROR(CheckRedirects(value, *reply.answer));
    return reply;
}

// Requests a value, or its range `extent`. A body with the header Content-Range ends at the bytes
// that were asked for. A server without that header ignores ranges and sends the whole value. A
// value that is little larger than the range is kept as it arrives. Another one is requested again,
// and read to its end, but only the range is kept.
Result<HttpReply> RequestPart(const RemoteValue& value, std::size_t limit,
                              const std::optional<ByteExtent>& extent) {
    if (!extent) return SendRequest(value, limit, extent, {limit, limit});
    constexpr std::size_t kSlack = std::size_t{1} << 20;
    constexpr std::size_t kUnstated = std::size_t{64} << 20;
    const std::size_t kept = extent->length + std::min(kSlack, zarr::kNoLimit - extent->length);
    ZARR_ASSIGN_OR_RETURN(HttpReply reply, SendRequest(value, limit, extent, {kept, kept}));
    if (!reply.is_longer || HeaderOf(*reply.answer, "Content-Range") != nullptr) return reply;
    // If the server does not state the size, its answer may have no end. The rest behind the range
    // is then bounded more tightly than `limit`.
    const bool is_stated = HeaderOf(*reply.answer, "Content-Length") != nullptr;
    const std::uint64_t end = extent->offset + extent->length;
    const std::uint64_t most = is_stated ? limit : std::min<std::uint64_t>(limit, end + kUnstated);
    return SendRequest(value, limit, extent,
                       {extent->length, most, extent->offset, extent->is_from_end});
}

// Returns an error if the answer to a request for the value `key` is larger than `limit`. An answer
// with a range of the value (`is_of_range`) may be longer than what was kept of it.
Status CheckAnswerSize(const std::string& key, const HttpReply& reply, std::size_t limit,
                       bool is_of_range) {
    constexpr int kTooLarge = 63;  // curl's error CURLE_FILESIZE_EXCEEDED
    constexpr std::size_t kMostOfGdal = INT_MAX;
    if (reply.is_longer && !is_of_range)
        return zarr::ValueTooLarge(key, reply.size, static_cast<std::size_t>(reply.size - 1));
    if (reply.answer->nStatus == kTooLarge && limit < kMostOfGdal)
        return zarr::ValueTooLarge(key, limit + 1, limit);
    return {};
}

Result<bool> FetchQuietly(const RemoteValue& value, zarr::Buffer& bytes, std::size_t limit,
                          std::optional<ByteExtent> extent, ValueInfo* info) {
    const std::string& key = value.key;
    const QuietErrors quiet;
    ZARR_ASSIGN_OR_RETURN(const HttpReply reply, RequestPart(value, limit, extent));
    const HttpAnswer& answer = reply.answer;
    const bool is_of_range = extent && HeaderOf(*answer, "Content-Range") != nullptr;
    ZARR_RETURN_IF_ERROR(CheckAnswerSize(key, reply, limit, is_of_range));
    const int status = HttpStatus(*answer);
    constexpr int kPreconditionFailed = 412;
    constexpr int kNoSuchRange = 416;
    if (status == kHttpNotFound || status == kHttpGone) return false;
    if (status == kPreconditionFailed && info != nullptr && !value.headers.empty()) {
        info->is_condition_unmet = true;
        return false;
    }
    if (extent && status == kNoSuchRange) {
        if (info != nullptr) HandleUnsatisfiableRange(*answer, *info);
        ZARR_RETURN_IF_ERROR(bytes.Reset(0));
        return true;
    }
    // An object store may describe an error although its status says success. curl reports success
    // for a redirect without an address, too. CutWantedRange() reports a body that was aborted
    // because it is longer than its range.
    const ServerError error = ParseServerError(BodyOf(*answer).text());
    if (!reply.is_longer &&
        (answer->nStatus != 0 || answer->pszErrBuf != nullptr || !error.code.empty()))
        return Failure(key, *answer, status, error);
    SentPart sent;
    const auto body =
        CutWantedRange(key, reply, extent.value_or(ByteExtent{0, zarr::kNoLimit}), sent);
    if (info != nullptr) {
        info->is_other_part = !body.ok();
        if (sent.states_total) info->size = sent.total;
        info->version = VersionIn(*answer, info->size);
    }
    ZARR_RETURN_IF_ERROR(body.status());
    ZARR_RETURN_IF_ERROR(bytes.Assign(*body).WithContext(key));
    return true;
}

// Returns the seconds since 1970 of a header; nullopt if it is missing.
std::optional<double> TimeOf(const CPLHTTPResult& answer, const char* name) {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, zone = 0, weekday = 0;
    const char* const text = HeaderOf(answer, name);
    if (text == nullptr || CPLParseRFC822DateTime(text, &year, &month, &day, &hour, &minute,
                                                  &second, &zone, &weekday) == 0)
        return std::nullopt;
    struct tm time = {};
    time.tm_year = year - 1900;
    time.tm_mon = month - 1;
    time.tm_mday = day;
    time.tm_hour = hour;
    time.tm_min = minute;
    time.tm_sec = std::max(second, 0);
    return static_cast<double>(CPLYMDHMSToUnixTime(&time));
}

ObjectAnswer ObjectAnswerOf(const std::string& key, const CPLHTTPResult& answer) {
    ObjectAnswer found;
    const int status = HttpStatus(answer);
    const ServerError error = ParseServerError(BodyOf(answer).text());
    found.status = status != 0 ? status : kHttpOk;
    found.body = BodyOf(answer).text();
    if (status != 0 || !error.code.empty())
        found.error = Failure(key, answer, status, error).message();
    const char* const tag = HeaderOf(answer, "ETag");
    if (tag != nullptr) found.version = tag;
    const auto now = TimeOf(answer, "Date");
    const auto then = TimeOf(answer, "Last-Modified");
    if (now && then) found.age = *now - *then;
    return found;
}

// Returns the start of `path`, up to and including the name of the server or bucket.
std::string ServerOf(const std::string& path) {
    const std::size_t host = path.find("://");
    std::size_t end = path.find('/', host != std::string::npos ? host + 3 : 1);
    if (host == std::string::npos && end != std::string::npos) end = path.find('/', end + 1);
    return path.substr(0, end);
}

// Estimates of latency and bandwidth, by server. The map is never destroyed, because threads may
// still use it while the process exits.
std::mutex links_mutex;
auto& links = *new std::map<std::string, std::unique_ptr<zarr::LinkEstimate>>();

struct Idle {
    std::string purpose;
    std::string name;
};

std::mutex idle_mutex;
auto& idle = *new std::deque<Idle>();
std::uint64_t next_name = 0;

std::string ProcessMark() { return std::to_string(CPLGetCurrentProcessID()) + "\n"; }

bool BelongsToProcess(const Idle& session) {
    const std::string mark = ProcessMark();
    return session.purpose.compare(0, mark.size(), mark) == 0;
}

void Close(const std::string& name) {
    CPLStringList options;
    options.SetNameValue("CLOSE_PERSISTENT", name.c_str());
    CPLHTTPDestroyResult(CPLHTTPFetch("", options.List()));
}

}  // namespace

zarr::LinkEstimate& LinkTo(const std::string& path) {
    const std::lock_guard<std::mutex> lock(links_mutex);
    auto& link = links[ServerOf(path)];
    if (link == nullptr) link = std::make_unique<zarr::LinkEstimate>();
    return *link;
}

Result<bool> Fetch(const RemoteValue& value, zarr::Buffer& bytes, std::size_t limit,
                   std::optional<ByteExtent> extent, ValueInfo* info) {
    std::uint64_t time = 0;
    auto found = zarr::Timed([&] { return FetchQuietly(value, bytes, limit, extent, info); },
                             [&](std::uint64_t taken) { time = taken; });
    if (found.ok()) LinkTo(value.path).Note(*found ? bytes.size() : 0, time);
    // The log shows the path instead of the URL, because a signed URL is long.
    if (IsDebugEnabled()) LogRequest("GET", value.path, value.key, AnswerText(found, &bytes), time);
    return found;
}

Result<ObjectAnswer> RequestObject(const RemoteValue& value, const char* verb,
                                   const std::string& body) {
    const QuietErrors quiet;
    HttpOptions found = FindOptions(value);
    // No session is used, because it would keep the method for later requests.
    CPLStringList options(std::move(found.own));
    options.SetNameValue("MAX_RETRY", "0");
    options.SetNameValue("CUSTOMREQUEST", verb);
    if (EQUAL(verb, "PUT")) {
        options.SetNameValue("POSTFIELDS", body.c_str());
        // The client would state a type, which the signature of some object stores does not allow.
        found.headers += "Content-Type:\r\n";
        if (STARTS_WITH(value.path.c_str(), "/vsiaz/"))
            found.headers += "x-ms-blob-type: BlockBlob";
    }
    if (!found.headers.empty()) options.SetNameValue("HEADERS", found.headers.c_str());
    constexpr std::size_t kMost = std::size_t{1} << 16;
    HttpRetry retry(value.path);
    HttpReply reply;
    int status = 0;
    do {
        reply = FetchBodyPart(value.url.c_str(), options.List(), {kMost, kMost});
        if (reply.answer == nullptr) return Status::Io(value.key + ": " + QuietErrors::Message());
        status = HttpStatus(*reply.answer);
    } while (
        retry.WaitFor(*reply.answer, status, ParseServerError(BodyOf(*reply.answer).text()).code));
    if (status == 0 && (reply.answer->nStatus != 0 || reply.answer->pszErrBuf != nullptr))
        return Status::Io(
            value.key + ": " +
            (reply.answer->pszErrBuf != nullptr ? reply.answer->pszErrBuf : "no answer"));
    return ObjectAnswerOf(value.key, *reply.answer);
}

HttpSession::HttpSession(const std::string& purpose) : purpose_(ProcessMark() + purpose) {
    const std::lock_guard<std::mutex> lock(idle_mutex);
    // The search starts at the end, because the session that was used last most likely still has an
    // open connection.
    const auto own = std::find_if(idle.rbegin(), idle.rend(),
                                  [&](const Idle& other) { return other.purpose == purpose_; });
    if (own != idle.rend()) {
        name_ = std::move(own->name);
        idle.erase(std::next(own).base());
        return;
    }
    name_ = "zarr-" + std::to_string(CPLGetCurrentProcessID()) + "-" + std::to_string(next_name++);
}

HttpSession::~HttpSession() {
    zarr::NoThrow([&] {
        std::string closed;
        {
            const std::lock_guard<std::mutex> lock(idle_mutex);
            idle.push_back({std::move(purpose_), std::move(name_)});
            if (idle.size() > zarr::tuning::kIdleConnections) {
                // A session that was opened before a fork belongs to the parent process. The child
                // must not close the connection of such a session.
                if (BelongsToProcess(idle.front())) closed = std::move(idle.front().name);
                idle.pop_front();
            }
        }
        if (!closed.empty()) Close(closed);
    });
}

}  // namespace zarr_driver

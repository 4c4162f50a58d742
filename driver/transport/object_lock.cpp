// SPDX-License-Identifier: MIT
#include "driver/transport/object_lock.h"

#include <cpl_conv.h>

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/fork.h"
#include "core/base/status.h"
#include "driver/transport/http_errors.h"
#include "driver/transport/response_cache.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

constexpr const char* kIfAbsent = "If-None-Match: *";

// Returns server and bucket as far as the URL's host names them.
std::string ServerIn(const std::string& url) { return url.substr(0, url.find('/', 8)); }

// Servers, and whether they have conditional requests. The map is never destroyed, because threads
// may still use it while the process exits.
std::mutex servers_mutex;
auto& servers = *new std::map<std::string, bool>();

std::optional<bool> HasConditions(const std::string& server) {
    const std::lock_guard<std::mutex> lock(servers_mutex);
    const auto found = servers.find(server);
    return found == servers.end() ? std::nullopt : std::optional(found->second);
}

void NoteConditions(const std::string& server, bool has_them) {
    const std::lock_guard<std::mutex> lock(servers_mutex);
    servers[server] = has_them;
}

Status NoConditions() { return Status::Unsupported("the server has no conditional requests"); }

bool IsDone(const ObjectAnswer& answer) { return answer.error.empty(); }

// True if a condition is not met, or if another request for the object was faster.
bool IsRefused(const ObjectAnswer& answer) {
    constexpr int kConflict = 409;
    constexpr int kPreconditionFailed = 412;
    return answer.status == kConflict || answer.status == kPreconditionFailed;
}

// Returns the error for a lock object that was not written. An error of the server may end, so that
// the lock counts as unavailable only if the server refuses the request.
Status NotWritten(const ObjectAnswer& answer) {
    constexpr int kTooMany = 429;
    constexpr int kInternal = 500;
    constexpr int kNotImplemented = 501;
    const bool is_server_error = answer.status >= kInternal && answer.status != kNotImplemented;
    const std::string text = "the lock object cannot be written: " + answer.error;
    return is_server_error || answer.status == kTooMany ? Status::Io(text)
                                                        : Status::Unsupported(text);
}

std::string UniqueText() {
    static std::atomic<std::uint64_t> count{0};
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return zarr::LockOwner::This().Text() +
           std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(now).count()) +
           "-" + std::to_string(count++) + "\n";
}

}  // namespace

ObjectLock::ObjectLock(const StorePath& store)
    : path_(store.text() + ".lock"),
      generation_(zarr::ForkGeneration()),
      text_(UniqueText()),
      options_(CPLGetThreadLocalConfigOptions(), TRUE) {}

ObjectLock::~ObjectLock() {
    if (!is_held_) return;
    if (generation_ != zarr::ForkGeneration()) {
        // The thread exists in the parent only.
        static_cast<void>(heartbeat_.release());
        return;
    }
    heartbeat_.reset();
    // An object that was not touched for long may be another writer's by now.
    const bool is_own =
        !is_lost_ && std::chrono::system_clock::now() - touched_ < zarr::kLockAbandoned;
    if (is_own) zarr::NoThrow([&] { static_cast<void>(Ask("DELETE", "")); });
}

Result<ObjectAnswer> ObjectLock::Ask(const char* verb, const std::string& condition,
                                     const std::string& body) const {
    const auto url = path_.Url("", verb);
    if (!url) return Status::Unsupported("GDAL cannot sign a request for " + path_.text());
    return RequestObject({*url, path_.text(), path_.text(), condition}, verb, body);
}

Result<bool> ObjectLock::Try() {
    if (is_held_) return true;
    const auto url = path_.Url("", "PUT");
    if (url && HasConditions(ServerIn(*url)) == false) return NoConditions();
    ZARR_ASSIGN_OR_RETURN(const ObjectAnswer made, Ask("PUT", kIfAbsent, text_));
    if (!IsDone(made) && !IsRefused(made)) return NotWritten(made);
    if (IsRefused(made)) {
        NoteConditions(ServerIn(*url), true);
        return Contest();
    }
    if (!HasConditions(ServerIn(*url))) ZARR_RETURN_IF_ERROR(CheckConditions());
    Begin(made.version);
    return true;
}

// Repeats the request that has created the object. A server with conditional requests refuses it.
Status ObjectLock::CheckConditions() {
    const auto again = Ask("PUT", kIfAbsent, text_);
    const std::string server = ServerIn(*path_.Url("", "PUT"));
    if (again.ok() && (IsDone(*again) || IsRefused(*again)))
        NoteConditions(server, IsRefused(*again));
    if (again.ok() && IsRefused(*again)) return {};
    static_cast<void>(Ask("DELETE", ""));
    ZARR_RETURN_IF_ERROR(again.status());
    return IsDone(*again) ? NoConditions() : NotWritten(*again);
}

// Takes over the object that exists if nobody holds the lock any more. Returns false otherwise.
Result<bool> ObjectLock::Contest() {
    ZARR_ASSIGN_OR_RETURN(const ObjectAnswer found, Ask("GET", ""));
    if (!IsDone(found)) return false;  // it has just been deleted, or may not be read
    holder_ = found.body;
    if (found.body == text_) {
        // The server has made the object, but the answer was lost.
        Begin(found.version);
        return true;
    }
    const bool is_old =
        found.age && *found.age > std::chrono::duration<double>(zarr::kLockAbandoned).count();
    if (!is_old && !zarr::LockOwner::Parse(found.body).HasEnded().value_or(false)) return false;
    if (found.version.empty()) return false;
    ZARR_ASSIGN_OR_RETURN(const ObjectAnswer taken,
                          Ask("PUT", "If-Match: " + found.version, text_));
    if (!IsDone(taken)) return false;
    Begin(taken.version);
    return true;
}

// Begins to hold the lock. What this process has read before may be outdated.
void ObjectLock::Begin(std::string version) {
    is_held_ = true;
    version_ = std::move(version);
    touched_ = std::chrono::system_clock::now();
    const std::string suffix = ".lock";
    ForgetListings(path_.text().substr(0, path_.text().size() - suffix.size()));
    ClearResponseCache();
    try {
        heartbeat_ = std::make_unique<zarr::LockHeartbeat>([this] { Touch(); });
    } catch (const std::system_error&) {
        // Without a thread the lock lasts for five minutes.
    }
}

// Changes the object, unless another writer has taken it over.
void ObjectLock::Touch() {
    if (version_.empty() || is_lost_) return;
    zarr::NoThrow([&] {
        CPLSetThreadLocalConfigOptions(options_.List());
        const std::string text = UniqueText();
        auto answer = Ask("PUT", "If-Match: " + version_, text);
        if (answer.ok() && IsRefused(*answer)) {
            // Perhaps the server has changed the object before, and its answer was lost.
            answer = Ask("GET", "");
            is_lost_ = answer.ok() && IsDone(*answer) && answer->body != text;
        }
        CPLSetThreadLocalConfigOptions(nullptr);
        if (!answer.ok() || !IsDone(*answer) || is_lost_) return;
        version_ = answer->version;
        touched_ = std::chrono::system_clock::now();
    });
}

std::string ObjectLock::Holder() const {
    const zarr::LockOwner owner = zarr::LockOwner::Parse(holder_);
    return owner.IsComplete() ? owner.Name() + ", " + path_.text() : path_.text();
}

}  // namespace zarr_driver

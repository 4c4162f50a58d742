// SPDX-License-Identifier: MIT
#include "driver/transport/remote_store.h"

#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <mutex>
#include <utility>

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/base/thread_pool.h"
#include "core/base/tuning.h"
#include "core/hierarchy/tree.h"
#include "core/metadata/documents.h"
#include "core/store/keys.h"
#include "driver/base/debug_log.h"
#include "driver/base/gdal_errors.h"
#include "driver/transport/access_refusal.h"
#include "driver/transport/http_client.h"
#include "driver/transport/response_cache.h"
#include "driver/transport/shared_objects.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// Maximum number of attempts to read the end of a value whose size changes between two requests.
constexpr int kTailTries = 3;

bool IsConsolidated(std::string_view key) {
    return zarr::IsDocument(zarr::LastName(key), zarr::Document::kConsolidated);
}

bool IsDocument(std::string_view key) {
    const std::string_view name = zarr::LastName(key);
    return zarr::IsDocumentOfAnyFormat(name) && !IsConsolidated(key);
}

// Returns the start of an error message about `prefix`; empty for the root of the store.
std::string At(const std::string& prefix) { return prefix.empty() ? "" : prefix + ": "; }

Status WebServerDoesNotList(const std::string& prefix) {
    return Status::Unsupported(At(prefix) + "the web server returns no listing");
}

// True if the answer to a request for the last bytes of a value is not the requested tail. Some
// servers send the first N bytes although the last N bytes were requested. `size` is the size of
// the value as stated by the answer.
bool IsTailRefused(const Result<bool>& found, std::uint64_t size, const ValueInfo& info) {
    if (found.ok()) return *found && size == 0;
    return info.is_other_part || found.status().code() == zarr::StatusCode::kInvalidArgument ||
           found.status().code() == zarr::StatusCode::kLimit;
}

// Remote stores that datasets of this process have open, by their identity and access options.
// Never destroyed, because threads may still use it while the process exits.
auto& open_stores = *new SharedObjects<RemoteStore>(LastObject::kFreed);

// Empties all shared caches before and after a write, so that later reads return the written value.
class Writing {
  public:
    Writing() { Forget(); }
    ~Writing() { Forget(); }
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;

  private:
    static void Forget() {
        open_stores.Forget();
        ClearResponseCache();
    }
};

}  // namespace

std::shared_ptr<const RemoteStore> RemoteStore::Open(const StorePath& folder,
                                                     const StoreAccess& access) {
    auto store = std::make_shared<const RemoteStore>(folder, access);
    const std::string name = store->Identity() + "\n" + store->Traits().access;
    if (auto open = open_stores.Find(name, zarr::tuning::kSharedFor)) return open;
    open_stores.Add(name, store);
    return store;
}

void RemoteStore::BeginCreate() {
    if (creation_ != nullptr) creation_->Hold();
}

void RemoteStore::EndCreate() {
    if (creation_ != nullptr) creation_->Release();
}

Status RemoteStore::Commit() {
    if (!IsUnpublished()) return {};
    const Writing writing;
    return WithRefusal(folder(), creation_->Publish());
}

Status RemoteStore::WriteParts(const std::string& key, const std::vector<zarr::ByteSpan>& parts) {
    const Writing writing;
    if (IsUnpublished()) {
        ZARR_RETURN_IF_ERROR(zarr::CheckKey(key));
        if (zarr::IsDocumentOfAnyFormat(zarr::LastName(key)))
            return creation_->SetDocument(key, parts);
        ZARR_RETURN_IF_ERROR(creation_->PrepareChunk(key));
        ZARR_RETURN_IF_ERROR(WithRefusal(folder(), VsiStore::WriteParts(key, parts)));
        creation_->RecordChunk(key);
        return {};
    }
    return WithRefusal(folder(), VsiStore::WriteParts(key, parts));
}

Status RemoteStore::Remove(const std::string& key) {
    const Writing writing;
    if (!IsUnpublished()) return VsiStore::Remove(key);
    if (!creation_->Holds(key)) return {};
    if (zarr::IsDocumentOfAnyFormat(zarr::LastName(key))) return creation_->RemoveDocument(key);
    ZARR_RETURN_IF_ERROR(VsiStore::Remove(key));
    return creation_->ForgetChunk(key);
}

Status RemoteStore::RemoveMany(const std::vector<std::string>& keys) {
    const Writing writing;
    if (!IsUnpublished()) return VsiStore::RemoveMany(keys);
    std::vector<std::string> chunks;
    for (const std::string& key : keys) {
        if (!creation_->Holds(key)) continue;
        if (zarr::IsDocumentOfAnyFormat(zarr::LastName(key)))
            ZARR_RETURN_IF_ERROR(creation_->RemoveDocument(key));
        else
            chunks.push_back(key);
    }
    ZARR_RETURN_IF_ERROR(VsiStore::RemoveMany(chunks));
    for (const std::string& key : chunks) ZARR_RETURN_IF_ERROR(creation_->ForgetChunk(key));
    return {};
}

zarr::StoreTraits RemoteStore::Traits() const {
    zarr::StoreTraits traits;
    traits.remote = true;
    traits.caches_absence = !access_.update;
    traits.concurrent_reads = zarr::tuning::kRemoteReads;
    traits.request_cost = link_.Cost();
    traits.access = std::string(access_.missing_on_403 ? "403 is absent " : "") +
                    (access_.update ? "for update" : "");
    return traits;
}

bool RemoteStore::IsCached(const std::string& key) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return !access_.update && cached_values_.count(key) != 0;
}

bool RemoteStore::IsListingCached(const std::string& prefix) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return !access_.update && (is_unlisted_ || cached_lists_.count(prefix) != 0);
}

void RemoteStore::AddToCache(const std::string& key, std::optional<std::string_view> value) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::size_t bytes = key.size() + (value ? value->size() : 0);
    if (cached_bytes_ + bytes > zarr::tuning::kMetadataCacheBytes) return;
    const bool is_new =
        cached_values_.try_emplace(key, value ? std::optional(std::string(*value)) : std::nullopt)
            .second;
    if (is_new) cached_bytes_ += bytes;
}

void RemoteStore::Prefetch(const std::vector<std::string>& keys,
                           const std::vector<std::string>& prefixes) const {
    if (access_.update || IsUnpublished()) return;
    std::vector<std::string> wanted;
    std::copy_if(keys.begin(), keys.end(), std::back_inserter(wanted),
                 [&](const std::string& key) { return zarr::IsValidKey(key) && !IsCached(key); });
    std::vector<std::string> listed;
    std::copy_if(prefixes.begin(), prefixes.end(), std::back_inserter(listed),
                 [&](const std::string& prefix) {
                     return (prefix.empty() || zarr::IsValidKey(prefix)) &&
                            !IsListingCached(prefix);
                 });
    if (!folder().is_object_store() && !lists_ && listed.size() > 1) listed.resize(1);
    for (std::vector<std::string>* each : {&wanted, &listed}) {
        std::sort(each->begin(), each->end());
        each->erase(std::unique(each->begin(), each->end()), each->end());
    }
    if (listed.empty() && wanted.size() < 2) return;
    const auto list = [&](const std::string& prefix) {
        auto entries = RequestListing(prefix, kMostListed);
        const bool is_cacheable =
            entries.ok() || entries.status().code() == zarr::StatusCode::kUnsupported;
        std::size_t bytes = prefix.size();
        for (std::size_t i = 0; is_cacheable && entries.ok() && i < entries->size(); ++i)
            bytes += sizeof(zarr::StoreEntry) + (*entries)[i].name.size();
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!is_cacheable || cached_bytes_ + bytes > zarr::tuning::kMetadataCacheBytes) return;
        if (cached_lists_.emplace(prefix, std::move(entries)).second) cached_bytes_ += bytes;
    };
    // Listings are started before the reads of values, because a listing may take longer than a
    // read.
    const std::size_t count = listed.size() + wanted.size();
    (void)zarr::ParallelFor(count, zarr::tuning::kRemoteReads, [&](std::size_t number) -> Status {
        if (number < listed.size()) {
            list(listed[number]);
            return {};
        }
        const std::size_t i = number - listed.size();
        zarr::Buffer value;
        const auto found = RequestValue(wanted[i], value, zarr::tuning::kPrefetchedBytes);
        if (found.ok())
            AddToCache(wanted[i],
                       *found ? std::optional(std::as_const(value).span().text()) : std::nullopt);
        return {};
    });
}

Result<zarr::ReadResult> RemoteStore::Read(const std::string& key, const zarr::ValuePart& part,
                                           const zarr::ReadSink& sink) const {
    ZARR_RETURN_IF_ERROR(zarr::CheckKey(key));
    if (IsUnpublished()) {
        if (!creation_->Holds(key)) return zarr::ReadResult();
        if (zarr::IsDocumentOfAnyFormat(zarr::LastName(key)))
            return creation_->documents().Read(key, part, sink);
    }
    zarr::Buffer own;
    zarr::Buffer& value = sink.buffer() != nullptr ? *sink.buffer() : own;
    zarr::ReadResult read;
    if (part.is_whole()) {
        read.version = VersionOf(key);
        ZARR_ASSIGN_OR_RETURN(read.found, ReadWhole(key, value, part.length()));
        read.size = value.size();
    } else if (part.is_tail()) {
        ZARR_ASSIGN_OR_RETURN(const auto size, ReadTail(key, part.length(), value));
        read.found = size.has_value();
        read.size = size.value_or(0);
    } else {
        ZARR_ASSIGN_OR_RETURN(read.found, ReadRange(key, part.offset(), part.length(), value));
    }
    if (read.found && sink.buffer() == nullptr)
        ZARR_RETURN_IF_ERROR(sink.Assign(std::as_const(own).span()));
    return read;
}

Result<bool> RemoteStore::ReadWhole(const std::string& key, zarr::Buffer& value,
                                    std::size_t limit) const {
    if (!access_.update) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto known = cached_values_.find(key);
        if (known != cached_values_.end()) {
            if (!known->second) return false;
            if (known->second->size() > limit)
                return zarr::ValueTooLarge(key, known->second->size(), limit);
            ZARR_RETURN_IF_ERROR(value.Assign(zarr::ByteSpan(*known->second)).WithContext(key));
            return true;
        }
    }
    ZARR_ASSIGN_OR_RETURN(const bool found, RequestValue(key, value, limit));
    const bool is_small = !found || value.size() <= zarr::tuning::kPrefetchedBytes;
    if (!access_.update && (IsDocument(key) || (IsConsolidated(key) && is_small)))
        AddToCache(key, found ? std::optional(std::as_const(value).span().text()) : std::nullopt);
    return found;
}

Result<bool> RemoteStore::RequestValue(const std::string& key, zarr::Buffer& value,
                                       std::size_t limit) const {
    if (const auto url = folder().Url(key)) {
        const RemoteValue remote{*url, folder(), key};
        const bool may_be_kept = !IsDocument(key) && !IsConsolidated(key);
        auto found = may_be_kept ? FetchCached(remote, value, limit) : Fetch(remote, value, limit);
        if (!IsRedirected(found)) return ApplyMissingOn403(std::move(found));
    }
    return ApplyMissingOn403(ReadThroughGdal(key, zarr::ValuePart::Whole(limit), value));
}

Result<bool> RemoteStore::ApplyMissingOn403(Result<bool> answer) const {
    if (answer.ok() || answer.status().code() != zarr::StatusCode::kPermission) return answer;
    if (access_.missing_on_403) return false;
    return Status::Permission(
        answer.status().message() +
        " (if the server answers 403 for absent keys, as object stores do to clients "
        "without the right to list, use open option MISSING_ON_403=YES)");
}

bool RemoteStore::IsRedirected(const Result<bool>& answer) const {
    return folder().is_object_store() && !answer.ok() &&
           answer.status().code() == zarr::StatusCode::kInvalidArgument;
}

Result<bool> RemoteStore::ReadThroughGdal(const std::string& key, const zarr::ValuePart& part,
                                          zarr::Buffer& value) const {
    ZARR_ASSIGN_OR_RETURN(const zarr::ReadResult read, VsiStore::Read(key, part, value));
    return read.found;
}

zarr::ObjectVersion RemoteStore::VersionOf(const std::string& key) const {
    zarr::ObjectVersion version = VsiStore::VersionOf(key);
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto seen = seen_.find(key);
    version.modified = seen_generation_;
    if (seen != seen_.end()) version.mark = seen->second.count;
    return version;
}

void RemoteStore::NoteVersion(const std::string& key, const std::string& version) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (seen_.size() >= zarr::tuning::kKnownVersions && seen_.count(key) == 0) {
        seen_.clear();
        // The counts of all keys start again at 0. The generation is a part of each version, so no
        // later version equals an earlier one.
        ++seen_generation_;
    }
    Seen& seen = seen_[key];
    if (seen.count == 0 || seen.version != version) ++seen.count;
    seen.version = version;
}

Result<bool> RemoteStore::FetchPart(const std::string& url, const std::string& key,
                                    zarr::Buffer& value, std::size_t limit,
                                    const ByteExtent& extent, ValueInfo& info) const {
    auto found = FetchCached({url, folder(), key}, value, limit, extent, &info);
    if (!found.ok() || IsRedirected(found)) return found;
    // Absence is recorded as a change of the value only if an earlier read found the value.
    const bool is_known = *found ? !info.version.empty() : VersionOf(key).mark != 0;
    if (is_known) NoteVersion(key, *found ? info.version : "");
    return found;
}

Result<bool> RemoteStore::ReadRange(const std::string& key, std::uint64_t offset,
                                    std::size_t length, zarr::Buffer& value) const {
    if (!access_.update) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto known = cached_values_.find(key);
        if (known != cached_values_.end() && !known->second) return false;
        if (known != cached_values_.end() && offset < known->second->size()) {
            const auto part = std::string_view(*known->second).substr(offset, length);
            ZARR_RETURN_IF_ERROR(value.Assign(zarr::ByteSpan(part)).WithContext(key));
            return true;
        }
    }
    if (const auto url = folder().Url(key)) {
        const ByteExtent extent{offset, std::max<std::size_t>(length, 1)};
        const std::size_t limit = std::max(
            extent.length, static_cast<std::size_t>(zarr::LimitOf(zarr::Limit::kChunkSize)));
        ValueInfo info;
        auto found = FetchPart(*url, key, value, limit, extent, info);
        if (!IsRedirected(found)) return ApplyMissingOn403(std::move(found));
    }
    return ApplyMissingOn403(ReadThroughGdal(key, zarr::ValuePart::Range(offset, length), value));
}

Result<std::optional<std::uint64_t>> RemoteStore::ReadTail(const std::string& key,
                                                           std::size_t length,
                                                           zarr::Buffer& value) const {
    std::uint64_t size = 0;
    const auto ask_gdal = [&]() -> Result<bool> {
        ZARR_ASSIGN_OR_RETURN(const zarr::ReadResult read,
                              VsiStore::Read(key, zarr::ValuePart::Tail(length), value));
        size = read.size;
        return read.found;
    };
    const auto answer = [&](Result<bool> found) -> Result<std::optional<std::uint64_t>> {
        ZARR_ASSIGN_OR_RETURN(const bool is_there, ApplyMissingOn403(std::move(found)));
        if (!is_there) return std::optional<std::uint64_t>();
        if (length == 0) ZARR_RETURN_IF_ERROR(value.Reset(0));
        return std::optional(size);
    };
    const auto url = folder().Url(key);
    if (!url) return answer(ask_gdal());
    const auto limit =
        std::max(length, static_cast<std::size_t>(zarr::LimitOf(zarr::Limit::kChunkSize)));
    int tries = 0;
    ValueInfo info;
    const auto ask = [&](const ByteExtent& extent) -> Result<bool> {
        info = {};
        ZARR_ASSIGN_OR_RETURN(const bool found, FetchPart(*url, key, value, limit, extent, info));
        if (found && !info.size)
            return Status::Io(key +
                              ": cannot read: the server does not send the size of the value");
        size = info.size.value_or(0);
        return found;
    };
    // Azure's servers ignore byte ranges that count from the end, and send the whole value. Such a
    // range is therefore not requested from Azure.
    const bool is_azure = url->find(".blob.core.windows.net") != std::string::npos;
    Result<bool> found =
        is_azure ? Status::Invalid("") : ask({0, std::max<std::size_t>(length, 1), true});
    if (IsTailRefused(found, size, info)) {
        found = ask({0, 1});
        // If two answers state different sizes, another process has replaced the value. The tail is
        // requested again.
        for (std::uint64_t before = 0; found.ok() && *found && size != before;) {
            if (++tries > kTailTries) return Status::Io(key + ": changed while it was read");
            before = size;
            ZARR_ASSIGN_OR_RETURN(const auto tail, zarr::ValuePart::Tail(length).Of(key, size));
            found = ask({tail.offset, std::max<std::size_t>(tail.size, 1)});
        }
    }
    return answer(IsRedirected(found) ? ask_gdal() : std::move(found));
}

Result<std::vector<zarr::StoreEntry>> RemoteStore::List(const std::string& prefix) const {
    if (IsUnpublished()) return creation_->keys().List(prefix);
    if (!access_.update) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto known = cached_lists_.find(prefix);
        if (known != cached_lists_.end()) return known->second;
    }
    return RequestListing(prefix, std::numeric_limits<std::size_t>::max());
}

bool RemoteStore::HasListingPage(const std::string& prefix) const {
    // A URL with a query is not listed, because GDAL would append the folder's name to the query
    // and request a wrong page.
    if (folder().text().find('?') != std::string::npos) return false;
    // VSIReadDir() is called because VSIOpenDir() would take a second request if the server returns
    // no page.
    const QuietErrors quiet;
    const std::string path = zarr::JoinKey(folder().text(), prefix);
    return !CPLStringList(VSIReadDir((prefix.empty() ? folder().text() : path).c_str())).empty();
}

Result<std::vector<zarr::StoreEntry>> RemoteStore::RequestListing(const std::string& prefix,
                                                                  std::size_t most) const {
    const auto unlisted = [&] {
        return Status::Unsupported(At(prefix) +
                                   "the server returns no listing; use consolidated "
                                   "metadata, or name the array in the path");
    };
    if (!folder().is_object_store() && !is_unlisted_)
        is_unlisted_ = !*Logged("LIST", folder(), prefix,
                                [&] { return Result<bool>(HasListingPage(prefix)); });
    if (is_unlisted_) return unlisted();
    auto entries = ListUpTo(prefix, most);
    const bool is_answer =
        entries.ok() ? !entries->empty() : entries.status().code() == zarr::StatusCode::kLimit;
    if (is_answer) {
        lists_ = true;
        return entries;
    }
    if (!folder().is_object_store()) {
        is_unlisted_ = true;
        return unlisted();
    }
    // An answer such as an expired token concerns all requests. 403 may concern listings alone.
    if (!entries.ok() && entries.status().code() == zarr::StatusCode::kIo) return entries;
    // An empty listing may mean that nothing exists, or that the client may not list. Only if the
    // store is open for update, it counts as a listing; otherwise as refused.
    if (entries.ok() && access_.update && !prefix.empty()) return ConfirmEmpty(prefix, most);
    return unlisted();
}

Result<std::vector<zarr::StoreEntry>> RemoteStore::ConfirmEmpty(const std::string& prefix,
                                                                std::size_t most) const {
    // A store has documents in its root, so that an empty listing of the root was refused. If the
    // root is listed, a second listing shows whether the first one failed.
    const auto root = ListUpTo("", 1);
    const bool lists =
        root.ok() ? !root->empty() : root.status().code() == zarr::StatusCode::kLimit;
    if (!lists) return Status::Unsupported(At(prefix) + "the object store returns no listing");
    return ListUpTo(prefix, most);
}

Status RemoteStore::VisitEntries(const std::string& prefix, const EntryVisitor& visit) const {
    if (IsUnpublished()) return creation_->keys().VisitEntries(prefix, visit);
    if (!folder().is_object_store()) return WebServerDoesNotList(prefix);
    return VsiStore::VisitEntries(prefix, visit);
}

Status RemoteStore::ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                               const PrefixVisitor&) const {
    if (IsUnpublished())
        return creation_->keys().ForEachKey(
            prefix, [&](std::string_view key, const auto&) { visit(key, std::nullopt); }, {});
    if (!folder().is_object_store()) return WebServerDoesNotList(prefix);
    std::size_t keys = 0;
    const auto count = [&](std::string_view key,
                           const std::optional<zarr::ObjectVersion>& version) {
        ++keys;
        visit(key, version);
    };
    ZARR_RETURN_IF_ERROR(VsiStore::ForEachKey(prefix, count, {}));
    // Without keys the listing counts as refused: an existing array has at least a metadata
    // document. GDAL returns an empty listing if the client has no right to list.
    return keys != 0 ? Status()
                     : Status::Unsupported(At(prefix) + "the object store returns no listing");
}

}  // namespace zarr_driver

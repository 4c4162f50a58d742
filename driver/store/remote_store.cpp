// SPDX-License-Identifier: MIT
#include "driver/store/remote_store.h"

#include <cpl_vsi.h>

#include <algorithm>
#include <utility>

#include "core/base/limits.h"
#include "core/metadata/documents.h"
#include "core/store/keys.h"
#include "driver/store/http_client.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

constexpr std::size_t kReadsAtOnce = 32;
constexpr std::size_t kMaxDocumentsBytes = std::size_t{64} << 20;

bool IsDocument(std::string_view key) {
    const std::string_view name = zarr::LastName(key);
    return zarr::IsDocumentOfAnyFormat(name) &&
           !zarr::IsDocument(name, zarr::Document::kConsolidated);
}

// How a message about what is below a prefix begins.
std::string At(const std::string& prefix) { return prefix.empty() ? "" : prefix + ": "; }

Status WebServerDoesNotList(const std::string& prefix) {
    return Status::Unsupported(At(prefix) + "a web server does not list what it has");
}

}  // namespace

std::string RemoteStore::AccessOptions() const {
    return std::string(access_.missing_on_403 ? "403 is absent " : "") +
           (access_.update ? "for update" : "");
}

std::size_t RemoteStore::ReadsAtOnce() const { return kReadsAtOnce; }

Result<bool> RemoteStore::Get(const std::string& key, zarr::Buffer& value,
                              std::size_t limit) const {
    ZARR_RETURN_IF_ERROR(zarr::CheckKey(key));
    const bool is_kept = IsDocument(key) && !access_.update;
    if (is_kept) {
        const std::lock_guard<zarr::Mutex> lock(mutex_);
        const auto known = documents_.find(key);
        if (known != documents_.end()) {
            if (!known->second) return false;
            if (known->second->size() > limit)
                return zarr::ValueTooLarge(key, known->second->size(), limit);
            ZARR_RETURN_IF_ERROR(value.Assign(zarr::ByteSpan(*known->second)).WithContext(key));
            return true;
        }
    }
    ZARR_ASSIGN_OR_RETURN(const bool found, Ask(key, value, limit));
    if (is_kept) {
        const std::lock_guard<zarr::Mutex> lock(mutex_);
        const std::string_view text =
            found ? std::as_const(value).span().text() : std::string_view();
        if (documents_bytes_ + text.size() + key.size() <= kMaxDocumentsBytes) {
            documents_bytes_ += text.size() + key.size();
            documents_[key] = found ? std::optional(std::string(text)) : std::nullopt;
        }
    }
    return found;
}

Result<bool> RemoteStore::Ask(const std::string& key, zarr::Buffer& value,
                              std::size_t limit) const {
    if (const auto url = folder().Url(key)) {
        auto found = Fetch({*url, folder(), key}, value, limit);
        if (!IsMisdirected(found, value)) return CheckAnswer(std::move(found));
    }
    return CheckAnswer(VsiStore::Get(key, value, limit));
}

Result<bool> RemoteStore::CheckAnswer(Result<bool> answer) const {
    if (answer.ok() || answer.status().code() != zarr::StatusCode::kPermission) return answer;
    if (access_.missing_on_403) return false;
    return Status::Permission(
        answer.status().message() +
        " (where the server says so of what is absent, as object stores do "
        "to clients without the right to list: open option MISSING_ON_403=YES)");
}

bool RemoteStore::IsMisdirected(const Result<bool>& answer, const zarr::Buffer& value) const {
    if (!folder().is_object_store()) return false;
    if (!answer.ok()) return answer.status().code() == zarr::StatusCode::kInvalidArgument;
    // A redirection without an address, which curl takes for an answer.
    const std::string_view text = value.span().text();
    return *answer && text.substr(0, 5) == "<?xml" && text.find("<Error>") < 200;
}

Result<std::optional<std::size_t>> RemoteStore::GetInto(const std::string& key,
                                                        zarr::MutableByteSpan memory) const {
    return Store::GetInto(key, memory);
}

Result<bool> RemoteStore::GetRange(const std::string& key, std::uint64_t offset, std::size_t length,
                                   zarr::Buffer& value) const {
    ZARR_RETURN_IF_ERROR(zarr::CheckKey(key));
    if (const auto url = folder().Url(key)) {
        const ByteExtent extent{offset, std::max<std::size_t>(length, 1)};
        const std::size_t limit = std::max(
            extent.length, static_cast<std::size_t>(zarr::LimitOf(zarr::Limit::kChunkSize)));
        auto found = Fetch({*url, folder(), key}, value, limit, extent);
        if (!IsMisdirected(found, value)) return CheckAnswer(std::move(found));
    }
    return CheckAnswer(VsiStore::GetRange(key, offset, length, value));
}

Result<std::vector<zarr::StoreEntry>> RemoteStore::List(const std::string& prefix) const {
    auto entries = VsiStore::List(prefix);
    // "Nothing is there" and "you may not know" are not told apart.
    if (entries.ok() && (!entries->empty() || access_.update)) return entries;
    return Status::Unsupported(At(prefix) +
                               "the server does not list what it has; consolidated "
                               "metadata, or the path of an array, do without");
}

Status RemoteStore::VisitEntries(const std::string& prefix, const EntryVisitor& visit) const {
    if (!folder().is_object_store()) return WebServerDoesNotList(prefix);
    return VsiStore::VisitEntries(prefix, visit);
}

Status RemoteStore::ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                               const PrefixVisitor&) const {
    if (!folder().is_object_store()) return WebServerDoesNotList(prefix);
    std::size_t keys = 0;
    const auto count = [&](std::string_view key, std::optional<std::uint64_t> size) {
        ++keys;
        visit(key, size);
    };
    ZARR_RETURN_IF_ERROR(VsiStore::ForEachKey(prefix, count, {}));
    // GDAL shows nothing to a client without the right to list; an array has its own document at
    // least.
    return keys != 0
               ? Status()
               : Status::Unsupported(At(prefix) + "the object store does not list what it has");
}

}  // namespace zarr_driver

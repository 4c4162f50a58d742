// SPDX-License-Identifier: MIT
#include "driver/transport/remote_creation.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/metadata/documents.h"
#include "core/store/keys.h"
#include "driver/base/gdal_errors.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

std::mutex creations_mutex;
// Never destroyed, because threads may use it while the process exits.
auto& creations = *new std::map<std::string, std::weak_ptr<RemoteCreation>>();

// Returns the order in which a document is published: attributes and consolidated metadata first,
// then the documents that make nodes, those of the deepest nodes first.
std::pair<bool, std::ptrdiff_t> Rank(const std::string& key) {
    const bool is_root = zarr::ParentPath(key).empty();
    const bool makes_node = zarr::MakesNode(zarr::LastName(key));
    const auto depth = std::count(key.begin(), key.end(), '/');
    return {is_root, 2 * -depth + (makes_node ? 1 : 0)};
}

Result<std::vector<std::string>> KeysOf(const zarr::Store& store) {
    std::vector<std::string> keys;
    ZARR_RETURN_IF_ERROR(
        store.ForEachKey("",
                         [&](std::string_view key, const std::optional<zarr::ObjectVersion>&) {
                             keys.emplace_back(key);
                         },
                         {}));
    return keys;
}

}  // namespace

std::shared_ptr<RemoteCreation> RemoteCreation::Begin(const StorePath& folder,
                                                      const std::vector<std::string>& old) {
    std::shared_ptr<RemoteCreation> made(new RemoteCreation(folder));
    made->old_.insert(old.begin(), old.end());
    const std::string identity = VsiStore(folder).Identity();
    const std::lock_guard<std::mutex> lock(creations_mutex);
    for (auto at = creations.begin(); at != creations.end();)
        at = at->second.expired() ? creations.erase(at) : std::next(at);
    creations[identity] = made;
    return made;
}

std::shared_ptr<RemoteCreation> RemoteCreation::Find(const std::string& identity) {
    const std::lock_guard<std::mutex> lock(creations_mutex);
    const auto found = creations.find(identity);
    return found != creations.end() ? found->second.lock() : nullptr;
}

bool RemoteCreation::IsPublished() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return is_published_;
}

bool RemoteCreation::Holds(const std::string& key) const {
    const auto found = keys_.Exists(key);
    return found.ok() && *found;
}

Status RemoteCreation::SetDocument(const std::string& key,
                                   const std::vector<zarr::ByteSpan>& parts) {
    ZARR_RETURN_IF_ERROR(documents_.SetParts(key, parts));
    return keys_.Set(key, {});
}

Status RemoteCreation::RemoveDocument(const std::string& key) {
    ZARR_RETURN_IF_ERROR(documents_.Erase(key));
    return keys_.Erase(key);
}

Status RemoteCreation::PrepareChunk(const std::string& key) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        missing_.insert(key);
        if (old_.count(key) != 0) ZARR_RETURN_IF_ERROR(EraseOldLocked());
    }
    return keys_.Set(key, {});
}

void RemoteCreation::RecordChunk(const std::string& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    missing_.erase(key);
}

Status RemoteCreation::ForgetChunk(const std::string& key) {
    RecordChunk(key);
    return keys_.Erase(key);
}

void RemoteCreation::Hold() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++holds_;
}

void RemoteCreation::Release() {
    const std::lock_guard<std::mutex> lock(mutex_);
    --holds_;
}

// Erases the documents of the root first, so that nobody opens a part of the old store.
Status RemoteCreation::EraseOldLocked() {
    std::vector<std::string> keys;
    for (const std::string& key : old_) {
        const bool is_document = zarr::IsDocumentOfAnyFormat(zarr::LastName(key));
        const bool is_replaced = is_document ? stored_.count(key) != 0 : Holds(key);
        if (!is_replaced) keys.push_back(key);
    }
    const auto erase = [&](auto&& is_next) -> Status {
        const auto end = std::stable_partition(keys.begin(), keys.end(), is_next);
        const std::vector<std::string> next(keys.begin(), end);
        keys.erase(keys.begin(), end);
        return next.empty() ? Status() : VsiStore(folder_).EraseMany(next);
    };
    ZARR_RETURN_IF_ERROR(erase([](const std::string& key) {
        return zarr::ParentPath(key).empty() && zarr::IsNodeDocument(zarr::LastName(key));
    }));
    ZARR_RETURN_IF_ERROR(erase(
        [](const std::string& key) { return zarr::IsDocumentOfAnyFormat(zarr::LastName(key)); }));
    ZARR_RETURN_IF_ERROR(erase([](const std::string&) { return true; }));
    old_.clear();
    ForgetListings(folder_);
    return {};
}

// True if a new node has the path of an old one, so that readers could take old keys for new ones.
bool RemoteCreation::MixesWithOldLocked(const std::vector<std::string>& documents) const {
    return std::any_of(documents.begin(), documents.end(), [&](const std::string& document) {
        const std::string_view node = zarr::ParentPath(document);
        if (node.empty()) return zarr::IsDocument(document, zarr::Document::kArray);
        const std::string below = std::string(node) + "/";
        const auto first = old_.lower_bound(below);
        return first != old_.end() && first->compare(0, below.size(), below) == 0;
    });
}

Status RemoteCreation::Publish() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (holds_ != 0) return {};
    if (is_published_) return old_.empty() ? Status() : EraseOldLocked();
    if (!missing_.empty())
        return Status::Io(*missing_.begin() +
                          ": cannot be written, so the new store stays invisible");
    ZARR_ASSIGN_OR_RETURN(std::vector<std::string> keys, KeysOf(documents_));
    std::stable_sort(keys.begin(), keys.end(),
                     [](const std::string& a, const std::string& b) { return Rank(a) < Rank(b); });
    if (!old_.empty() && MixesWithOldLocked(keys)) ZARR_RETURN_IF_ERROR(EraseOldLocked());
    VsiStore store(folder_);
    const auto is_old_root = [&](const std::string& key) {
        return zarr::ParentPath(key).empty() && old_.count(key) != 0;
    };
    // If several documents of the root are replaced, readers could find some of the old store
    // between those of the new one.
    const bool replaces_roots = std::count_if(keys.begin(), keys.end(), is_old_root) > 1;
    for (const std::string& key : keys) {
        if (replaces_roots && is_old_root(key)) ZARR_RETURN_IF_ERROR(EraseOldLocked());
        zarr::Buffer text;
        ZARR_RETURN_IF_ERROR(documents_.Get(key, text, zarr::kNoLimit).status());
        ZARR_RETURN_IF_ERROR(store.Set(key, std::as_const(text).span()));
        stored_.insert(key);
    }
    is_published_ = true;
    ForgetListings(folder_);
    return old_.empty() ? Status() : EraseOldLocked();
}

void RemoteCreation::Abandon() {
    {
        const std::lock_guard<std::mutex> lock(creations_mutex);
        for (auto at = creations.begin(); at != creations.end();)
            at = at->second.lock().get() == this ? creations.erase(at) : std::next(at);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    ++holds_;
    if (is_published_) return;
    const QuietErrors quiet;
    auto keys = KeysOf(keys_);
    if (!keys.ok()) return;
    // The documents are erased first, in the reverse order of Publish(). Keys that were not
    // published cause no harm.
    std::stable_sort(keys->begin(), keys->end(), [](const std::string& a, const std::string& b) {
        const auto is_document = [](const std::string& key) {
            return zarr::IsDocumentOfAnyFormat(zarr::LastName(key));
        };
        if (is_document(a) != is_document(b)) return is_document(a);
        return is_document(a) && Rank(b) < Rank(a);
    });
    // A document that the old store has, too, belongs to the old store.
    const auto is_old = [&](const std::string& key) { return old_.count(key) != 0; };
    keys->erase(std::remove_if(keys->begin(), keys->end(), is_old), keys->end());
    static_cast<void>(VsiStore(folder_).EraseMany(*keys));
    ForgetListings(folder_);
}

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#include "driver/store/store_update.h"

#include <cpl_string.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/base/tuning.h"
#include "core/store/keys.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/store_options.h"
#include "driver/store/open_node.h"
#include "driver/transport/object_lock.h"
#include "driver/transport/store_path.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::Result;
using zarr::Status;

namespace {

// Writes the chunks that are absent in `array`, with the metadata of `target`, which is the same
// array or has another fill value.
Status WriteAbsentChunks(const zarr::Array& array, const std::shared_ptr<const zarr::Array>& target,
                         const std::shared_ptr<zarr::Store>& store,
                         const std::shared_ptr<zarr::Synchronizer>& locks, std::size_t threads) {
    ZARR_ASSIGN_OR_RETURN(
        const auto writer,
        zarr::ArrayWriter::Open(target, store, zarr::tuning::kMinPendingLimit, locks));
    return zarr::StoreAbsentChunks(array, *writer, threads);
}

}  // namespace

Result<std::shared_ptr<zarr::Synchronizer>> OpenSynchronizer(const std::string& folder) {
    if (folder.empty()) return std::shared_ptr<zarr::Synchronizer>();
    if (STARTS_WITH(folder.c_str(), "/vsi"))
        return Status::Invalid("SYNCHRONIZER: " + folder + ": lock files need a local folder");
    return zarr::OpenProcessSynchronizer(folder).WithContext("SYNCHRONIZER");
}

zarr::LockTarget LockTargetOf(const zarr::Store& store) {
    const StorePath path(store.Describe());
    // The system is asked, not GDAL, because a file system that a program has added to GDAL may own
    // any path.
    std::error_code error;
    const bool is_folder =
        path.kind() == StorePath::Kind::kLocal &&
        std::filesystem::is_directory(std::filesystem::u8path(path.text()), error);
    zarr::LockTarget target{is_folder ? path.text() : "", store.Identity()};
    if (path.is_object_store()) target.open = [path] { return std::make_unique<ObjectLock>(path); };
    return target;
}

zarr::LockWait DefaultLockWait() {
    const auto wait = ConfiguredLockWait();
    return wait.ok() ? *wait : zarr::LockWait();
}

Status NotForUpdate(bool is_inherited) {
    return Status::Permission(is_inherited
                                  ? "opened for update by the parent process; open it again in "
                                    "this process"
                                  : "not open in update mode");
}

std::unique_ptr<StoreUpdate> StoreUpdate::ForOtherChanges(const std::string& path) {
    const std::lock_guard<std::mutex> lock(mutex_);
    unwritten_.erase(path);
    return std::make_unique<StoreUpdate>(store_, zarr::WriteConsolidated::kIfPresent, locks_);
}

Status StoreUpdate::MakeArray(const std::string& path, const zarr::ArrayMetadata& metadata,
                              const zarr::json::Object& attributes) {
    // Recorded first, because even a failed creation may leave keys behind.
    RecordCreated(path);
    ZARR_RETURN_IF_ERROR(
        metadata_.CreateArray(path, metadata, attributes, zarr::IfExists::kReplace));
    const std::lock_guard<std::mutex> lock(attributes_mutex_);
    changed_.erase(path);
    return {};
}

void StoreUpdate::RecordCreated(const std::string& path) {
    RecordNew(path);
    const std::lock_guard<std::mutex> lock(mutex_);
    made_.insert(path);
}

bool StoreUpdate::HasCreated(const std::string& path) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return made_.count(path) != 0;
}

bool StoreUpdate::RemoveCreated(const std::string& path) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return made_.erase(path) != 0;
}

Status StoreUpdate::DeleteCreated() {
    // Taken before the mutex, which another thread that holds the store's lock may need.
    ZARR_ASSIGN_OR_RETURN(const zarr::StoreLock store_lock, Lock());
    const std::lock_guard<std::mutex> lock(mutex_);
    Status first;
    for (const std::string& path : made_) {
        const Status status = metadata_.DeleteNode(path);
        if (first.ok() && status.code() != zarr::StatusCode::kNotFound) first = status;
    }
    made_.clear();
    return first;
}

Result<zarr::ArrayWriter*> StoreUpdate::WriterOf(const std::shared_ptr<const zarr::Array>& array) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = writers_.find(array.get());
    if (known != writers_.end()) return known->second.get();
    const std::size_t limit =
        std::max(zarr::tuning::kMinPendingLimit, array->context().cache().max_bytes());
    ZARR_ASSIGN_OR_RETURN(auto writer, zarr::ArrayWriter::Open(array, store_, limit, locks_));
    unwritten_.erase(array->path());
    return writers_.emplace(array.get(), std::move(writer)).first->second.get();
}

Status StoreUpdate::SetFillValue(const zarr::Hierarchy& hierarchy, const std::string& path,
                                 const std::optional<std::string>& element, std::size_t threads) {
    ZARR_RETURN_IF_ERROR(Release(path, threads));
    ZARR_ASSIGN_OR_RETURN(const zarr::StoreLock store_lock, Lock());
    // Another process may have changed the metadata, so it is read again.
    hierarchy.Reload();
    ZARR_ASSIGN_OR_RETURN(const zarr::ArrayMetadata metadata, hierarchy.Metadata(path));
    ZARR_ASSIGN_OR_RETURN(const zarr::ArrayMetadata changed,
                          zarr::WithFillValue(metadata, element));
    if (metadata.has_fill_value && (element || !changed.has_fill_value)) {
        ZARR_ASSIGN_OR_RETURN(const auto array, hierarchy.OpenArray(path));
        ZARR_ASSIGN_OR_RETURN(const auto other,
                              hierarchy.WithMetadata({{path, changed}})->OpenArray(path));
        ZARR_RETURN_IF_ERROR(WriteAbsentChunks(*array, other, store_, locks_, threads));
    }
    return metadata_.ReplaceMetadata(path, changed);
}

void StoreUpdate::RecordIncomplete(const std::string& path) {
    const std::lock_guard<std::mutex> lock(mutex_);
    incomplete_.insert(path);
}

void StoreUpdate::RecordNew(const std::string& path) {
    const std::lock_guard<std::mutex> lock(mutex_);
    incomplete_.insert(path);
    unwritten_.insert(path);
    omitted_.erase(path);
}

void StoreUpdate::RecordComplete(const std::string& path) {
    const std::lock_guard<std::mutex> lock(mutex_);
    incomplete_.erase(path);
}

Status StoreUpdate::DefineAbsentChunks(std::size_t threads) {
    // Number of absent chunks up to which they are written.
    constexpr std::uint64_t kMaxAbsent = std::uint64_t{1} << 16;
    std::set<std::string> paths;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        paths = incomplete_;
    }
    if (paths.empty()) return {};
    ZARR_ASSIGN_OR_RETURN(
        const auto hierarchy,
        zarr::Hierarchy::Open(store_, zarr::UseConsolidated::kNever, SharedContext()));
    for (const std::string& path : paths) {
        const auto metadata = hierarchy->Metadata(path);
        // The array was deleted meanwhile, or has a fill value.
        if (!metadata.ok() || metadata->has_fill_value) continue;
        ZARR_ASSIGN_OR_RETURN(const auto array, hierarchy->OpenArray(path));
        const auto listing = array->ListChunks();
        const std::uint64_t absent =
            array->chunk_count() -
            std::min(listing.ok() ? listing->chunks : 0, array->chunk_count());
        if (absent > kMaxAbsent && listing.ok()) {
            EmitWarning(store_->Describe() + ": /" + path,
                        "most chunks have no values, so that its fill value becomes 0, which other "
                        "programs take for missing; set a nodata value");
            ZARR_RETURN_IF_ERROR(
                SetFillValue(*hierarchy, path, std::string(metadata->dtype.size, '\0'), threads));
        } else if (absent != 0 && absent <= kMaxAbsent) {
            // If the store cannot list, each chunk is asked for.
            ZARR_RETURN_IF_ERROR(WriteAbsentChunks(*array, array, store_, locks_, threads));
        }
        RecordComplete(path);
    }
    return {};
}

bool StoreUpdate::IsUnwritten(const std::string& path) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return unwritten_.count(path) != 0;
}

Result<bool> StoreUpdate::AreAbsentChunksUnwritten(const std::string& path, std::size_t threads) {
    if (IsUnwritten(path)) return true;
    if (!absent_are_unwritten_ || !HasCreated(path)) return false;
    ZARR_RETURN_IF_ERROR(Release(path, threads));
    const std::lock_guard<std::mutex> lock(mutex_);
    return omitted_.count(path) == 0;
}

void StoreUpdate::Forget(const zarr::Array& array) {
    const std::lock_guard<std::mutex> lock(mutex_);
    // Pending chunks of a replaced array must not be written into the new array at its path.
    // `array` may still be in use.
    array.DiscardPending();
    writers_.erase(&array);
}

Status StoreUpdate::Release(const std::string& path, std::size_t threads) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto it = writers_.begin(); it != writers_.end();) {
        if (!zarr::IsAtOrBelow(it->first->path(), path)) {
            ++it;
            continue;
        }
        ZARR_RETURN_IF_ERROR(it->second->Flush(threads));
        if (it->second->has_omitted_chunks()) omitted_.insert(it->first->path());
        it = writers_.erase(it);
    }
    return {};
}

void StoreUpdate::Discard(const std::string& path) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto it = writers_.begin(); it != writers_.end();) {
        if (!zarr::IsAtOrBelow(it->first->path(), path)) {
            ++it;
            continue;
        }
        it->first->DiscardPending();
        it = writers_.erase(it);
    }
    for (auto* const paths : {&unwritten_, &omitted_, &incomplete_})
        for (auto it = paths->begin(); it != paths->end();)
            it = zarr::IsAtOrBelow(*it, path) ? paths->erase(it) : std::next(it);
    const std::lock_guard<std::mutex> attributes_lock(attributes_mutex_);
    for (auto it = changed_.begin(); it != changed_.end();)
        it = zarr::IsAtOrBelow(it->first, path) ? changed_.erase(it) : std::next(it);
}

Status StoreUpdate::FlushChunks(std::size_t threads) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Status first;
    for (auto& [array, writer] : writers_) {
        const Status status = writer->Flush(threads);
        if (first.ok()) first = status;
    }
    return first;
}

Result<json::Value> StoreUpdate::Attributes(const std::string& path) const {
    // StoreAttributes() on another thread must not store and erase changes between these reads.
    const std::lock_guard<std::mutex> lock(attributes_mutex_);
    ZARR_ASSIGN_OR_RETURN(json::Value attributes, hierarchy_->Attributes(path));
    const auto found = changed_.find(path);
    if (found != changed_.end()) zarr::ApplyChanges(found->second, {}, *attributes.MutableObject());
    return attributes;
}

void StoreUpdate::ChangeAttribute(const std::string& path, zarr::AttributeChange change) {
    const std::lock_guard<std::mutex> lock(attributes_mutex_);
    zarr::AttributeChanges& changes = changed_[path];
    zarr::AddChange(changes, std::move(change));
    if (changes.empty()) changed_.erase(path);
}

zarr::AttributeChanges StoreUpdate::PendingAttributes(const std::string& path) const {
    const std::lock_guard<std::mutex> lock(attributes_mutex_);
    const auto found = changed_.find(path);
    return found != changed_.end() ? found->second : zarr::AttributeChanges();
}

std::optional<zarr::AttributeChange> StoreUpdate::PendingAttribute(const std::string& path,
                                                                   std::string_view name) const {
    const std::lock_guard<std::mutex> lock(attributes_mutex_);
    const auto found = changed_.find(path);
    if (found == changed_.end()) return std::nullopt;
    for (const zarr::AttributeChange& change : found->second)
        if (change.name == name) return change;
    return std::nullopt;
}

bool StoreUpdate::HasPending(const std::string& path) const {
    const std::lock_guard<std::mutex> lock(attributes_mutex_);
    return changed_.count(path) != 0;
}

void StoreUpdate::MoveNode(const std::string& from, const std::string& to) {
    const std::scoped_lock lock(mutex_, attributes_mutex_);
    const auto moved = [&](const std::string& path) {
        return zarr::IsAtOrBelow(path, from) ? to + path.substr(from.size()) : path;
    };
    for (auto& [path, changes] : std::exchange(changed_, {}))
        changed_[moved(path)] = std::move(changes);
    for (auto* const paths : {&made_, &incomplete_, &unwritten_, &omitted_})
        for (const std::string& path : std::exchange(*paths, {})) paths->insert(moved(path));
}

Status StoreUpdate::StoreAttributes(const zarr::AttributeMerge& merge) {
    {
        const std::lock_guard<std::mutex> lock(attributes_mutex_);
        if (changed_.empty()) return {};
    }
    ZARR_ASSIGN_OR_RETURN(const zarr::StoreLock store_lock, Lock());
    const std::lock_guard<std::mutex> lock(attributes_mutex_);
    Status first;
    for (auto it = changed_.begin(); it != changed_.end();) {
        const Status status = metadata_.ChangeAttributes(it->first, it->second, merge);
        if (first.ok()) first = status;
        it = status.ok() ? changed_.erase(it) : std::next(it);
    }
    return first;
}

Status StoreUpdate::Flush(std::size_t threads) {
    Status chunks = FlushChunks(threads);
    Status attributes = StoreAttributes();
    std::optional<CreationHold> hold;
    if (!chunks.ok() || !attributes.ok()) hold.emplace(store_);
    Status stored = store_->Flush();
    if (!chunks.ok()) return chunks;
    return attributes.ok() ? stored : attributes;
}

Status StoreUpdate::Finish(std::size_t threads) {
    std::optional<CreationHold> hold(std::in_place, store_);
    Status flushed = Flush(threads);
    if (flushed.ok()) flushed = DefineAbsentChunks(threads);
    if (flushed.ok()) hold.reset();
    const Status closed = Close();
    return flushed.ok() ? closed : flushed;
}

Status StoreUpdate::Close() {
    const Status finished = metadata_.Finish();
    std::optional<CreationHold> hold;
    if (!finished.ok()) hold.emplace(store_);
    const Status closed = store_->Flush();
    return finished.ok() ? closed : finished;
}

}  // namespace zarr_driver

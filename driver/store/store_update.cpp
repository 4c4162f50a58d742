// SPDX-License-Identifier: MIT
#include "driver/store/store_update.h"

#include <cpl_string.h>

#include <algorithm>

#include "core/base/tuning.h"
#include "core/store/keys.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::Result;
using zarr::Status;

Result<std::shared_ptr<zarr::Synchronizer>> OpenSynchronizer(const std::string& folder) {
    if (folder.empty()) return std::shared_ptr<zarr::Synchronizer>();
    if (STARTS_WITH(folder.c_str(), "/vsi"))
        return Status::Invalid("SYNCHRONIZER: " + folder + ": lock files need a local folder");
    return zarr::OpenProcessSynchronizer(folder).WithContext("SYNCHRONIZER");
}

Status NotForUpdate(bool is_inherited) {
    return Status::Permission(is_inherited
                                  ? "opened for update by the parent process; open it again in "
                                    "this process"
                                  : "not open in update mode");
}

Status StoreUpdate::MakeArray(const std::string& path, const zarr::ArrayMetadata& metadata,
                              const zarr::json::Object& attributes) {
    // Recorded first, because even a failed creation may leave keys behind.
    RecordCreated(path);
    return metadata_.CreateArray(path, metadata, attributes, zarr::IfExists::kReplace);
}

void StoreUpdate::RecordCreated(const std::string& path) {
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
    written_.insert(array->path());
    return writers_.emplace(array.get(), std::move(writer)).first->second.get();
}

Status StoreUpdate::SetFillValue(const zarr::Hierarchy& hierarchy, const std::string& path,
                                 const std::optional<std::string>& element, std::size_t threads) {
    ZARR_RETURN_IF_ERROR(Release(path, threads));
    // Another process may have changed the metadata, so it is read again.
    hierarchy.Reload();
    ZARR_ASSIGN_OR_RETURN(const zarr::ArrayMetadata metadata, hierarchy.Metadata(path));
    ZARR_ASSIGN_OR_RETURN(const zarr::ArrayMetadata changed,
                          zarr::WithFillValue(metadata, element));
    if (metadata.has_fill_value && (element || !changed.has_fill_value)) {
        ZARR_ASSIGN_OR_RETURN(const auto array, hierarchy.OpenArray(path));
        ZARR_ASSIGN_OR_RETURN(const auto other,
                              hierarchy.WithMetadata({{path, changed}})->OpenArray(path));
        ZARR_ASSIGN_OR_RETURN(
            const auto writer,
            zarr::ArrayWriter::Open(other, store_, zarr::tuning::kMinPendingLimit, locks_));
        ZARR_RETURN_IF_ERROR(zarr::StoreAbsentChunks(*array, *writer, threads));
    }
    return metadata_.ReplaceMetadata(path, changed);
}

bool StoreUpdate::HasWritten(const std::string& path) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return written_.count(path) != 0;
}

bool StoreUpdate::HasOmittedChunks(const std::string& path) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return omitted_.count(path) != 0;
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
    for (auto* const paths : {&written_, &omitted_})
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

Result<json::Value> StoreUpdate::AttributesLocked(const std::string& path) const {
    const auto found = changed_.find(path);
    if (found != changed_.end()) return found->second.after;
    return hierarchy_->Attributes(path);
}

Result<json::Value> StoreUpdate::Attributes(const std::string& path) const {
    const std::lock_guard<std::mutex> lock(attributes_mutex_);
    return AttributesLocked(path);
}

Status StoreUpdate::ChangeAttribute(const std::string& path, const std::string& name,
                                    std::optional<json::Value> value) {
    const std::lock_guard<std::mutex> lock(attributes_mutex_);
    ZARR_ASSIGN_OR_RETURN(const json::Value attributes, AttributesLocked(path));
    const json::Object& members = *attributes.as_object();
    // If the stored object repeats the name, one member with the new value replaces all members of
    // this name.
    json::Object kept;
    bool is_set = false;
    for (const json::Member& member : members) {
        if (member.first != name) {
            kept.push_back(member);
        } else if (value && !is_set) {
            kept.emplace_back(name, *value);
            is_set = true;
        }
    }
    if (value && !is_set) kept.emplace_back(name, std::move(*value));
    json::Value after(std::move(kept));
    auto& changed = changed_.try_emplace(path, Changed{attributes, attributes}).first->second;
    changed.after = std::move(after);
    return {};
}

void StoreUpdate::MoveAttributes(const std::string& from, const std::string& to) {
    const std::lock_guard<std::mutex> lock(attributes_mutex_);
    std::map<std::string, Changed> moved;
    for (auto& [path, changed] : changed_)
        moved[zarr::IsAtOrBelow(path, from) ? to + path.substr(from.size()) : path] =
            std::move(changed);
    changed_ = std::move(moved);
}

Status StoreUpdate::StoreAttributes() {
    const std::lock_guard<std::mutex> lock(attributes_mutex_);
    Status first;
    for (auto it = changed_.begin(); it != changed_.end();) {
        const Status status =
            metadata_.ChangeAttributes(it->first, it->second.before, it->second.after);
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

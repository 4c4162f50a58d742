// SPDX-License-Identifier: MIT
#include "driver/multidim/pending_attributes.h"

#include <utility>

#include "core/store/keys.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::Result;
using zarr::Status;

Result<json::Value> PendingAttributes::AttributesLocked(const std::string& path) const {
    const auto found = changed_.find(path);
    if (found != changed_.end()) return found->second.after;
    return hierarchy_->Attributes(path);
}

Result<json::Value> PendingAttributes::Attributes(const std::string& path) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return AttributesLocked(path);
}

Status PendingAttributes::ChangeAttribute(const std::string& path, const std::string& name,
                                          std::optional<json::Value> value) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ZARR_ASSIGN_OR_RETURN(const json::Value attributes, AttributesLocked(path));
    const json::Object& members = *attributes.as_object();
    // Of a repeated name the last counts; now there is one.
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

void PendingAttributes::Moved(const std::string& from, const std::string& to) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::map<std::string, Changed> moved;
    for (auto& [path, changed] : changed_)
        moved[zarr::IsAtOrBelow(path, from) ? to + path.substr(from.size()) : path] =
            std::move(changed);
    changed_ = std::move(moved);
}

void PendingAttributes::Forget(const std::string& path) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto it = changed_.begin(); it != changed_.end();)
        it = zarr::IsAtOrBelow(it->first, path) ? changed_.erase(it) : std::next(it);
}

Status PendingAttributes::StoreAttributes() {
    const std::lock_guard<std::mutex> lock(mutex_);
    Status first;
    for (auto it = changed_.begin(); it != changed_.end();) {
        const Status status =
            store_->metadata().ChangeAttributes(it->first, it->second.before, it->second.after);
        if (first.ok()) first = status;
        it = status.ok() ? changed_.erase(it) : std::next(it);
    }
    return first;
}

Status PendingAttributes::Flush(std::size_t threads) {
    const Status chunks = store_->FlushChunks(threads);
    const Status attributes = StoreAttributes();
    return chunks.ok() ? attributes : chunks;
}

Status PendingAttributes::Finish(std::size_t threads) {
    const Status flushed = Flush(threads);
    const Status finished = store_->metadata().Finish();
    return flushed.ok() ? finished : flushed;
}

}  // namespace zarr_driver

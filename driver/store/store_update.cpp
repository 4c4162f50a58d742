// SPDX-License-Identifier: MIT
#include "driver/store/store_update.h"

#include <cpl_string.h>

#include <algorithm>

#include "core/store/keys.h"

namespace zarr_driver {

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
                                  ? "opened for update by the process that this one was forked "
                                    "from; open it anew to change it"
                                  : "opened for reading, not for update");
}

Status StoreUpdate::MakeArray(const std::string& path, const zarr::ArrayMetadata& metadata,
                              const zarr::json::Object& attributes) {
    NoteMade(path);  // whatever happens: a part of it may be there
    return metadata_.CreateArray(path, metadata, attributes, zarr::IfExists::kReplace);
}

void StoreUpdate::NoteMade(const std::string& path) {
    const std::lock_guard<std::mutex> lock(mutex_);
    made_.insert(path);
}

bool StoreUpdate::HasMade(const std::string& path) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return made_.count(path) != 0;
}

Status StoreUpdate::EraseMade() {
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
    // As much as may be cached, and enough for a row of chunks that is written line by line.
    constexpr std::size_t kLeast = std::size_t{64} << 20;
    const std::size_t limit = std::max(kLeast, array->context().cache().max_bytes());
    ZARR_ASSIGN_OR_RETURN(auto writer, zarr::ArrayWriter::Open(array, store_, limit, locks_));
    return writers_.emplace(array.get(), std::move(writer)).first->second.get();
}

bool StoreUpdate::HasWritten(const zarr::Array& array) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return writers_.count(&array) != 0;
}

void StoreUpdate::Forget(const zarr::Array& array) {
    const std::lock_guard<std::mutex> lock(mutex_);
    // The array may live on in somebody's hands, and be found again under its name.
    array.pending().Clear();
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
        it->first->pending().Clear();
        it = writers_.erase(it);
    }
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

Status StoreUpdate::Close() {
    const Status finished = metadata_.Finish();
    const Status closed = store_->Close();
    return finished.ok() ? closed : finished;
}

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/store/memory_store.h"
#include "driver/transport/store_path.h"

namespace zarr_driver {

// A new store in an object store, which this process is filling. Objects cannot be renamed, so
// chunks go to their final keys at once, and metadata documents stay in memory until Publish(). No
// program can open the store before. The stores that this process opens in the folder meanwhile
// read the documents here, and know which keys exist without a request.
//
// An old store in the folder stays until a new key equals one of its keys, or until the new store
// is whole. Thread-safe.
class RemoteCreation {
  public:
    // Starts a new store in `folder`. `old` are the keys of the store that is replaced. The
    // creation ends with the last owner of the result.
    static std::shared_ptr<RemoteCreation> Begin(const StorePath& folder,
                                                 const std::vector<std::string>& old);
    // Returns the creation of the store with this Store::Identity(); nullptr if there is none.
    static std::shared_ptr<RemoteCreation> Find(const std::string& identity);

    bool IsPublished() const;
    // True if a document or chunk was written under `key`.
    bool Holds(const std::string& key) const;
    // Documents that are not published yet.
    const zarr::MemoryStore& documents() const { return documents_; }
    // All written keys, with empty values.
    const zarr::MemoryStore& keys() const { return keys_; }

    zarr::Status SetDocument(const std::string& key, const std::vector<zarr::ByteSpan>& parts);
    zarr::Status RemoveDocument(const std::string& key);
    // Must be called before a chunk is written. Erases the old store if it has the same key.
    zarr::Status PrepareChunk(const std::string& key);
    // Records that the chunk of the last PrepareChunk() of this key was stored. Publish() fails
    // while a chunk is missing.
    void RecordChunk(const std::string& key);
    // Records that a chunk was removed.
    zarr::Status ForgetChunk(const std::string& key);

    // Between Hold() and the same number of calls of Release(), Publish() does nothing, because
    // chunks are missing.
    void Hold();
    void Release();
    // Writes the documents from the leaves up, the one of the root last, and erases the rest of the
    // old store. Does nothing if that has been done. Can be repeated after a failure. IsPublished()
    // is true although the call fails if only the rest of the old store could not be erased.
    zarr::Status Publish();
    // Removes what was written, unless IsPublished(). An old store that is still whole stays.
    void Abandon();

  private:
    explicit RemoteCreation(StorePath folder) : folder_(std::move(folder)) {}
    zarr::Status EraseOldLocked();
    bool MixesWithOldLocked(const std::vector<std::string>& documents) const;

    const StorePath folder_;
    mutable std::mutex mutex_;
    zarr::MemoryStore documents_;
    zarr::MemoryStore keys_;
    std::set<std::string> old_;      // keys of the old store; empty once they are erased
    std::set<std::string> missing_;  // chunks that could not be written
    std::set<std::string> stored_;   // documents that Publish() has written
    int holds_ = 0;
    bool is_published_ = false;
};

}  // namespace zarr_driver

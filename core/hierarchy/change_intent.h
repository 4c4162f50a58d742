// SPDX-License-Identifier: MIT
// Record of a change of documents that a writer has begun. If the writer is killed, the next one
// reads the record, and undoes or finishes the change.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/base/status.h"

namespace zarr {

struct ChangeIntent {
    // Paths of groups whose consolidated metadata was erased, and must be written again.
    std::set<std::string> consolidated;
    // Keys of documents that change together, with their texts from before; nullopt if absent.
    // Paths of nodes that are made or deleted, with nullopt: what is there is removed.
    std::map<std::string, std::optional<std::string>> documents;

    bool IsEmpty() const { return consolidated.empty() && documents.empty(); }
};

// The file that holds the intent of a store in a local folder: "STORE.intent" beside the store, so
// that readers of the store do not see it; "STORE/.intent" if the parent folder is not writable.
// Only the holder of the store's lock may use it. Not thread-safe.
class IntentFile {
  public:
    // `store` is the folder of the store; links are followed.
    explicit IntentFile(std::string store) : store_(std::move(store)) {}

    // Returns the intent that another writer has left; nullopt if there is none. Ignores an intent
    // of this object, and an intent of another store that had the same name.
    Result<std::optional<ChangeIntent>> Find() const;
    // Replaces the intent. An empty intent removes the file.
    Status Write(const ChangeIntent& intent);
    // True if a file exists that this object has not written.
    bool MayExist() const;

  private:
    std::string store_;
    std::string written_;  // text of the file that this object wrote last; empty if none
};

// Removes the intent of the store in the local folder `store`, which is being deleted or replaced.
void RemoveIntent(const std::string& store);

}  // namespace zarr

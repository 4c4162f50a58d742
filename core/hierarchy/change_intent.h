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
    struct Document {
        std::optional<std::string> before;  // text from before the change; nullopt if absent
        // DigestOfDocument() of the text that the writer is about to store. Empty if the writer has
        // not come so far, "*" if other texts than the writer's are replaced, too.
        std::string after;
    };
    // Documents that change together, by key.
    std::map<std::string, Document> documents;
    // Paths of nodes that are made, with nullopt, or deleted, with the text of the document that
    // makes them a node.
    std::map<std::string, std::optional<std::string>> nodes;

    bool IsEmpty() const { return consolidated.empty() && documents.empty() && nodes.empty(); }
};

// Returns a digest of a document's text; of its absence for nullopt.
std::string DigestOfDocument(const std::optional<std::string>& text);

// The file that holds the intent of a store in a local folder: "STORE.intent" beside the store, so
// that readers of the store do not see it; "STORE/.intent" if that file cannot be written.
// Only the holder of the store's lock may use it, except Find() and HasUnfinished(). Not
// thread-safe.
class IntentFile {
  public:
    // `store` is the folder of the store; links are followed.
    explicit IntentFile(std::string store) : store_(std::move(store)) {}

    // Returns the intent that another writer has left; nullopt if there is none. Ignores an intent
    // of this object or of another store that had the same name. Ignores a file that neither this
    // user nor the owner of the store has written.
    std::optional<ChangeIntent> Find() const;
    // True if there is a file that another writer has not finished. It may be at work.
    bool HasUnfinished() const;
    void RemoveUnfinished() const;
    // Replaces the intent. An empty intent removes the file.
    Status Write(const ChangeIntent& intent);

  private:
    std::string store_;
    std::string written_;  // text of the file that this object wrote last; empty if none
};

// Removes the intent of the store in the local folder `store`, which is being deleted or replaced.
void RemoveIntent(const std::string& store);

}  // namespace zarr

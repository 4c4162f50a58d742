// SPDX-License-Identifier: MIT
// Record of a change of a store that a writer has begun. If the writer is killed, the next one
// reads the record, and undoes, finishes or continues the change.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/base/status.h"
#include "core/store/staging.h"
#include "core/store/store.h"

namespace zarr {

struct ChangeIntent {
    // Paths of groups whose consolidated metadata was erased, and must be written again.
    std::set<std::string> consolidated;
    struct Document {
        std::optional<std::string> before;  // text from before the change; nullopt if absent
        // DigestOfDocument() of each text that the writer has stored or is about to store, each
        // with a space. Begins with "*" if NczarrDocuments changes the document, too; the digests
        // are then those of texts without the members of netCDF-C.
        std::string after;
        // FolderIdentity() of the node at the begin; empty if unknown.
        std::string folder;
        // Shapes, as JSON, in the texts that the writer has stored or is about to store.
        std::set<std::string> shapes;
    };
    // Documents that change together, by key.
    std::map<std::string, Document> documents;
    // Paths of nodes that are made, with nullopt, or deleted, with the text of the document that
    // makes them a node.
    std::map<std::string, std::optional<std::string>> nodes;
    // A copy that makes the store, whose pixels are stored in all bands before `band` (from 1) and
    // there in all rows before `row`.
    struct Copy {
        std::string signature;  // identifies the source and the new arrays
        int band = 1;
        int row = 0;
    };
    std::optional<Copy> copy;

    bool HasChange() const { return !consolidated.empty() || !documents.empty() || !nodes.empty(); }
    bool IsEmpty() const { return !HasChange() && !copy; }
};

// Returns a digest of a document's text; of its absence for nullopt.
std::string DigestOfDocument(const std::optional<std::string>& text);

// The document that holds the intent of a store. In a local folder it is the file "STORE.intent"
// beside the store, so that readers of the store do not see it; "STORE/.intent" if that file cannot
// be written. In other stores it has the key ".intent".
//
// If the file beside the store can be neither replaced nor removed, the file inside names its text
// as one that has ended.
// Only the holder of the store's lock, or the creator of the store, may use it, except Find(). Not
// thread-safe.
class IntentFile {
  public:
    // `folder` is the local folder of the store, or empty; links are followed. `store` may be
    // nullptr if `folder` is not empty.
    IntentFile(std::string folder, std::shared_ptr<Store> store)
        : folder_(std::move(folder)), store_(std::move(store)) {}

    // Returns the intent that another writer has left; nullopt if there is none. Ignores an intent
    // of this object or of another store that had the same name. Ignores a file that neither this
    // user nor the owner of the store has written.
    std::optional<ChangeIntent> Find() const;
    // Returns the copy that is recorded, also by this object. For local folders.
    std::optional<ChangeIntent::Copy> FindCopy() const;
    // Replaces the intent. An empty intent removes the document. Returns an error if a later Find()
    // of another writer could return an older intent.
    Status Write(const ChangeIntent& intent);

  private:
    std::optional<ChangeIntent> FindInFiles(bool also_own) const;
    // Returns the text of an intent with a new id.
    std::string NewText(const ChangeIntent& intent, const std::string& ended);
    // True if this object has written the intent with the id `id`.
    bool IsOwn(const std::string& id) const;
    Status WriteFiles(const ChangeIntent& intent);

    std::string folder_;
    std::shared_ptr<Store> store_;
    AbandonedFiles abandoned_;
    std::string own_;  // begin of the ids of this object's intents; empty before the first
    std::uint64_t count_ = 0;
};

// Removes the intent of the store in the local folder `store`, which is being deleted or replaced.
// An intent that cannot be removed is ended if that is possible.
void RemoveIntent(const std::string& store);

}  // namespace zarr

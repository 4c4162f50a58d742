// SPDX-License-Identifier: MIT
// Operations on whole subtrees of a store. Readers never see an incomplete array, because its
// metadata documents exist only while all of its chunks exist.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "core/json/value.h"
#include "core/store/store.h"

namespace zarr {

// Removes every key below `prefix`, which must not be the root. Removes metadata documents from the
// leaves up, then chunks. Links to folders are removed, not followed. A failed call can be
// repeated. A process that is killed leaves chunks without metadata documents. Returns kUnsupported
// and removes nothing if the store cannot list.
Status EraseTree(Store& store, const std::string& prefix);

// True if `prefix` has no nodes but only chunks, which a killed deletion has left without their
// array.
Result<bool> HasOnlyStrayChunks(const Store& store, const std::string& prefix);

// A store and a prefix in that store; the prefix "" means the whole store.
struct ConstSubtree {
    const Store& store;
    std::string prefix;
};
struct Subtree {
    Store& store;
    std::string prefix;
};

// Copies every key below `from` to `to`. Chunks are copied first, then metadata documents from the
// leaves up. After an error, the caller must erase the keys below `to`.
Status CopyTree(const ConstSubtree& from, const Subtree& to);

// True if CopyTree() would change nothing: both have the same keys, with the same values.
Result<bool> AreTreesEqual(const ConstSubtree& from, const ConstSubtree& to);

// Metadata documents that a writer knows to be stored, because it has written them or has read
// their keys in consolidated metadata.
struct KnownDocuments {
    std::set<std::string> keys;  // may contain keys that were erased since
    // True if no other document exists. A listing that fails is then not needed.
    bool are_all = false;
};

// Returns the text of a `.zmetadata` for the nodes at and below `prefix`, as zarr-python's
// consolidate_metadata() writes it. The text contains each `.zarray`, `.zgroup` and `.zattrs` under
// its key relative to `prefix`. Empty if no document exists. Prefixes below arrays are not
// searched. Documents that `known` names are contained even if listings lack them. Returns
// kCorrupt if a document is not JSON.
Result<std::string> ConsolidatedText(const Store& store, const std::string& prefix,
                                     const KnownDocuments& known = {});

// Returns all `zarr.json` documents below `prefix` in a Zarr v3 store, for a
// "consolidated_metadata" member. The key of each document is the path of its node relative to
// `prefix`.
Result<json::Object> V3DocumentsBelow(const Store& store, const std::string& prefix,
                                      const KnownDocuments& known = {});

// Functions that delete whole stores, and that find files in a store's folder that do not belong to
// the store.

// Returns the first key or prefix that belongs neither to Zarr nor to the names that `is_known`
// accepts, at any level. Returns "" if there is none. Returns kUnsupported if the store cannot
// list; kLimit if prefixes nest too deeply.
Result<std::string> FindForeignKey(const Store& store,
                                   const std::function<bool(std::string_view name)>& is_known);

// Turns the root into an empty group, as the first step of deleting the store. Otherwise a reader
// could open an array whose chunks are already erased.
Status ClearRoot(Store& store);

// Removes every key of the store: ClearRoot() first, then all subtrees, and the root's group last.
// After an error the root is still a group, so that the call can be repeated.
Status EraseStore(Store& store);

}  // namespace zarr

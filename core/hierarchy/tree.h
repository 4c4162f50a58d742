// SPDX-License-Identifier: MIT
// Whole subtrees of a store, in an order in which no reader ever sees half a node: the documents of
// an array are there only while all its chunks are.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/json/value.h"
#include "core/store/store.h"

namespace zarr {

// Removes every key below `prefix`, which is not the root: first all documents, from the leaves up,
// then the chunks. Links to folders are removed, not followed. After a failure it can be repeated;
// a killed one leaves chunks without documents. kUnsupported, with nothing removed, where the store
// cannot list.
Status EraseTree(Store& store, const std::string& prefix);

// True where nothing lies below `prefix` but chunks without an array, as a killed deletion leaves
// them.
Result<bool> HoldsOnlyChunks(const Store& store, const std::string& prefix);

// A prefix of a store; "" is all of it.
struct ConstSubtree {
    const Store& store;
    std::string prefix;
};
struct Subtree {
    Store& store;
    std::string prefix;
};

// Copies every key below `from` to below `to`, the documents last and from the leaves up. After a
// failure what is below `to` is for the caller to erase.
Status CopyTree(const ConstSubtree& from, const Subtree& to);

// The text of a `.zmetadata` of the nodes at and below `prefix`, as zarr-python's
// consolidate_metadata() writes it: every `.zarray`, `.zgroup` and `.zattrs` by its key relative to
// `prefix`. Empty where there are none. Does not look for nodes below arrays. kCorrupt where one
// does not parse.
Result<std::string> ConsolidatedText(const Store& store, const std::string& prefix);

// The same of Zarr v3: the documents of the nodes below `prefix` by their paths relative to it, as
// "consolidated_metadata" holds them.
Result<json::Object> V3DocumentsBelow(const Store& store, const std::string& prefix);

// Removing whole stores, and knowing what is one.

// The first key or prefix that belongs to no Zarr store; empty where there is none. `is_known` is
// asked about names that Zarr does not have, wherever they are. kUnsupported where the store cannot
// list, kLimit where it nests too deeply.
Result<std::string> FindForeign(const Store& store,
                                const std::function<bool(std::string_view name)>& is_known);

// Makes an empty group of the root of a store that is to be deleted: an array there, and the nodes
// that consolidated metadata describe, must not be opened any more when chunks are gone.
Status EmptyRoot(Store& store);

// Removes every key. EmptyRoot() comes first and then EraseTree() of everything else; the root's
// group goes last, so that after a failure it is still a store, and this can be repeated.
Status EraseStore(Store& store);

}  // namespace zarr

// SPDX-License-Identifier: MIT
// Table of store kinds: folder, zip file and others. To add one, write a header and a source file
// that define its row, and add a line to store_kind.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/store/store.h"
#include "driver/base/open_options.h"
#include "driver/store/store_address.h"

namespace zarr_driver {

enum class StoreOperation : std::uint8_t { kCreate, kWrite };

// A kind of store, as a table of functions. Where a function is nullptr, OfKind() takes it from the
// next kind that recognises the address. No function keeps the address.
struct StoreKind {
    // True if the parts of the address, or the first bytes of a local file, show that a store there
    // is of this kind. `store_kind` of the address is not yet set. Sends no request over a network.
    bool (*recognise)(const StoreAddress& address);
    // True if the name of the file or remote folder at `path` and its first bytes `head` prove a
    // store of this kind, or a zip file. `head` is empty if nobody has read the file.
    bool (*is_proven_by)(const StorePath& path, std::string_view head);
    // True if a store is at the address. Looks for a few files by name, and lists no folder.
    bool (*is_there)(const StoreAddress& address);
    // Returns the root of the store that holds the address, and the path from there as its node.
    // The address has no node. `store_kind` and the parts of the result are those of the root.
    StoreAddress (*find_root)(const StoreAddress& address);
    zarr::Result<std::shared_ptr<const zarr::Store>> (*open)(const StoreAddress& address,
                                                             const StoreAccess& access);
    // Called after `check` has allowed it.
    zarr::Result<std::shared_ptr<zarr::Store>> (*open_for_update)(const StoreAddress& address,
                                                                  const StoreAccess& access);
    // Returns Ok if stores of this kind allow `operation` at `address`, else kUnsupported.
    zarr::Status (*check)(const StoreAddress& address, StoreOperation operation);
    // Creates an empty folder or file at `path`, the temporary name of a store that is being built.
    // Sets errno on failure.
    zarr::Status (*create)(const std::string& path);
    // Deletes the folder or file at `address`. If `is_store` is true, the caller knows that a store
    // exists there, so an empty listing of an object store is an error.
    zarr::Status (*erase)(const StoreAddress& address, bool is_store);
};

// Rows of kinds of which each address leads to a store, and to its root.
inline bool IsThereAlways(const StoreAddress& /*address*/) { return true; }
inline StoreAddress IsRootItself(const StoreAddress& address) { return address; }

// Returns all store kinds in the order in which they are tried. Only tests may change this table,
// before they start threads.
std::vector<const StoreKind*>& StoreKinds();

template <class Function>
using KindFunction = Function StoreKind::*;
// Returns the function `function` of the address's store kind, or of the next kind that recognises
// the address and has the function. If `after` is not nullptr, tries only kinds after it.
template <class Function>
Function OfKind(const StoreAddress& address, KindFunction<Function> function,
                const StoreKind* after = nullptr) {
    bool is_tried = after == nullptr && address.store_kind == nullptr;
    for (const StoreKind* kind : StoreKinds()) {
        const bool is_own = after == nullptr && kind == address.store_kind;
        is_tried = is_tried || is_own;
        if (is_tried && kind->*function != nullptr && (is_own || kind->recognise(address)))
            return kind->*function;
        if (kind == after) is_tried = true;
    }
    return nullptr;  // never reached: the last kind recognises every address and has all functions
}

// Returns the first kind whose name and first bytes those of the file or remote folder at `path`
// are; nullptr if there is none.
const StoreKind* KindOfFile(const StorePath& path, std::string_view head);

// Opens the store at `address` for reading. Fails if it is an unreadable zip file.
zarr::Result<std::shared_ptr<const zarr::Store>> OpenStore(const StoreAddress& address,
                                                           const StoreAccess& access);

// Opens the store at `address` for reading and writing. With `missing_on_403`, values that a server
// refuses are absent. Fails if it is a zip file that cannot be changed.
zarr::Result<std::shared_ptr<zarr::Store>> OpenStoreForUpdate(const StoreAddress& address,
                                                              bool missing_on_403 = false);

// Deletes the folder or zip file at `path`, even without a complete store. If `is_store` is
// true, the caller knows that a store exists there, so an empty listing of an object store is an
// error.
zarr::Status EraseWhole(const StorePath& path, bool is_store = false);

}  // namespace zarr_driver

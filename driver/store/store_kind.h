// SPDX-License-Identifier: MIT
// The table of store kinds. To add a kind, write a header and a source file that define its row,
// and add a line to store_kind.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/store/store.h"
#include "driver/base/open_options.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

// Options with which a store is opened.
struct StoreAccess {
    // If true, values that the server refuses (status 403) count as absent. Object stores answer
    // 403 for absent keys if the client has no right to list.
    bool missing_on_403 = false;
    // If true, the store is opened for update, and cached answers are not used.
    bool update = false;
    // Decides which links to other stores may be followed.
    FollowLinks follow_links = FollowLinks::kNo;
};

enum class StoreChange : std::uint8_t { kCreate, kWrite, kDeleteNode };

// A kind of store, as a row in a table of functions. If a function is nullptr, OfKind() uses the
// next row that recognises the path and has the function.
struct StoreKind {
    // True if a store at `path` is of this kind. Sends no request over a network.
    bool (*recognise)(const StorePath& path);
    zarr::Result<std::shared_ptr<const zarr::Store>> (*open)(const StorePath& path,
                                                             const StoreAccess& access);
    zarr::Result<std::shared_ptr<zarr::Store>> (*open_for_update)(const StorePath& path,
                                                                  const StoreAccess& access);
    // Returns Ok if the kind allows `change` for the store at `path`, else kUnsupported.
    zarr::Status (*check)(const StorePath& path, StoreChange change);
    // Creates an empty folder or file at `path`, which is the staging name of a store that is being
    // built. Sets errno on failure.
    zarr::Status (*create)(const std::string& path);
    // Deletes the folder or file at `path`. `is_store` is true if the caller knows that a store
    // exists there. If it is true, an empty listing of an object store is an error.
    zarr::Status (*erase)(const std::string& path, bool is_store);
};

// Returns all store kinds, in the order in which OfKind() tries them. Only tests may change the
// table, and only before threads start.
std::vector<const StoreKind*>& StoreKinds();

// Returns the member `function` of the first store kind that recognises `path` and has that
// function. If `after` is not nullptr, tries only kinds that follow `after` in the table.
template <class Function>
Function OfKind(const StorePath& path, Function StoreKind::*function,
                const StoreKind* after = nullptr) {
    for (const StoreKind* kind : StoreKinds()) {
        if (after == nullptr && kind->*function != nullptr && kind->recognise(path))
            return kind->*function;
        if (kind == after) after = nullptr;
    }
    return nullptr;  // not reached: the last kind has all functions and recognises every path
}

// Opens the store at `path` for reading. Fails if `path` is a zip file that cannot be read.
zarr::Result<std::shared_ptr<const zarr::Store>> OpenStore(const StorePath& path,
                                                           const StoreAccess& access);

// Opens the store at `path` for reading and writing. If `missing_on_403` is true, values that the
// server refuses count as absent. Fails if `path` is a zip file that cannot be changed.
zarr::Result<std::shared_ptr<zarr::Store>> OpenStoreForUpdate(const StorePath& path,
                                                              bool missing_on_403 = false);

// Deletes the folder or zip file at `path`, even if it holds no complete store. `is_store` is true
// if the caller knows that a store exists there. If it is true, an empty listing of an object store
// is an error.
zarr::Status EraseWhole(const std::string& path, bool is_store = false);

}  // namespace zarr_driver

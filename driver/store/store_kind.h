// SPDX-License-Identifier: MIT
// Table of store kinds: folder, zip file and others. To add one, write a header and a source file
// that define its row, and add a line to store_kind.cpp.
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
    // If true, values that a server refuses (status 403) are absent. Object stores answer so for
    // absent keys if the client may not list.
    bool missing_on_403 = false;
    // If true, the store is opened for update, without cached answers.
    bool update = false;
    // which links to other stores may be followed
    FollowLinks follow_links = FollowLinks::kNo;
};

enum class StoreOperation : std::uint8_t { kCreate, kWrite };

// A kind of store, as a table of functions. Where a function is nullptr, OfKind() takes it from the
// next kind that recognises the path.
struct StoreKind {
    // True if a store at `path` is of this kind. Sends no request over a network.
    bool (*recognise)(const StorePath& path);
    zarr::Result<std::shared_ptr<const zarr::Store>> (*open)(const StorePath& path,
                                                             const StoreAccess& access);
    zarr::Result<std::shared_ptr<zarr::Store>> (*open_for_update)(const StorePath& path,
                                                                  const StoreAccess& access);
    // Returns Ok if stores of this kind allow `operation` at `path`, else kUnsupported.
    zarr::Status (*check)(const StorePath& path, StoreOperation operation);
    // Creates an empty folder or file at `path`, the temporary name of a store that is being built.
    // Sets errno on failure.
    zarr::Status (*create)(const std::string& path);
    // Deletes the folder or file at `path`. If `is_store` is true, the caller knows that a store
    // exists there, so an empty listing of an object store is an error.
    zarr::Status (*erase)(const std::string& path, bool is_store);
};

// Returns all store kinds in the order in which OfKind() tries them. Only tests may change this
// table, before they start threads.
std::vector<const StoreKind*>& StoreKinds();

// Returns the function `function` of the first store kind that recognises `path` and has the
// function. If `after` is not nullptr, tries only later kinds.
template <class Function>
Function OfKind(const StorePath& path, Function StoreKind::*function,
                const StoreKind* after = nullptr) {
    for (const StoreKind* kind : StoreKinds()) {
        if (after == nullptr && kind->*function != nullptr && kind->recognise(path))
            return kind->*function;
        if (kind == after) after = nullptr;
    }
    return nullptr;  // never reached: the last kind recognises every path and has all functions
}

// Opens the store at `path` for reading. Fails if `path` is an unreadable zip file.
zarr::Result<std::shared_ptr<const zarr::Store>> OpenStore(const StorePath& path,
                                                           const StoreAccess& access);

// Opens the store at `path` for reading and writing. With `missing_on_403`, values that a server
// refuses are absent. Fails if `path` is a zip file that cannot be changed.
zarr::Result<std::shared_ptr<zarr::Store>> OpenStoreForUpdate(const StorePath& path,
                                                              bool missing_on_403 = false);

// Deletes the folder or zip file at `path`, even without a complete store. If `is_store` is true,
// the caller knows that a store exists there, so an empty listing of an object store is an error.
zarr::Status EraseWhole(const std::string& path, bool is_store = false);

}  // namespace zarr_driver

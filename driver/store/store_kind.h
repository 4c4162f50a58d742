// SPDX-License-Identifier: MIT
// The table of store kinds. A new kind is a header and a source file with its row, and a line in
// store_kind.cpp.
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

// How a store is opened.
struct StoreAccess {
    // Values that the server refuses (403) count as absent. Object stores refuse absent keys to
    // clients without the right to list.
    bool missing_on_403 = false;
    // The store is opened for update: cached answers are not used.
    bool update = false;
    // Links to other stores that may be read.
    FollowLinks follow_links = FollowLinks::kNo;
};

enum class StoreChange : std::uint8_t { kCreate, kWrite, kDeleteNode };

// A kind of store: a row of functions. Instead of a function that is nullptr, OfKind() returns the
// function of the next kind in the table that recognises the path.
struct StoreKind {
    // True if a store at `path` is of this kind. Takes no request over a network.
    bool (*recognise)(const StorePath& path);
    zarr::Result<std::shared_ptr<const zarr::Store>> (*open)(const StorePath& path,
                                                             const StoreAccess& access);
    zarr::Result<std::shared_ptr<zarr::Store>> (*open_for_update)(const StorePath& path,
                                                                  const StoreAccess& access);
    // Returns Ok if stores of this kind allow `change`, else kUnsupported.
    zarr::Status (*check)(const StorePath& path, StoreChange change);
    // Creates an empty folder or file at `path`, under the staging name that the store has while it
    // is built. Sets errno on failure.
    zarr::Status (*create)(const std::string& path);
    // Deletes the folder or file at `path`. `is_store` is true if a store is known to exist there;
    // then an empty listing of an object store is an error.
    zarr::Status (*erase)(const std::string& path, bool is_store);
};

// Returns all kinds, in the order in which they are tried. Only tests may change the table, before
// threads start.
std::vector<const StoreKind*>& StoreKinds();

// Returns the member `function` of the first kind that recognises `path` and has that function.
// With `after`, only kinds that follow `after` in the table are tried.
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

// Opens the store at `path` for reading. Fails for a zip file that cannot be read.
zarr::Result<std::shared_ptr<const zarr::Store>> OpenStore(const StorePath& path,
                                                           const StoreAccess& access);

// Opens the store at `path` for reading and writing. With `missing_on_403` refused values count as
// absent. Fails for a zip file that cannot be changed.
zarr::Result<std::shared_ptr<zarr::Store>> OpenStoreForUpdate(const StorePath& path,
                                                              bool missing_on_403 = false);

// Deletes the folder or zip file at `path`, complete store or not. `is_store` is true if a store is
// known to exist there; then an empty listing of an object store is an error.
zarr::Status EraseWhole(const std::string& path, bool is_store = false);

}  // namespace zarr_driver

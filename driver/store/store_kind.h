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

// How a store is asked.
struct StoreAccess {
    // What is refused (403) counts as absent: object stores answer so to clients without the right
    // to list.
    bool missing_on_403 = false;
    // The store is changed, too: nothing that was read of it is trusted later.
    bool update = false;
    // Which links to other stores are read.
    FollowLinks follow_links = FollowLinks::kNo;
};

enum class StoreChange : std::uint8_t { kCreate, kWrite, kDeleteNode };

// A kind of store. Functions that are nullptr are those of the next kind in the table that
// recognises the path.
struct StoreKind {
    // True if a store at `path` is of this kind. Takes no request over a network.
    bool (*recognise)(const StorePath& path);
    zarr::Result<std::shared_ptr<const zarr::Store>> (*open)(const StorePath& path,
                                                             const StoreAccess& access);
    zarr::Result<std::shared_ptr<zarr::Store>> (*open_for_update)(const StorePath& path,
                                                                  const StoreAccess& access);
    // Ok if stores of this kind can be changed so; else kUnsupported.
    zarr::Status (*check)(const StorePath& path, StoreChange change);
    // Creates an empty folder or file at `path`, which has another name than the store while the
    // store is built. Sets errno on failure.
    zarr::Status (*create)(const std::string& path);
    // Deletes the folder or file at `path`. `is_store` is true if a store is known to be there, so
    // that an object store that lists nothing is an error.
    zarr::Status (*erase)(const std::string& path, bool is_store);
};

// All kinds, in the order in which they are asked. To be changed by tests only, before threads
// start.
std::vector<const StoreKind*>& StoreKinds();

// Returns a function of the first kind that has one and recognises `path`, of the kinds after
// `after` if that is given.
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

// Opens the store at a path. Fails for a zip file that cannot be read.
zarr::Result<std::shared_ptr<const zarr::Store>> OpenStore(const StorePath& path,
                                                           const StoreAccess& access);

// Opens the store at a path for reading and writing. `missing_on_403` as in StoreAccess. Fails for
// a zip file that cannot be changed.
zarr::Result<std::shared_ptr<zarr::Store>> OpenStoreForUpdate(const StorePath& path,
                                                              bool missing_on_403 = false);

// Deletes a store, or what there is of one: the folder, or zip file, at `path`. `is_store` as in
// StoreKind::erase.
zarr::Status EraseWhole(const std::string& path, bool is_store = false);

}  // namespace zarr_driver

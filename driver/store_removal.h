// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>

#include "core/base/status.h"

namespace zarr_driver {

// Ok where a new store can take the place `folder`: nothing is there, an empty folder, or a store
// and nothing else. The error names what else is there.
zarr::Status CheckRoom(const std::string& folder);

// Ok where everything in a folder belongs to Zarr; else says what does not, and that the folder is
// therefore not `refusal`, such as "deleted".
zarr::Status CheckNothingElse(const std::string& folder, const char* refusal);

// Deletes the store at `folder` and the files beside it. Refuses, with nothing
// deleted, a folder that is no Zarr v2 store or holds other things too.
zarr::Status RemoveStore(const std::string& folder);

// A new store in the making, perhaps in the place of an old one, which is kept aside until the new
// one is there.
class StoreReplacement {
  public:
    // Makes room at `folder`. Where the file system cannot rename folders the old store is deleted
    // at once.
    static zarr::Result<StoreReplacement> Begin(const std::string& folder);

    // For a store that is changed, not made: keeps and removes nothing.
    StoreReplacement() = default;
    // Removes what was made and puts the old store back, unless Commit() was called.
    ~StoreReplacement() { Undo(); }
    StoreReplacement(const StoreReplacement&) = delete;
    StoreReplacement& operator=(const StoreReplacement&) = delete;
    StoreReplacement(StoreReplacement&& other) noexcept
        : path_(std::exchange(other.path_, {})), aside_(std::exchange(other.aside_, {})) {}
    StoreReplacement& operator=(StoreReplacement&&) = delete;

    // The new store stays, and the old one is deleted.
    void Commit();

  private:
    void Undo();

    std::string path_;   // of the folder or zip file; empty where there is nothing to undo
    std::string aside_;  // where the old store is; empty where there was none
};

}  // namespace zarr_driver

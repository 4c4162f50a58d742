// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/store/partial_files.h"

namespace zarr_driver {

// Renames a store that is to be deleted to a staging name beside it. The next writer of the store
// removes leftovers under that name if this process is killed. Returns the new path, or `path` if
// the store cannot be renamed.
std::string RenameForDeletion(const std::string& path);

// Builds a new store, which may replace an old one. The new store is built under a staging name
// beside the final one, and renamed once it is complete. A killed process therefore leaves the old
// store or the new one under the final name. The next writer of that name removes leftover staging
// stores.
//
// The store is built in place, after the old one is deleted, if folders cannot be renamed. Object
// stores cannot rename folders. Mount points, the current folder, and folders in a parent that is
// not writable cannot be replaced.
class StoreReplacement {
  public:
    // Prepares a new store at `folder`. Fails, with nothing changed, unless nothing exists there,
    // or an empty folder, or a folder with only a store.
    static zarr::Result<StoreReplacement> Begin(const std::string& folder);

    // Creates an inactive object, for stores that are updated and not created.
    StoreReplacement() = default;
    // Deletes the new store, unless Commit() has succeeded.
    ~StoreReplacement() {
        zarr::NoThrow([this] { Undo(); });
    }
    StoreReplacement(const StoreReplacement&) = delete;
    StoreReplacement& operator=(const StoreReplacement&) = delete;
    StoreReplacement(StoreReplacement&& other) noexcept;
    StoreReplacement& operator=(StoreReplacement&& other) noexcept;

    // Path where the store is being built: the staging path until Commit(), then the final one. For
    // a store in a zip file the path is /vsizip/{zip file}/folder, with the staging zip file in the
    // braces.
    const std::string& folder() const { return building_folder_; }
    bool IsStaging() const { return building_ != path_; }
    // True if no store existed under a remote path, so that the new one is known to be empty.
    bool IsKnownEmpty() const { return is_known_empty_; }

    // Gives the new store its final name and deletes the old store. No file of the new store may be
    // open for writing. On failure the old store remains, and the destructor deletes the new one.
    zarr::Status Commit();

  private:
    StoreReplacement(std::string folder, std::string path)
        : folder_(std::move(folder)),
          building_folder_(folder_),
          path_(std::move(path)),
          building_(path_) {}

    zarr::Status BuildStaging(bool& is_possible);
    void BuildAt(const std::string& aside);
    zarr::Status RenameToFinal();
    void Undo();

    std::string folder_;           // final path of the store
    std::string building_folder_;  // path of the store while it is built
    // Final and staging path of the folder or zip file. Empty if there is nothing to undo.
    std::string path_;
    std::string building_;
    std::optional<zarr::PathLock> lock_;  // on the staging path
    bool is_known_empty_ = false;
};

}  // namespace zarr_driver

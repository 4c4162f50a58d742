// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/store/partial_files.h"

namespace zarr_driver {

// Gives a store that is to be deleted a name beside its own, from which the next writer of its name
// removes what a killed process has left of it. Returns the path where it is now: its own where it
// cannot be renamed.
std::string MoveAside(const std::string& path);

// A new store in the making, perhaps to replace an old one. It is built aside, under another name
// beside its own, and takes its place when it is complete: at any moment, also where the process is
// killed, the old store or the new one is under the name, or nothing where there was none. What a
// killed process has left aside is removed by the next that makes a store of that name.
//
// Where the file system cannot rename folders, as object stores cannot, or the store's folder
// cannot be replaced (no right to change the folder around it, a mount point, the current folder),
// it is built in place, and the old store is deleted before.
class StoreReplacement {
  public:
    // Makes room for a store at `folder`: nothing is there, an empty folder, or a store and nothing
    // else. Else an error, and nothing has changed.
    static zarr::Result<StoreReplacement> Begin(const std::string& folder);

    // For a store that is changed, not made: keeps and removes nothing.
    StoreReplacement() = default;
    // Removes what was made, unless Commit() has succeeded.
    ~StoreReplacement() {
        zarr::NoThrow([this] { Undo(); });
    }
    StoreReplacement(const StoreReplacement&) = delete;
    StoreReplacement& operator=(const StoreReplacement&) = delete;
    StoreReplacement(StoreReplacement&& other) noexcept;
    StoreReplacement& operator=(StoreReplacement&& other) noexcept;

    // Where the store is: the path of Begin() or, aside and until Commit(), another one; of a store
    // in a zip file another zip file's, by its name in braces.
    const std::string& folder() const { return building_folder_; }
    bool IsAside() const { return building_ != path_; }
    // True where there is known to be nothing yet: of a path on a server, where there was no store.
    bool IsKnownEmpty() const { return is_known_empty_; }

    // The new store takes its place, and the old one is deleted. Nothing in it may be open for
    // writing. Where that fails the old store is there, and what was made goes with this object.
    zarr::Status Commit();

  private:
    StoreReplacement(std::string folder, std::string path)
        : folder_(std::move(folder)),
          building_folder_(folder_),
          path_(std::move(path)),
          building_(path_) {}

    zarr::Status BuildAside(bool& is_possible);
    void BuildAt(const std::string& aside);
    zarr::Status TakePlace();
    void Undo();

    std::string folder_;           // that was asked for
    std::string building_folder_;  // the same where it is built
    // Of the folder, or of the zip file around it; empty where there is nothing to undo.
    std::string path_;
    std::string building_;
    std::optional<zarr::PathLock> lock_;  // on what is aside
    bool is_known_empty_ = false;
};

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/store/staging.h"
#include "driver/transport/store_path.h"

namespace zarr_driver {

// Returns "WHAT: " and the message of the errno `error`; of the hidden errors of GDAL if it is 0.
zarr::Status StagingFailure(const std::string& what, int error);

// Renames the store at `path` to a staging name, before it is deleted. If this process is killed,
// the next writer of the store removes what is left. Returns the new path, or `path` if the store
// cannot be renamed.
std::string RenameForDeletion(const std::string& path);

// A folder, a zip file or another file that is built under a staging name and then swapped in. If
// the process is killed, the final path has the old one or the new one, and the next Staged of that
// path removes the rest. A file that an object store takes only as a whole is built in CPL_TMPDIR.
// Not thread-safe.
class Staged {
  public:
    // `path` is the final path. A link there stays: what it leads to is replaced.
    explicit Staged(const StorePath& path);
    // Removes what was built and not committed or kept, with its sidecar files.
    ~Staged();
    Staged(const Staged&) = delete;
    Staged& operator=(const Staged&) = delete;

    // Returns the final path, with links resolved.
    const std::string& final_path() const { return path_; }
    // Returns the present path: the staging path before Commit().
    const std::string& path() const { return staging_.empty() ? path_ : staging_; }
    bool IsStaging() const { return path() != path_; }
    // True if the destructor has nothing to remove.
    bool IsDone() const { return staging_.empty(); }
    // True if something at the final path can be replaced by a rename. False for mount points, the
    // current folder, and object stores.
    bool CanBeRenamed() const;

    // Makes what is built, by `create`, which gets the staging path and returns 0 or an errno.
    // Gives it the permissions of what it will replace. Returns 0 or an errno.
    int Create(const std::function<int(const std::string& staging)>& create);
    // Builds at the final path. The caller has removed what was there.
    void CreateInPlace() { staging_ = path_; }
    // Goes on with what a killed process has left, if `is_wanted` returns true for its path.
    bool Resume(const std::function<bool(const std::string& staging)>& is_wanted);

    // Moves what was built to the final path, and removes what was there. After a failure the final
    // path is unchanged.
    zarr::Status Commit();
    // Leaves what was built under its present name.
    void Keep();

  private:
    zarr::Status Swap();

    std::string path_;
    std::string staging_;  // empty if the destructor has nothing to remove
    std::optional<zarr::PathLock> lock_;
};

}  // namespace zarr_driver

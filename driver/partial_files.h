// SPDX-License-Identifier: MIT
// Files under which values are written before they take their place, and what is left of them where
// a writer was killed.
#pragma once

#include <cpl_vsi.h>

#include <optional>
#include <set>
#include <string>

#include "core/base/fork.h"
#include "driver/path_lock.h"

namespace zarr_driver {

// A name beside `path` that nobody else uses: "PATH.<32 hex digits>.partial", as zarr-python has
// them. The first eight digits tell those of this driver.
std::string PartialName(const std::string& path);

// A file that is being written under a PartialName().
class PartialFile {
  public:
    explicit PartialFile(const std::string& path) : path_(PartialName(path)) {}

    const std::string& path() const { return path_; }
    // Holds the file, which is open, until this goes out of scope: AbandonedFiles leave it alone.
    // Where the file system has no locks they leave all files alone.
    void Hold(VSILFILE* file);
    // True where one of them was quicker: there is no such file any more.
    bool is_lost() const { return is_lost_; }

  private:
    const std::string path_;
    std::optional<PathLock> lock_;
    bool is_lost_ = false;
};

// Removes the files of killed writers. Thread-safe.
class AbandonedFiles {
  public:
    // Those in the folder of the file at `path`, of this driver, that no process holds; of each
    // folder once. To look takes one listing of the folder.
    void RemoveBeside(const std::string& path);

  private:
    zarr::Mutex mutex_;
    std::set<std::string> folders_;  // that were looked through
};

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
// Staging files: a value is written to a file with a temporary name, which is then renamed. Staging
// files that killed writers left behind are removed.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/bytes.h"

namespace zarr {

// Advisory lock on a local file or folder (flock(2); on Windows LockFileEx(), which locks no
// folder). The system releases the lock when the process ends for any reason. A forked child that
// keeps running holds the lock, too. Not thread-safe.
class PathLock {
  public:
    enum class Failure : std::uint8_t {
        kLocked,      // another lock of the file or folder exists, in this process or another
        kImpossible,  // the path is absent or not local, or the system has no such lock
    };

    // Locks `path` exclusively, without waiting. Returns nullopt on failure, and sets `failure` to
    // the reason.
    static std::optional<PathLock> Try(const std::string& path, Failure& failure);

    // Takes a shared lock on an open file. The lock owns a duplicate of `descriptor`, so that
    // `descriptor` may be closed. Shared locks exclude only the exclusive locks of Try(). Fails
    // with kLocked if an exclusive lock exists, or if the file was deleted.
    static std::optional<PathLock> Share(int descriptor, Failure& failure);

    ~PathLock() { Release(); }
    PathLock(const PathLock&) = delete;
    PathLock& operator=(const PathLock&) = delete;
    PathLock(PathLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    PathLock& operator=(PathLock&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }

    // True if `path` still names the locked file or folder.
    bool IsOf(const std::string& path) const;

  private:
    explicit PathLock(int descriptor) : descriptor_(descriptor) {}
    void Release();

    int descriptor_;
};

// Returns an unused name for a staging file beside `path`: "PATH.<32 hex digits>.partial".
// zarr-python uses such names, too. The first eight digits identify files of this library.
std::string StagingName(const std::string& path);

// Local file that is written under StagingName() and then renamed to `path`. The destructor removes
// a file that was not renamed. AbandonedStagingFiles does not remove the file while this object
// exists. All functions return 0 or an errno.
class StagingFile {
  public:
    explicit StagingFile(const std::string& path) : path_(path), staging_(StagingName(path)) {}
    ~StagingFile();
    StagingFile(const StagingFile&) = delete;
    StagingFile& operator=(const StagingFile&) = delete;

    // Creates the staging file. The folder of `path` must exist.
    int Create();
    // True if another process has removed the new file, because it took the file for the staging
    // file of a killed writer. In this case the caller must start again.
    bool is_lost() const { return is_lost_; }
    // Writes the concatenated `parts` as the file's contents, and closes the file.
    int Write(const std::vector<ByteSpan>& parts);
    // Renames the staging file to `path` and replaces an existing file.
    int RenameToFinal();

  private:
    const std::string path_;
    std::string staging_;  // path of the staging file; empty once renamed
    int descriptor_ = -1;
    std::optional<PathLock> lock_;
    bool is_lost_ = false;
};

// Removes staging files that killed writers left behind. Thread-safe.
class AbandonedStagingFiles {
  public:
    // Removes abandoned staging files from the folder that contains `path`: files of this library
    // that no process has locked. Lists each folder only once.
    void RemoveInFolderOf(const std::string& path);

  private:
    std::mutex mutex_;
    std::set<std::string> folders_;  // folders that RemoveInFolderOf() has listed
};

}  // namespace zarr

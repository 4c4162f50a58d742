// SPDX-License-Identifier: MIT
// Staging: a file or folder is built under a staging name, which says that it is not complete, and
// is then renamed. What killed writers left under staging names is found by its name, and by the
// lock that its writer no longer holds.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
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

// End of all staging names, also of those of zarr-python.
inline constexpr std::string_view kStagingSuffix = ".partial";

// Returns an unused staging name of the file or folder `path`: "PATH.<32 hex digits>.partial".
// zarr-python uses such names, too. The first eight digits identify this library. If `path` is a
// staging name itself, returns another one of its final name.
std::string StagingName(const std::string& path);

// Returns `path` with the final name in place of a staging name, for messages. "/", "}" or ": " and
// more text may follow the staging name. Without a staging name, returns `path` unchanged.
std::string FinalName(const std::string& path);

// Calls `visit` for each file and folder that a killed writer left under a staging name of `name`
// in the local folder `folder`: those that no process has locked. `lock` keeps other processes off
// it, and may be moved. If `name` is empty, visits the staging names of all files and folders.
// Failures are ignored, because what is left behind does no harm.
void VisitAbandoned(const std::string& folder, const std::string& name,
                    const std::function<void(const std::string& path, PathLock& lock)>& visit);

struct FileReplacement {
    const char* failed = nullptr;  // what failed, such as "cannot write"; nullptr after success
    int error = 0;                 // errno of the failure
};
// Replaces the local file `path` by one with the concatenated `parts`, in one step: a killed
// process leaves the old or the new file, and perhaps a staging file. The staging file belongs to
// `path`, or to `other` in another folder of the file system if that is not empty. If the folder is
// missing, `make_folder` makes it, and returns 0 or an errno.
FileReplacement ReplaceFile(const std::string& path, const std::vector<ByteSpan>& parts,
                            const std::function<int()>& make_folder = {},
                            const std::string& other = {});

// Removes staging files that killed writers left behind. Thread-safe.
class AbandonedFiles {
  public:
    // Removes them from the folder that contains `path`. Lists each folder only once.
    void RemoveInFolderOf(const std::string& path);

  private:
    std::mutex mutex_;
    std::set<std::string> folders_;  // folders that RemoveInFolderOf() has listed
};

}  // namespace zarr

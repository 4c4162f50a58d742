// SPDX-License-Identifier: MIT
// Calls of the operating system for local files, in files_posix.cpp and files_windows.cpp. What
// only some systems have is where it is used: the queue of waiting writers and kinds of file
// systems in core/store/process_lock.cpp, the exchange of two folders in
// driver/store/store_replacement.cpp. Paths are UTF-8. Files are numbers, as in POSIX, also on
// Windows. A function that returns an int returns 0 or an errno unless its comment says otherwise.
// All functions are thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/bytes.h"

namespace zarr {

// How a file is opened. A child process that starts another program does not inherit the file.
// Other processes can read, write, rename and delete the file while it is open, also on Windows.
enum class OpenAs : std::uint8_t {
    kRead,            // a file or folder; does not wait for the other end of a pipe
    kReadNoLink,      // like kRead, but fails for a symbolic link
    kUpdate,          // an existing file, for reading and writing
    kUpdateNoLink,    // like kUpdate, but fails for a symbolic link
    kUpdateOrCreate,  // like kUpdate, but creates a missing file
    kNew,             // creates a file for writing; fails with EEXIST if the path exists
};

// Opens `path`. Returns the number of the open file, which the caller closes; -1 on failure, with
// the reason in errno.
int OpenDescriptor(const std::string& path, OpenAs as);
int CloseDescriptor(int descriptor);
// Returns a second number of an open file, which has the same locks; -1 on failure.
int DuplicateDescriptor(int descriptor);

// Fills `memory` with bytes of the open file, from `offset` on. Returns EIO if the file is too
// short.
int ReadDescriptor(int descriptor, std::uint64_t offset, MutableByteSpan memory);
// Appends `parts` to what was written to the open file. Returns ENOSPC if the system writes nothing
// and names no reason.
int WriteDescriptor(int descriptor, const std::vector<ByteSpan>& parts);
// Writes `bytes` to the open file, from `offset` on.
int WriteDescriptorAt(int descriptor, std::uint64_t offset, ByteSpan bytes);
// Sets the size of an open file.
int ResizeDescriptor(int descriptor, std::uint64_t size);
// Sets the modification time of an open file to now.
int TouchDescriptor(int descriptor);
// True if the byte at `offset` is not in the system's page cache. Returns false if the system
// cannot tell.
bool WaitsForDisk(int descriptor, std::uint64_t offset);

enum class FileType : std::uint8_t { kFile, kFolder, kLink, kOther };

struct FileState {
    FileType type = FileType::kOther;
    bool is_deleted = false;  // true if no path leads to the open file any more
    std::uint64_t device = 0;
    std::uint64_t number = 0;  // differs between the files of a device
    std::uint64_t size = 0;
    std::int64_t modified = 0;  // ModificationTime() in nanoseconds since 1970

    bool IsSameFile(const FileState& other) const {
        return device == other.device && number == other.number;
    }
};

// Returns the modification time in `state`, a result of stat(), in nanoseconds since 1970. The
// system determines the precision.
template <class Stat>
std::int64_t ModificationTime(const Stat& state) {
    std::int64_t time = std::int64_t{state.st_mtime} * 1'000'000'000;
#if defined(__linux__)
    time += state.st_mtim.tv_nsec;
#endif
    return time;
}

// StateOf() returns the state of an open file, StateAt() that of the file to which `path` leads,
// and StateAtLink() that of a symbolic link itself. They return nullopt on failure, with the reason
// in errno.
std::optional<FileState> StateOf(int descriptor);
std::optional<FileState> StateAt(const std::string& path);
std::optional<FileState> StateAtLink(const std::string& path);

// Returns a text that names the folder itself, so that a folder that replaces it later has another
// name. A file system may give a new folder the number of a deleted one, so that the time of birth
// belongs to the name where the system knows it. The device does not belong to it: its number may
// change when the file system is mounted again. Returns an empty string on failure.
std::string FolderIdentity(const std::string& path);

// True if the file at `path` is a regular file that belongs to the user of this process or to the
// owner of the file or folder at `other`.
bool IsOwnFileOrOfOwnerOf(const std::string& path, const std::string& other);

enum class Locking : std::uint8_t { kTaken, kHeldByOther, kImpossible };

// Take a lock of the open file, without waiting. A lock excludes those of other open files, in this
// process and others, but no reads and writes. The lock ends when the file and its duplicates are
// closed, at the latest when the process ends. Folders have no locks on Windows.
Locking TryLock(int descriptor);
// Shared locks exclude only those of TryLock().
Locking TryShareLock(int descriptor);
void Unlock(int descriptor);

// Waits for the lock of a whole file, which programs in other languages take, too: fcntl() on POSIX
// systems, LockFileEx() on Windows.
int LockWholeFile(int descriptor);
int UnlockWholeFile(int descriptor);

// Renames a file or folder in one step. Replaces a file at `to`, even one that is open.
int RenamePath(const std::string& from, const std::string& to);
// Removes the file or link at `path`, but not a folder.
int RemoveFile(const std::string& path);
// Creates one folder. Returns EEXIST if `path` exists.
int MakeFolder(const std::string& path);

// Returns the absolute path of an existing file or folder, with links resolved and "/" between
// names; an empty string on failure.
std::string RealPath(const std::string& path);
// Returns 0 if files can be created in the folder.
int CheckWritableFolder(const std::string& path);

// Type of a folder entry, as stated by the listing of the folder. The type of a link is kUnknown.
enum class EntryType : std::uint8_t { kFolder, kOther, kUnknown };

// Calls `visit` for each entry of a folder except "." and "..", in any order, until `visit` returns
// false. Exceptions of `visit` propagate. Throws std::bad_alloc if memory runs out, whereas
// std::filesystem's iterator would end the process.
int VisitFolder(const std::string& folder,
                const std::function<bool(const std::string& name, EntryType type)>& visit);

}  // namespace zarr

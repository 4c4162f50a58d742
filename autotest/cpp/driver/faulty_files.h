// SPDX-License-Identifier: MIT
// A file system for GDAL in memory. Tests choose which calls fail.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace zarr_driver::test {

// Effect of a failing call.
enum class FaultKind {
    // No effect. Sets errno to ENOSPC if the call needs room on the disk, else to EIO.
    kError,
    // No effect, and errno is 0, as on some file systems. Listing does set errno, because GDAL
    // reports a failed listing only by errno.
    kSilent,
    // Reads or writes half of the bytes. Closing cuts the file to half its size. Other calls fail
    // as with kError.
    kShort,
};

// Calls that fail after the first failing call.
enum class Follow {
    kNone,
    kNeedsRoom,  // all calls that need room, as on a full disk
    kAll,        // all calls, as on a broken disk
};

// Selects the calls that fail. `call` is the position of the first failing call, counted from 1. If
// `call` is 0, no call fails.
struct Fault {
    std::size_t call = 0;
    Follow after = Follow::kNone;
    FaultKind kind = FaultKind::kError;
};

// Contents of files by path, for example "x.zarr/.zarray". The path of a folder ends with a slash.
using Files = std::map<std::string, std::string>;

// A file system in memory with two prefixes. Under "/faulty/" the driver treats it as a local disk
// and replaces files by renaming. Under "/vsifaulty/" the driver treats it as a virtual file system
// of GDAL. Thread-safe.
class FaultyFiles {
  public:
    // Returns the only instance. The first call registers the file system with GDAL.
    static FaultyFiles& Get();

    ~FaultyFiles() = default;
    FaultyFiles(const FaultyFiles&) = delete;
    FaultyFiles& operator=(const FaultyFiles&) = delete;

    // Creates a folder with `files` and returns its path, for example "/faulty/7". Each name is
    // new, so that no cache knows the folder.
    std::string NewFolder(const Files& files, const std::string& prefix = "/faulty/");
    // Returns the contents of a folder that NewFolder() created.
    Files FilesIn(const std::string& folder) const;
    // Removes the folder, to free its memory.
    void Remove(const std::string& folder);

    // Starts to count the calls that can fail. The calls that `fault` selects fail.
    void Arm(const Fault& fault);
    // Stops counting and failing. Returns the number of calls since Arm().
    std::size_t Disarm();
    // Returns the positions of the calls since Arm() that rename a file. The first call has
    // position 1.
    std::vector<std::size_t> Renames() const;
    // Returns the first call since Arm() that failed, for example "write /7/x.zarr/0.0", or "".
    std::string FirstFailed() const;

  private:
    friend struct FaultyCalls;
    struct State;

    FaultyFiles();

    std::shared_ptr<State> state_;
};

}  // namespace zarr_driver::test

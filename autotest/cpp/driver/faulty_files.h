// SPDX-License-Identifier: MIT
// A file system in memory for GDAL, in which tests choose the calls that fail.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace zarr_driver::test {

// Effect of a call that fails.
enum class FaultKind {
    // The call does nothing, and sets errno to ENOSPC if it needs room on the disk, otherwise to
    // EIO.
    kError,
    // The call does nothing and sets errno to 0, as some file systems do. Listing sets errno all
    // the same, because GDAL reports a failed listing only by errno.
    kSilent,
    // The call reads or writes half of its bytes. Closing cuts the file to half its size. Other
    // calls fail like kError.
    kShort,
};

// Calls that also fail after the first failing call.
enum class Follow {
    kNone,
    kNeedsRoom,  // all calls that need room on the disk, as if it were full
    kAll,        // all calls, as if the disk were broken
};

// Selects the calls that fail. `call` is the number of the first one, counted from 1 since Arm(); 0
// if no call fails.
struct Fault {
    std::size_t call = 0;
    Follow after = Follow::kNone;
    FaultKind kind = FaultKind::kError;
};

// Contents of files by path, for example "x.zarr/.zarray". A path that ends with a slash is a
// folder.
using Files = std::map<std::string, std::string>;

// A file system in memory with two prefixes. The driver treats "/faulty/" as a local disk, and
// replaces files there by renaming. It treats "/vsifaulty/" as one of GDAL's virtual file systems.
// Thread-safe.
class FaultyFiles {
  public:
    // Returns the only instance. The first call registers the file system with GDAL.
    static FaultyFiles& Get();

    ~FaultyFiles() = default;
    FaultyFiles(const FaultyFiles&) = delete;
    FaultyFiles& operator=(const FaultyFiles&) = delete;

    // Creates a folder with `files`, and returns its path, for example "/faulty/7". No path is used
    // twice, so that no cache knows the folder.
    std::string NewFolder(const Files& files, const std::string& prefix = "/faulty/");
    // Returns the contents of a folder that NewFolder() created.
    Files FilesIn(const std::string& folder) const;
    // Removes the folder, to free its memory.
    void Remove(const std::string& folder);

    // Starts to count calls that can fail, and lets the calls that `fault` selects fail.
    void Arm(const Fault& fault);
    // Ends counting and failing. Returns the number of counted calls since Arm().
    std::size_t Disarm();
    // Returns the numbers of the counted calls that renamed a file. The first call since Arm() has
    // the number 1.
    std::vector<std::size_t> Renames() const;
    // Returns the first call that failed since Arm(), for example "write /7/x.zarr/0.0"; "" if none
    // failed.
    std::string FirstFailed() const;

  private:
    friend struct FaultyCalls;
    struct State;

    FaultyFiles();

    std::shared_ptr<State> state_;
};

}  // namespace zarr_driver::test

// SPDX-License-Identifier: MIT
// A file system of GDAL in memory, in which chosen calls fail.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace zarr_driver::test {

// Effect of a failing call.
enum class FaultKind {
    // Does nothing and sets errno: to ENOSPC if the call needs room on the disk, else to EIO.
    kError,
    // Does nothing and leaves errno 0, as some file systems do. Listing sets errno, because GDAL
    // reports a failed listing in no other way.
    kSilent,
    // Reads or writes half of the requested bytes. Closing a file cuts the file to half its size.
    // Other calls fail as with kError.
    kShort,
};

// Calls that fail in addition to the first failing call.
enum class Follow {
    kNone,
    kNeedsRoom,  // calls that need room, as on a full disk
    kAll,        // all calls, as on a broken disk
};

// Selects the calls that fail. `call` is the number of the first failing call, counted from 1; 0
// means that no call fails.
struct Fault {
    std::size_t call = 0;
    Follow after = Follow::kNone;
    FaultKind kind = FaultKind::kError;
};

// Contents of a folder by path, for example "x.zarr/.zarray". The path of a folder ends with a
// slash.
using Files = std::map<std::string, std::string>;

// A file system in memory with two prefixes. The driver treats "/faulty/" as a local disk, on which
// it replaces files by renaming. It treats "/vsifaulty/" as another file system of GDAL.
// Thread-safe.
class FaultyFiles {
  public:
    // Returns the only instance. The first call registers the file system with GDAL.
    static FaultyFiles& Get();

    ~FaultyFiles() = default;
    FaultyFiles(const FaultyFiles&) = delete;
    FaultyFiles& operator=(const FaultyFiles&) = delete;

    // Creates a folder with `files` and returns its path, for example "/faulty/7". The name is new
    // each time, so no cache can know the folder.
    std::string NewFolder(const Files& files, const std::string& prefix = "/faulty/");
    // Returns the contents of a folder that NewFolder() created.
    Files FilesIn(const std::string& folder) const;
    // Removes the folder, to save memory in long sweeps.
    void Remove(const std::string& folder);

    // Starts counting the calls that can fail, and makes those fail that `fault` selects.
    void Arm(const Fault& fault);
    // Stops counting and failing. Returns the number of calls since Arm().
    std::size_t Disarm();
    // Returns the numbers of the calls since Arm() that rename.
    std::vector<std::size_t> Renames() const;
    // Returns the first call that failed since Arm(), for example "write /7/x.zarr/0.0"; empty if
    // no call failed.
    std::string FirstFailed() const;

  private:
    friend struct FaultyCalls;
    struct State;

    FaultyFiles();

    std::shared_ptr<State> state_;
};

}  // namespace zarr_driver::test

// SPDX-License-Identifier: MIT
// A file system of GDAL's in memory whose calls fail when they are told to.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace zarr_driver::test {

// How a call fails.
enum class FaultKind {
    kError,   // has no effect and sets errno: EIO, or ENOSPC for what needs room
    kSilent,  // the same without errno, as not every file system sets it; listing does, as GDAL
              // says no other way that it failed
    kShort,  // reads or writes half of what it was asked for and leaves a file that is being closed
             // half as long; other calls as kError
};

// Which calls fail after that one.
enum class Follow {
    kNone,
    kMaking,  // that need room: a disk that is full
    kAll,     // a disk that has gone
};

// Which calls fail, counted from 1; 0 for none.
struct Fault {
    std::size_t call = 0;
    Follow after = Follow::kNone;
    FaultKind kind = FaultKind::kError;
};

// The files below a folder by their names in it ("x.zarr/.zarray"), folders with a slash at the
// end.
using Files = std::map<std::string, std::string>;

// The same files are to be had by two names. Below "/faulty/" they are to the driver what a local
// disk is, which replaces by renaming; below "/vsifaulty/" one of GDAL's other file systems.
// May be used from several threads.
class FaultyFiles {
  public:
    // The only one; GDAL knows it from the first call on.
    static FaultyFiles& Get();

    ~FaultyFiles() = default;
    FaultyFiles(const FaultyFiles&) = delete;
    FaultyFiles& operator=(const FaultyFiles&) = delete;

    // Makes a folder that never was before, so that nothing is remembered of it, with `files` in
    // it. Returns its path below a prefix: "/faulty/7".
    std::string NewFolder(const Files& files, const std::string& prefix = "/faulty/");
    // What is in a folder that NewFolder() made.
    Files FilesIn(const std::string& folder) const;
    // Forgets it, so that the memory of a long sweep stays small.
    void Remove(const std::string& folder);

    // Counts the calls that can fail from now on, and has those fail that `fault` names.
    void Arm(const Fault& fault);
    // Ends that; returns how many calls there were.
    std::size_t Disarm();
    // Which of the calls since Arm() gave something another name.
    std::vector<std::size_t> Renames() const;
    // The first call that failed since Arm(): "write /7/x.zarr/0.0"; empty where none did.
    std::string FirstFailed() const;

  private:
    friend struct FaultyCalls;
    struct State;

    FaultyFiles();

    std::shared_ptr<State> state_;
};

}  // namespace zarr_driver::test

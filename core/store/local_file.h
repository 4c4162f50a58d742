// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "core/base/bytes.h"
#include "core/base/files.h"

namespace zarr {

// Local file, open for reading. Only regular files are opened: opening a pipe, socket or device
// could wait forever or have side effects. Movable. The destructor closes the file. Not
// thread-safe.
class LocalFile {
  public:
    LocalFile() = default;
    ~LocalFile() { Close(); }
    LocalFile(const LocalFile&) = delete;
    LocalFile& operator=(const LocalFile&) = delete;
    LocalFile(LocalFile&& other) noexcept;
    LocalFile& operator=(LocalFile&& other) noexcept;

    // Opens the file at `path`, absolute or relative to the current folder. Returns 0 or an errno:
    // EISDIR for a folder, ENODEV for a pipe, socket or device.
    int Open(const std::string& path);
    bool is_open() const { return descriptor_ >= 0; }
    std::uint64_t size() const { return size_; }
    // Return the modification time (by ModificationTime()) and the file's number (inode number) at
    // the time of opening.
    std::int64_t modified() const { return modified_; }
    std::uint64_t number() const { return number_; }
    // Fills `memory` with the file's bytes from `offset` on, on as many threads as the caller's
    // ThreadBudget allows. Returns 0 or an errno; EIO if the file is too short.
    int ReadAt(std::uint64_t offset, MutableByteSpan memory) const;
    // True if the byte at `offset` is not in the system's page cache, so that a read would wait for
    // a disk. The check itself may start fetching the byte. Returns false if the system cannot
    // tell.
    bool WaitsForDisk(std::uint64_t offset) const;

  private:
    void Close();

    int descriptor_ = -1;
    std::uint64_t size_ = 0;
    std::int64_t modified_ = 0;
    std::uint64_t number_ = 0;
};

// Returns the contents of the file at `path`. Returns an empty string if LocalFile cannot read it,
// or if it has more than `most` bytes.
std::string SmallFile(const std::string& path, std::uint64_t most);

}  // namespace zarr

// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_vsi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "core/base/bytes.h"
#include "core/store/store.h"
#include "driver/store/store_kind.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

struct CloseVsiFile {
    void operator()(VSILFILE* file) const { VSIFCloseL(file); }
};
// Owns an open file of GDAL's file systems, and closes it on destruction.
using VsiFile = std::unique_ptr<VSILFILE, CloseVsiFile>;

// True if `path` is a file of the operating system. False for GDAL's virtual file systems, and for
// file systems that the host program has installed in GDAL.
bool IsLocalPath(const std::string& path);

// True if calling stat for `path` sends no request over a network. Unlike VSIIsLocal(), counts a
// network drive as local, because the operating system is not asked for the type of a disk.
bool TakesNoRequests(const StorePath& path);

// True if a file or folder exists at `path`, a path in GDAL's file systems. Takes one stat.
bool PathExists(const std::string& path);
// Calls stat for several paths of one remote store in parallel. GDAL caches the answers, which
// makes later calls of PathExists() fast. Does nothing for local paths. Never fails.
void StatInParallel(const std::vector<std::string>& paths);
// Deletes files, in parallel if the paths are remote. Failures are ignored.
void UnlinkInParallel(const std::vector<std::string>& paths);

// Creates a folder and its parent folders. Returns 0 if the folder exists afterwards, else an
// errno.
int MakeFolder(const std::string& path);

// Says whether the file system of a path can rename files and folders in one step. kUntested means
// that only an attempt can show it. Object stores cannot rename (kNo), but write each object as a
// whole.
enum class Renaming : std::uint8_t { kYes, kUntested, kNo };
Renaming RenamingAt(const std::string& path);

// A store in a folder of GDAL's virtual file systems, such as /vsimem/ and /vsizip/. A read opens
// its file once, without checking first whether the file exists. If the file system can rename, a
// value is written to a staging file, which is then renamed. Folders are created when a key needs
// them.
class VsiStore : public zarr::Store, protected zarr::StoreWriter {
  public:
    explicit VsiStore(StorePath folder) : folder_(std::move(folder)) {}

    std::string Describe() const override { return folder_.text(); }
    // Returns the absolute path of the store. For a remote store, appends
    // StorePath::AccountOptions(), which select the contents.
    std::string Identity() const override;
    // Returns size, time of modification and inode number of a local file. If the file changed very
    // recently, the next change may give it an equal time, so the version is uncertain. For a
    // remote value no request is sent: the value counts as unchanged, as in GDAL's own caches.
    zarr::ObjectVersion VersionOf(const std::string& key) const override;
    zarr::Result<zarr::ReadResult> Read(const std::string& key, const zarr::ValuePart& part,
                                        const zarr::ReadSink& sink) const override;
    zarr::Result<std::vector<zarr::StoreEntry>> List(const std::string& prefix) const override;
    zarr::Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const override;
    zarr::Status ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                            const PrefixVisitor& visit_prefix) const override;
    zarr::StoreWriter* writer() override { return this; }

  protected:
    // Returns the listing of `prefix`. Returns kLimit, without reading further, if there are more
    // than `most` entries.
    zarr::Result<std::vector<zarr::StoreEntry>> ListUpTo(const std::string& prefix,
                                                         std::size_t most) const;
    zarr::Status WriteParts(const std::string& key,
                            const std::vector<zarr::ByteSpan>& parts) override;
    zarr::Status Remove(const std::string& key) override;
    // Deletes all `keys`. In an object store, one request deletes many keys.
    zarr::Status RemoveMany(const std::vector<std::string>& keys) override;
    zarr::Result<bool> RemovePrefix(const std::string& prefix) override;
    zarr::Result<bool> MovePrefix(const std::string& from, const std::string& to) override;
    const StorePath& folder() const { return folder_; }

  private:
    zarr::Status Replace(const std::string& key, zarr::ByteSpan value);
    std::string PathOf(const std::string& key) const { return folder_.text() + "/" + key; }

    StorePath folder_;
};

// Returns the store in a folder, which is local or in one of GDAL's file systems. Sends no request.
std::shared_ptr<zarr::Store> OpenFolder(const StorePath& folder);

extern const StoreKind kFolderKind;

// Deletes the file at `path`, or the folder at `path` with all its contents.
zarr::Status EraseFileOrFolder(const std::string& path);

}  // namespace zarr_driver

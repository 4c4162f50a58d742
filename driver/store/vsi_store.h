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
// An open file of GDAL's file systems; closed on destruction.
using VsiFile = std::unique_ptr<VSILFILE, CloseVsiFile>;

// True if none of GDAL's file systems serves `path`. The check includes file systems that the host
// program has installed.
bool IsLocalPath(const std::string& path);

// True if a stat of `path` takes no request over a network. Unlike VSIIsLocal(), this function does
// not ask the system for the type of a disk, and counts a network drive as local.
bool TakesNoRequests(const StorePath& path);

// True if a file or folder exists at `path`, a path in GDAL's file systems. Takes one stat.
bool PathExists(const std::string& path);
// Stats several paths of one remote store in parallel, so that GDAL caches the answers for a later
// PathExists(). Does nothing for local paths. Never fails.
void StatInParallel(const std::vector<std::string>& paths);
// Deletes files, in parallel if they are remote. Failures are ignored.
void UnlinkInParallel(const std::vector<std::string>& paths);

// Creates a folder and its parents. Returns 0 if the folder exists in the end, else an errno.
int MakeFolder(const std::string& path);

// Whether the file system of a path can rename files and folders in one step. kUntested means that
// only a try can tell. Object stores cannot rename, but write each object whole.
enum class Renaming : std::uint8_t { kYes, kUntested, kNo };
Renaming RenamingAt(const std::string& path);

// A store in a folder of GDAL's file systems: /vsimem/, /vsizip/ and so on. Each read opens its
// file once, without an earlier check for existence. Values are written to a staging file and then
// renamed if the file system can rename. Folders are created when a key needs them.
class VsiStore : public zarr::Store, protected zarr::StoreWriter {
  public:
    explicit VsiStore(StorePath folder) : folder_(std::move(folder)) {}

    std::string Describe() const override { return folder_.text(); }
    // Returns the absolute path. For a remote store, GDAL's options that select the contents follow
    // the path.
    std::string Identity() const override;
    // Returns size, time of modification and inode number of a local file. A file that changed so
    // recently that its time might hide the next change gets an uncertain version. Remote values
    // take no request and count as unchanged, as in GDAL's own caches.
    zarr::ObjectVersion VersionOf(const std::string& key) const override;
    zarr::Result<zarr::ReadResult> Read(const std::string& key, const zarr::ValuePart& part,
                                        const zarr::ReadSink& sink) const override;
    zarr::Result<std::vector<zarr::StoreEntry>> List(const std::string& prefix) const override;
    zarr::Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const override;
    zarr::Status ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                            const PrefixVisitor& visit_prefix) const override;
    zarr::StoreWriter* writer() override { return this; }

  protected:
    // Implements List(). Returns kLimit, without reading further, if there are more than `most`
    // entries.
    zarr::Result<std::vector<zarr::StoreEntry>> ListUpTo(const std::string& prefix,
                                                         std::size_t most) const;
    zarr::Status WriteParts(const std::string& key,
                            const std::vector<zarr::ByteSpan>& parts) override;
    zarr::Status Remove(const std::string& key) override;
    // Deletes many keys of an object store with one request.
    zarr::Status RemoveMany(const std::vector<std::string>& keys) override;
    zarr::Result<bool> RemovePrefix(const std::string& prefix) override;
    zarr::Result<bool> MovePrefix(const std::string& from, const std::string& to) override;
    const StorePath& folder() const { return folder_; }

  private:
    zarr::Status Replace(const std::string& key, zarr::ByteSpan value);
    std::string PathOf(const std::string& key) const { return folder_.text() + "/" + key; }

    StorePath folder_;
};

// Returns the store in a local folder or a folder of GDAL's file systems. Takes no request.
std::shared_ptr<zarr::Store> OpenFolder(const StorePath& folder);

extern const StoreKind kFolderKind;

// Deletes a file, or a folder and the store in it.
zarr::Status EraseFileOrFolder(const std::string& path);

}  // namespace zarr_driver

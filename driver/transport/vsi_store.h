// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_vsi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "core/base/bytes.h"
#include "core/store/store.h"
#include "driver/transport/store_path.h"

namespace zarr_driver {

struct CloseVsiFile {
    void operator()(VSILFILE* file) const { VSIFCloseL(file); }
};
// Owns an open file in GDAL's file systems; closes it on destruction.
using VsiFile = std::unique_ptr<VSILFILE, CloseVsiFile>;

// True if `path` belongs to the operating system. False for GDAL's virtual file systems and for
// those that a host program has installed.
bool IsLocalPath(const std::string& path);

// True if calling stat for `path` sends no network request. A network drive counts as local, unlike
// in VSIIsLocal(), because the operating system is not asked.
bool TakesNoRequests(const StorePath& path);

// True if a file or folder exists at `path` in GDAL's file systems. Calls stat once. GDAL's errors
// are hidden.
bool PathExists(const std::string& path);
// Makes GDAL forget its cached answers for the remote `path` and for paths that begin with it.
void ForgetCached(const std::string& path);
// Removes an object store's listings below `folder` from GDAL's cache, which would otherwise hide
// changes by other processes and deletions.
void ForgetListings(const std::string& folder);
// Calls stat for paths of one remote store in parallel. GDAL caches the answers, which makes later
// PathExists() fast. Does nothing for local paths. Never fails.
void StatInParallel(const std::vector<std::string>& paths);
// Deletes files, in parallel if the paths are remote. Failures are ignored.
void UnlinkInParallel(const std::vector<std::string>& paths);

// Creates a folder and its parent folders. Returns 0 if the folder exists afterwards, else an
// errno.
int MakeFolder(const std::string& path);

// Whether the file system of a path can rename files and folders in one step. kUntested: only an
// attempt shows it. kNo: object stores, which write each object as a whole.
enum class Renaming : std::uint8_t { kYes, kUntested, kNo };
Renaming RenamingAt(const std::string& path);

// A store in a folder of GDAL's file systems, such as /vsimem/ and /vsizip/. Creates folders when
// keys need them.
//
// Reads open the file without asking first whether it exists. Values are written to a temporary
// file, which is then renamed, if the file system can rename.
class VsiStore : public zarr::Store, protected zarr::StoreWriter {
  public:
    explicit VsiStore(StorePath folder) : folder_(std::move(folder)) {}

    std::string Describe() const override { return folder_.text(); }
    // Returns the absolute path of the store, and for a remote store the options that select its
    // contents (StorePath::AccountOptions()).
    std::string Identity() const override;
    zarr::StoreTraits Traits() const override;
    // Returns size, modification time and inode number of a local file. The version is uncertain
    // just after a change, because the next change may have an equal time.
    //
    // A remote value counts as unchanged, without a request, as in GDAL's own caches.
    zarr::ObjectVersion VersionOf(const std::string& key) const override;
    zarr::Result<zarr::ReadResult> Read(const std::string& key, const zarr::ValuePart& part,
                                        const zarr::ReadSink& sink) const override;
    zarr::Result<std::vector<zarr::StoreEntry>> List(const std::string& prefix) const override;
    zarr::Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const override;
    zarr::Status ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                            const PrefixVisitor& visit_prefix) const override;
    zarr::StoreWriter* writer() override { return this; }

  protected:
    // Returns the listing of `prefix`. If it has more than `most` entries, stops reading and
    // returns kLimit.
    zarr::Result<std::vector<zarr::StoreEntry>> ListUpTo(const std::string& prefix,
                                                         std::size_t most) const;
    zarr::Status WriteParts(const std::string& key,
                            const std::vector<zarr::ByteSpan>& parts) override;
    zarr::Status Remove(const std::string& key) override;
    // Deletes all `keys`; an object store deletes many with one request.
    zarr::Status RemoveMany(const std::vector<std::string>& keys) override;
    zarr::Result<bool> RemovePrefix(const std::string& prefix) override;
    zarr::Result<bool> MovePrefix(const std::string& from, const std::string& to) override;
    const StorePath& folder() const { return folder_; }

  private:
    zarr::Status Replace(const std::string& key, zarr::ByteSpan value);
    std::string PathOf(const std::string& key) const { return folder_.text() + "/" + key; }

    StorePath folder_;
};

// Opens the store in a folder, local or in one of GDAL's file systems, without a request.
std::shared_ptr<zarr::Store> OpenFolder(const StorePath& folder);

// Deletes the file at `path`, or a folder and all its contents.
zarr::Status EraseFileOrFolder(const std::string& path);

}  // namespace zarr_driver

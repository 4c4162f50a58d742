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
// A file of GDAL's virtual file systems, which is closed in the end.
using VsiFile = std::unique_ptr<VSILFILE, CloseVsiFile>;

// True of a path that none of GDAL's virtual file systems answers for, those that the host has
// installed included.
bool IsLocalPath(const std::string& path);

// True where something lies at a path of GDAL's virtual file systems; one stat.
bool PathExists(const std::string& path);
// Has PathExists() and what else asks GDAL for these paths, which are of one store, find the
// answers remembered, where they are on a server: it is asked for all of them at the same time.
// Never fails.
void LookUpTogether(const std::vector<std::string>& paths);
// Removes files, those on a server several at the same time. Never fails.
void UnlinkTogether(const std::vector<std::string>& paths);

// Makes a folder and those above it; 0 where it is there in the end, else the errno of what was in
// the way.
int MakeFolder(const std::string& path);

// Where files and folders can get other names, and take the place of others in one step: always,
// where it was not tried, or not, as in object stores, whose objects are there as a whole or not at
// all.
enum class Renaming : std::uint8_t { kYes, kPerhaps, kNo };
Renaming RenamingAt(const std::string& path);

// A store under a path of GDAL's virtual file systems: /vsimem/, /vsizip/, ... Each call opens the
// file it needs, once, without asking beforehand whether it exists. A value is written under
// another name and then renamed where the file system can. Folders of keys are made as they are
// needed.
class VsiStore : public zarr::Store, protected zarr::StoreWriter {
  public:
    explicit VsiStore(StorePath folder) : folder_(std::move(folder)) {}

    std::string Describe() const override { return folder_.text(); }
    // The absolute path; for a server followed by GDAL's options, which select the contents.
    std::string Identity() const override;
    // Size, time of modification and the file's number. Over a network nothing is asked, and a
    // value counts as unchanged, as in GDAL's own caches; a file so young that its next change
    // might not show in its time counts as changed.
    zarr::ObjectVersion VersionOf(const std::string& key) const override;
    zarr::Result<zarr::ReadResult> Read(const std::string& key, const zarr::ValuePart& part,
                                        const zarr::ReadSink& sink) const override;
    zarr::Result<std::vector<zarr::StoreEntry>> List(const std::string& prefix) const override;
    zarr::Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const override;
    zarr::Status ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                            const PrefixVisitor& visit_prefix) const override;
    zarr::StoreWriter* writer() override { return this; }

  protected:
    // As List(); kLimit where there are more than `most` entries, which are not read on.
    zarr::Result<std::vector<zarr::StoreEntry>> ListUpTo(const std::string& prefix,
                                                         std::size_t most) const;
    zarr::Status WriteParts(const std::string& key,
                            const std::vector<zarr::ByteSpan>& parts) override;
    zarr::Status Remove(const std::string& key) override;
    // One request removes many keys of an object store.
    zarr::Status RemoveMany(const std::vector<std::string>& keys) override;
    zarr::Result<bool> RemovePrefix(const std::string& prefix) override;
    zarr::Result<bool> MovePrefix(const std::string& from, const std::string& to) override;
    const StorePath& folder() const { return folder_; }

  private:
    zarr::Status Replace(const std::string& key, zarr::ByteSpan value);
    std::string PathOf(const std::string& key) const { return folder_.text() + "/" + key; }

    StorePath folder_;
};

// Opens the store in a folder of this machine or of GDAL's file systems, without a request.
std::shared_ptr<zarr::Store> OpenFolder(const StorePath& folder);

extern const StoreKind kFolderKind;

// Deletes a file, or a folder with the store in it.
zarr::Status EraseFileOrFolder(const std::string& path);

}  // namespace zarr_driver

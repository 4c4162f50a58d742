// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/turn.h"
#include "core/store/partial_files.h"
#include "core/store/store.h"

namespace zarr {

// Returns the version of a file of `size` bytes that was modified at a ModificationTime(). `number`
// is another one for a file that replaces another file. The version is not certain while the next
// change may get the same time.
ObjectVersion VersionOfFile(std::uint64_t size, std::int64_t modified, std::uint64_t number);

// A store in a local folder, one file per key. Symbolic links are followed as the system does; a
// link to a folder that holds the link is not listed. A value is written under another name and
// then renamed: a writer that is killed leaves the old value or the new one, and perhaps a file
// "KEY.<32 hex digits>.partial", which zarr-python ignores and the next writer in its folder
// removes. Folders of keys are made as they are needed. The store's own folder must exist, so that
// a store that was deleted meanwhile does not come back.
class DirectoryStore final : public Store, private StoreWriter {
  public:
    explicit DirectoryStore(std::string folder) : folder_(std::move(folder)) {}

    std::string Describe() const override { return folder_; }
    // The absolute path without links.
    std::string Identity() const override;
    // VersionOfFile() with the number of the file.
    ObjectVersion VersionOf(const std::string& key) const override;
    // The version is that of the opened file.
    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override;
    bool WaitsForDisk(const std::string& key) const override;
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override;
    Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const override;
    StoreWriter* writer() override { return this; }

  private:
    Status WriteParts(const std::string& key, const std::vector<ByteSpan>& parts) override;
    Status Remove(const std::string& key) override;
    Result<bool> RemovePrefix(const std::string& prefix) override;
    Result<bool> MovePrefix(const std::string& from, const std::string& to) override;
    // Creates `file`, and its folder if that is missing; 0 or an errno.
    int Create(PartialFile& file, const std::string& path) const;
    std::string PathOf(const std::string& key) const { return folder_ + "/" + key; }

    const std::string folder_;
    AbandonedFiles abandoned_;
    Lazy<std::string> real_path_;
};

}  // namespace zarr

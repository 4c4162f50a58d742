// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/completion.h"
#include "core/store/staging.h"
#include "core/store/store.h"

namespace zarr {

// Returns the version of a file with `size` bytes, ModificationTime() `modified` and inode number
// `number`. A file that replaces another has another inode number. ObjectVersion::is_certain is
// false as long as another change could still get an equal modification time.
ObjectVersion VersionOfFile(std::uint64_t size, std::int64_t modified, std::uint64_t number);

// Store in a local folder, one file per key. Follows symbolic links, but does not list a link to a
// folder that contains the link. Subfolders are created on demand. The store's own folder must
// exist: otherwise a write would create a deleted store again.
//
// A value is written to a staging file, which is then renamed. A killed writer thus leaves the old
// or the new value, and perhaps its staging file, "KEY.<32 hex digits>.partial". zarr-python
// ignores such files, and the next writer in the folder removes them.
class DirectoryStore final : public Store, private StoreWriter {
  public:
    explicit DirectoryStore(std::string folder) : folder_(std::move(folder)) {}

    std::string Describe() const override { return folder_; }
    // Returns the absolute path of the store's folder, with symbolic links resolved.
    std::string Identity() const override;
    // Returns the version of the key's file, which VersionOfFile() makes from size, modification
    // time and inode number.
    ObjectVersion VersionOf(const std::string& key) const override;
    ObjectVersion VersionOfFolder(const std::string& prefix) const override;
    // Reads a value. The version in the result belongs to the file that was read, even if another
    // file replaces that file meanwhile.
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
    std::string PathOf(const std::string& key) const { return folder_ + "/" + key; }

    const std::string folder_;
    AbandonedFiles abandoned_;
    Lazy<std::string> real_path_;
};

}  // namespace zarr

// SPDX-License-Identifier: MIT
#pragma once

#include "core/store/store.h"

namespace zarr {

// A store in a folder of the file system, one file per key. Values are replaced by writing a
// temporary file beside them and renaming it. Symbolic links are followed as the system does.
class DirectoryStore final : public Store, private StoreWriter {
  public:
    // `folder` need not exist; it is made by the first Set().
    explicit DirectoryStore(std::string folder);

    std::string Describe() const override { return folder_; }
    // Size and time of modification; certain once the next change would show in that.
    ObjectVersion VersionOf(const std::string& key) const override;
    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override;
    bool WaitsForDisk(const std::string& key) const override;
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override;
    StoreWriter* writer() override { return this; }

  private:
    Status WriteParts(const std::string& key, const std::vector<ByteSpan>& parts) override;
    Status Remove(const std::string& key) override;
    Result<bool> RemovePrefix(const std::string& prefix) override;
    Result<bool> MovePrefix(const std::string& from, const std::string& to) override;
    std::string PathOf(const std::string& key) const { return folder_ + "/" + key; }

    std::string folder_;
};

}  // namespace zarr

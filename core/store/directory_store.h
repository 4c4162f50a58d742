// SPDX-License-Identifier: MIT
#pragma once

#include "core/store/store.h"

namespace zarr {

// A store in a folder of the file system, one file per key. Values are replaced by writing a
// temporary file beside them and renaming it. Symbolic links are followed as the system does.
class DirectoryStore final : public Store {
  public:
    // `folder` need not exist; it is made by the first Set().
    explicit DirectoryStore(std::string folder);

    std::string Describe() const override { return folder_; }
    // Size and time of modification; certain once the next change would show in that.
    ObjectVersion VersionOf(const std::string& key) const override;
    Result<bool> Get(const std::string& key, Buffer& value, std::size_t limit) const override;
    Result<std::optional<std::size_t>> GetInto(const std::string& key,
                                               MutableByteSpan memory) const override;
    Result<bool> GetRange(const std::string& key, std::uint64_t offset, std::size_t length,
                          Buffer& value) const override;
    Result<std::optional<std::uint64_t>> GetTail(const std::string& key, std::size_t length,
                                                 Buffer& value) const override;
    bool WaitsForDisk(const std::string& key) const override;
    Status Set(const std::string& key, ByteSpan value) override;
    Status SetParts(const std::string& key, const std::vector<ByteSpan>& parts) override;
    Status Erase(const std::string& key) override;
    Result<bool> ErasePrefix(const std::string& prefix) override;
    Result<bool> RenamePrefix(const std::string& from, const std::string& to) override;
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override;

  private:
    std::string PathOf(const std::string& key) const { return folder_ + "/" + key; }

    std::string folder_;
};

}  // namespace zarr

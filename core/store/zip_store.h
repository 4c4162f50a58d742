// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "core/store/store.h"
#include "core/store/zip_archive.h"

namespace zarr {

// The store below a prefix of a zip file. Read-only and immutable; every value is a member.
class ZipStore final : public Store {
  public:
    // `prefix` as FindRoot() returns it.
    ZipStore(std::shared_ptr<const ZipArchive> archive, std::string prefix)
        : archive_(std::move(archive)), prefix_(std::move(prefix)) {}

    std::string Describe() const override { return archive_->description(); }
    std::string Identity() const override { return archive_->identity() + "\n" + prefix_; }
    std::size_t ReadsAtOnce() const override;
    // The archive does not change while it is open. The checksum takes the place of a time.
    Stamp StampOf(const std::string& key) const override;
    Result<bool> Get(const std::string& key, Buffer& value, std::size_t limit) const override;
    Result<std::optional<std::size_t>> GetInto(const std::string& key,
                                               MutableByteSpan memory) const override;
    Result<bool> GetRange(const std::string& key, std::uint64_t offset, std::size_t length,
                          Buffer& value) const override;
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override;

  private:
    // nullptr where there is none; an error where `key` is no key.
    Result<const ZipMember*> Find(const std::string& key) const;

    const std::shared_ptr<const ZipArchive> archive_;
    const std::string prefix_;
};

}  // namespace zarr

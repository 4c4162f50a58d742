// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/lazy.h"
#include "core/store/store.h"
#include "core/store/zip_directory.h"

namespace zarr {

// A zip file with its table of contents, for any number of stores in it. Members that were stored
// or deflated can be read; nothing is extracted. Thread-safe.
class ZipArchive {
  public:
    // Reads the table of contents; see ZipDirectory::Read(). `identity` is the same for all
    // archives of the process that have the same contents, `description` for messages.
    static Result<std::shared_ptr<const ZipArchive>> Open(std::unique_ptr<const ByteSource> source,
                                                          std::string identity,
                                                          std::string description);

    const std::string& identity() const { return identity_; }
    const std::string& description() const { return description_; }
    const ByteSource& source() const { return *source_; }
    const ZipMember* Find(const std::string& name) const { return directory_.Find(name); }

    // Ok where Read() can be tried; of a member that claims more than its bytes can be, kCorrupt.
    // kUnsupported for members that are encrypted or compressed in another way.
    Status Check(const ZipMember& member) const;

    // Reads every member and compares its checksum, one in memory at a time. The error of the first
    // that is not what the table of contents says names it.
    Status CheckContents() const;

    // The contents of a member, of its size, or a part that must lie inside. What is read whole is
    // compared with its checksum.
    Status Read(const ZipMember& member, MutableByteSpan contents) const;
    Status ReadPart(const ZipMember& member, std::uint64_t offset, MutableByteSpan part) const;

    // The direct children of a prefix, sorted by name.
    std::vector<StoreEntry> List(const std::string& prefix) const;

    // True where a prefix has one of the documents of a store.
    bool HoldsStore(const std::string& prefix) const;

    // Where the store in the archive lies: "" for its root, or the only folder there, where that
    // holds the documents of a store, of any version of Zarr, and the root does not. What desktops
    // leave beside it is none.
    std::string FindRoot() const;

  private:
    ZipArchive(std::unique_ptr<const ByteSource> source, ZipDirectory directory,
               std::string identity, std::string description);
    // Offset of the contents in the file.
    Result<std::uint64_t> FindContents(const ZipMember& member) const;
    // Reads what is in the file of a member into `memory`.
    Status ReadStored(const ZipMember& member, MutableByteSpan memory) const;

    const std::unique_ptr<const ByteSource> source_;
    const ZipDirectory directory_;
    const std::string identity_;
    const std::string description_;
    Lazy<std::vector<std::string_view>> names_;  // sorted
};

}  // namespace zarr

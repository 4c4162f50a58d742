// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fork.h"
#include "core/store/store.h"
#include "core/store/zip_reader.h"

namespace zarr {

// File with random access for reading and writing. Not thread-safe, except ReadAt(): several
// threads may call ReadAt(), even while another thread writes to another part of the file.
class ByteFile {
  public:
    virtual ~ByteFile() = default;

    virtual std::uint64_t size() const = 0;  // bytes
    // Fills `memory` with the bytes from `offset` on. Fails if the file is too short.
    virtual Status ReadAt(std::uint64_t offset, MutableByteSpan memory) const = 0;
    // Writes `bytes` at `offset`, and zeros between the former end of the file and `offset`. Uses
    // one system call if possible, so that a killed process has written all bytes or none.
    virtual Status WriteAt(std::uint64_t offset, ByteSpan bytes) = 0;
    virtual Status Truncate(std::uint64_t size) = 0;
    // True if the path by which the file was opened still names this file. False if another file or
    // no file is at that path.
    virtual bool IsInPlace() const = 0;
};

std::string EmptyZip();

// Documents of a zip file for readers that look at the beginning of the directory.
struct ZipDocuments {
    // Last part of the names of members that come first in the directory: those in the store's
    // root, then those below. If empty, all members are in the order of their names.
    std::string name;
    // Returns the archive's comment from the contents of the document in the store's root. If
    // empty, the archive has no comment.
    std::function<std::string(ByteSpan)> comment;
};

// Store in a zip file that is being changed. Each write appends an uncompressed member. Replaced
// and erased members stay in the file; only their entries in the central directory are removed.
//
// The file always ends with a complete central directory, so that a killed writer leaves a valid
// zip file, with the members of the last Flush(). Before members are appended, a copy of that
// directory is written behind the space for these members. Flush() and the destructor write the
// current directory.
//
// If writing a directory was interrupted, ZipDirectory finds the previous directory, and the next
// writer removes the incomplete one. Thread-safe. Nothing else may write to the file.
class ZipUpdateStore final : public Store, private StoreWriter {
  public:
    // `archive` must be the contents of `file`; `prefix` is the store's prefix, as in ZipStore.
    // Fails with kUnsupported if other data precedes the archive in the file.
    static Result<std::shared_ptr<ZipUpdateStore>> Open(std::shared_ptr<const ZipArchive> archive,
                                                        std::unique_ptr<ByteFile> file,
                                                        std::string prefix,
                                                        ZipDocuments documents = {});
    // Writes the central directory if members have changed since the last write.
    ~ZipUpdateStore() override;
    ZipUpdateStore(const ZipUpdateStore&) = delete;
    ZipUpdateStore& operator=(const ZipUpdateStore&) = delete;

    std::string Describe() const override { return archive_->description(); }
    ObjectVersion VersionOf(const std::string& key) const override;
    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override;
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override;
    StoreWriter* writer() override { return this; }
    // True until another file replaces this file at its path. After the replacement all changes of
    // this store fail.
    bool IsInPlace() const { return file_->IsInPlace(); }

  private:
    // Appends a member with the value. Writes nothing if the key already has an equal value.
    Status WriteParts(const std::string& key, const std::vector<ByteSpan>& parts) override;
    Status Remove(const std::string& key) override;
    Status Commit() override;

    // Location of a member's contents: in `archive_` or, if this object has written the member, at
    // the offset `at` in `file_`.
    struct Contents {
        // For a new member, only its size and CRC-32 are used.
        ZipMember member;
        bool is_new = false;   // true if this object has written the member
        std::uint64_t at = 0;  // offset in `file_` of a new member's contents
    };
    // Current member under a name: its contents and its entry in the central directory.
    struct Member {
        Contents contents;
        std::string_view entry;  // raw central directory entry: a part of `archive_` or `own_entry`
        std::string own_entry;
    };

    ZipUpdateStore(std::shared_ptr<const ZipArchive> archive, std::unique_ptr<ByteFile> file,
                   std::string prefix, ZipDocuments documents);

    std::string NameOf(const std::string& key) const;
    Status CheckWritable() const;
    // Returns the contents of `key`; nullopt if absent.
    Result<std::optional<Contents>> Find(const std::string& key) const;
    Status Check(const Contents& contents) const;
    Status ReadContents(const Contents& contents, std::uint64_t offset, MutableByteSpan part) const;
    bool Holds(const std::string& name, ByteSpan value, std::uint32_t crc) const;
    // Entries of a central directory.
    struct Entries {
        std::string bytes;
        std::uint64_t count = 0;
        std::string comment;  // of the archive
        // Returns the bytes of the central directory and its end record, to be written at `offset`.
        std::string At(std::uint64_t offset) const;
    };
    Entries CurrentEntries() const;
    std::string CurrentComment() const;
    // Makes space for `bytes` bytes behind the last member. If necessary, moves the central
    // directory further towards the end of the file.
    Status MakeSpace(std::uint64_t bytes);
    // Writes the central directory of `entries` at `offset` and truncates the file behind it. The
    // bytes written must not overlap the current directory.
    Status WriteDirectory(const Entries& entries, std::uint64_t offset);
    Status WriteMember(const std::string& name, ByteSpan value, std::uint32_t crc);

    const std::shared_ptr<const ZipArchive> archive_;
    const std::unique_ptr<ByteFile> file_;
    const std::string prefix_;
    const ZipDocuments documents_;
    // Identifies the process that opened the file, because a forked child must not write.
    const std::uint64_t generation_ = ForkGeneration();
    mutable std::mutex mutex_;
    std::map<std::string, Member> members_;  // by the member's name in the archive
    std::vector<std::string_view> others_;   // entries of folders and other skipped members
    Entries committed_;                      // entries when the last Commit() ended
    std::uint64_t end_;                      // end of the last member, where the next one begins
    std::uint64_t directory_ = 0;  // offset of the central directory at the end of the file
    bool is_changed_ = false;      // true if members changed since the last Commit()
    // Number of bytes that MakeSpace() leaves free for further members when it moves the central
    // directory. MakeSpace() doubles the number each time, up to kMaxFreeSpace.
    std::uint64_t free_space_ = std::uint64_t{64} << 10;
};

}  // namespace zarr

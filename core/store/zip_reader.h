// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/completion.h"
#include "core/base/status.h"
#include "core/store/store.h"

namespace zarr {

// File with random access, such as an archive. Thread-safe.
class ByteSource {
  public:
    virtual ~ByteSource() = default;

    // Returns the size in bytes, which does not change.
    virtual std::uint64_t size() const = 0;

    // Fills `memory` with the bytes from `offset` on. Fails if the file is too short.
    virtual Status ReadAt(std::uint64_t offset, MutableByteSpan memory) const = 0;

    // True if a read has a high latency, so that reading a few more bytes is better than a second
    // read.
    virtual bool is_remote() const { return false; }

    // Returns the cost model of requests for parts of the file; see StoreTraits::request_cost.
    virtual ReadCost cost() const { return StoreTraits::kLocalCost; }
};

// Member of a zip file, as described by the central directory.
struct ZipMember {
    std::uint64_t header = 0;  // offset of the local header in the file
    std::uint64_t stored = 0;  // size of the compressed contents in bytes
    std::uint64_t size = 0;    // size of the contents in bytes
    std::uint32_t crc = 0;     // CRC-32 of the contents
    std::uint16_t method = 0;  // compression method: 0 stored, 8 deflated
    std::uint16_t name_size = 0;
    // Size of the extra field in the central directory. The extra field in the local header may
    // have another size.
    std::uint16_t extra_size = 0;
    bool is_encrypted = false;

    // True if the contents are in the file as they are, without compression.
    bool is_stored() const { return method == 0; }
    // Returns the version of a member's value, or of an absent value if `member` is nullptr. The
    // CRC-32 serves as the modification time.
    static ObjectVersion VersionOf(const ZipMember* member);
};

// Central directory of a zip file: the file's members by key. Skips folders, and members whose
// names are not valid keys. If a name occurs twice, the last member is used, because writers append
// new versions. Immutable.
class ZipDirectory {
  public:
    // Reads the end record and the central directory with two to four reads. If the file ends with
    // an incomplete write of ZipUpdateStore, searches for the previous directory with more reads.
    // Fails with kCorrupt if the file is damaged or not a zip file, and with kUnsupported if the
    // archive is split into several files.
    static Result<ZipDirectory> Read(const ByteSource& source);

    ZipDirectory(ZipDirectory&&) = default;
    ZipDirectory& operator=(ZipDirectory&&) = default;
    ZipDirectory(const ZipDirectory&) = delete;
    ZipDirectory& operator=(const ZipDirectory&) = delete;
    ~ZipDirectory() = default;

    const std::unordered_map<std::string_view, ZipMember>& members() const { return members_; }
    // Returns the member named `name`; nullptr if absent.
    const ZipMember* Find(std::string_view name) const;

    // Calls `visit` for each entry of the central directory, in file order. `name` is the member's
    // key, or empty for a folder or a name that is not a valid key. `entry` is the raw entry, valid
    // as long as this ZipDirectory.
    using EntryVisitor = std::function<void(const std::string& name, std::string_view entry)>;
    void ForEachEntry(const EntryVisitor& visit) const;
    // Returns the number of bytes in the file before the archive, for example of a self-extracting
    // program. The archive's offsets do not include these bytes.
    std::uint64_t base() const { return base_; }
    // Returns the offset at which the end record ends. If a killed writer left data behind the
    // record, the offset is smaller than the file size.
    std::uint64_t end() const { return end_; }

  private:
    ZipDirectory() = default;
    Status Parse(std::uint64_t base);
    void Add(std::string_view name, const ZipMember& member);

    std::uint64_t base_ = 0;
    std::uint64_t end_ = 0;
    Buffer text_;  // the raw central directory; keys of members_ point into it
    std::deque<std::string> other_names_;
    std::unordered_map<std::string_view, ZipMember> members_;
};

// kZipLocalHeader is the size in bytes of a local header without its name and extra field.
// ZipContentsOffset() returns the number of bytes from the start of a local header to the member's
// contents. Fails with kCorrupt if `header` is not a local header.
inline constexpr std::size_t kZipLocalHeader = 30;
Result<std::uint64_t> ZipContentsOffset(ByteSpan header);

// Open zip file with its central directory. Several stores may share a ZipArchive. Reads stored and
// deflated members; extracts nothing to disk. Thread-safe.
class ZipArchive {
  public:
    // Reads the central directory; see ZipDirectory::Read(). `identity` identifies the contents of
    // the archive: caches treat archives with the same identity as equal. `description` names the
    // archive in messages.
    static Result<std::shared_ptr<const ZipArchive>> Open(std::unique_ptr<const ByteSource> source,
                                                          std::string identity,
                                                          std::string description);

    const std::string& identity() const { return identity_; }
    const std::string& description() const { return description_; }
    const ByteSource& source() const { return *source_; }
    const ZipDirectory& directory() const { return directory_; }
    const ZipMember* Find(const std::string& name) const { return directory_.Find(name); }

    // Returns ok if Read() can be tried. Fails with kCorrupt if the member's size is too large for
    // its compressed size. Fails with kUnsupported if the member is encrypted, or compressed by
    // another method than deflate.
    Status Check(const ZipMember& member) const;

    // Read() reads the contents of a member and checks the CRC-32. ReadPart() reads a part of the
    // contents; the part must be inside the contents.
    Status Read(const ZipMember& member, MutableByteSpan contents) const;
    Status ReadPart(const ZipMember& member, std::uint64_t offset, MutableByteSpan part) const;

    // Returns the offset of a member's contents in the file. Reads the member's local header.
    Result<std::uint64_t> FindContents(const ZipMember& member) const;

    // Reads several members whole, as Store::GetMany() does. Members that are close together in the
    // file are read with one request. A failure's message starts with the member's name in `names`.
    Status ReadMany(const std::vector<const ZipMember*>& members,
                    const std::vector<std::string>& names, const ReadManyOptions& options,
                    const Store::ValueTaker& take) const;

    // Returns the direct children of `prefix`, sorted by name.
    std::vector<StoreEntry> List(const std::string& prefix) const;

    // Returns the prefix of the Zarr store in the archive. `holds_store` returns true if a store is
    // at a prefix. The result is "", the root, unless the only store is in the archive's only
    // top-level folder. Files that desktop systems add are ignored.
    using PrefixTest = std::function<bool(const std::string& prefix)>;
    std::string FindRoot(const PrefixTest& holds_store) const;

  private:
    ZipArchive(std::unique_ptr<const ByteSource> source, ZipDirectory directory,
               std::string identity, std::string description);
    // Reads the stored (possibly compressed) bytes of a member into `memory`.
    Status ReadStored(const ZipMember& member, MutableByteSpan memory) const;
    // Returns the expected number of bytes from a member's local header to the end of its contents.
    std::uint64_t LengthInFile(const ZipMember& member) const;
    // Sets `contents` to the uncompressed bytes of a member. `bytes` begin at the member's local
    // header. `contents` is a part of `bytes` if the member is not compressed; else it is in
    // `memory`. Returns false if `bytes` are too few because the local header is longer than
    // expected.
    Result<bool> Unpack(const ZipMember& member, ByteSpan bytes, Buffer& memory,
                        ByteSpan& contents) const;
    // Sets `contents` to the uncompressed bytes of a member. Uses `bytes` as Unpack() does. If
    // `bytes` is nullopt or too short, reads the member with a separate request.
    Status UnpackOrRead(const ZipMember& member, const std::optional<ByteSpan>& bytes,
                        Buffer& memory, ByteSpan& contents) const;
    // Appends to `ranges` the byte range of each member that is not nullptr. Sets `which` of each
    // range to the index of the member in `members`.
    Status FindMany(const std::vector<const ZipMember*>& members,
                    const std::vector<std::string>& names, std::size_t limit,
                    std::vector<WantedRange>& ranges) const;

    const std::unique_ptr<const ByteSource> source_;
    const ZipDirectory directory_;
    const std::string identity_;
    const std::string description_;
    Lazy<std::vector<std::string_view>> names_;  // sorted names of the members
};

// Store at a prefix of a zip file. Each value is a member. Read-only and immutable.
class ZipStore final : public Store {
  public:
    // `prefix` is the store's prefix in the archive, a result of ZipArchive::FindRoot().
    ZipStore(std::shared_ptr<const ZipArchive> archive, std::string prefix)
        : archive_(std::move(archive)), prefix_(std::move(prefix)) {}

    std::string Describe() const override {
        return prefix_.empty() ? archive_->description() : archive_->description() + "/" + prefix_;
    }
    std::string Identity() const override { return archive_->identity() + "\n" + prefix_; }
    StoreTraits Traits() const override;
    Status GetMany(const std::vector<std::string>& keys, const ReadManyOptions& options,
                   const ValueTaker& take) const override;
    // Returns a version that never changes, because the archive does not change while it is open.
    ObjectVersion VersionOf(const std::string& key) const override;
    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override;
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override;

  private:
    // Returns the member of `key`; nullptr if absent. Fails if `key` is not a valid key.
    Result<const ZipMember*> Find(const std::string& key) const;

    const std::shared_ptr<const ZipArchive> archive_;
    const std::string prefix_;
};

}  // namespace zarr

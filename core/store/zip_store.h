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
#include "core/base/status.h"
#include "core/base/turn.h"
#include "core/store/store.h"

namespace zarr {

// A file that is read at any place, such as an archive. Thread-safe.
class ByteSource {
  public:
    virtual ~ByteSource() = default;

    // In bytes; does not change.
    virtual std::uint64_t size() const = 0;

    // Fills `memory` from `offset`. Fewer bytes than that are an error, as is any failure.
    virtual Status ReadAt(std::uint64_t offset, MutableByteSpan memory) const = 0;

    // True where each read takes so long that a few more bytes are better than a second read.
    virtual bool is_distant() const { return false; }

    // See StoreTraits::request_cost.
    virtual ReadCost cost() const { return StoreTraits::kLocalCost; }
};

// A member as the central directory describes it.
struct ZipMember {
    std::uint64_t header = 0;  // offset of its local header in the file
    std::uint64_t stored = 0;  // bytes in the file
    std::uint64_t size = 0;    // bytes of its contents
    std::uint32_t crc = 0;     // CRC-32 of its contents
    std::uint16_t method = 0;  // 0 stored, 8 deflated
    std::uint16_t name_size = 0;
    std::uint16_t extra_size = 0;  // of the entry here; the local header may have another
    bool is_encrypted = false;

    // Returns the version of a value, nullptr for an absent one. The checksum takes the place of a
    // time.
    static ObjectVersion VersionOf(const ZipMember* member);
};

// All members, by their names in the form of a key. Folders, and members whose names would lead
// elsewhere, are left out; of several of one name the last counts, as writers that add to a file
// mean it. Immutable.
class ZipDirectory {
  public:
    // Reads the end of the file and the central directory, once: two to four reads; more of a file
    // of this machine that does not end in one, as where a writer was killed in the middle of it
    // (see ZipUpdateStore): then the one before counts. kCorrupt where the file is not a zip file,
    // or damaged; kUnsupported where it is one of several parts.
    static Result<ZipDirectory> Read(const ByteSource& source);

    ZipDirectory(ZipDirectory&&) = default;
    ZipDirectory& operator=(ZipDirectory&&) = default;
    ZipDirectory(const ZipDirectory&) = delete;
    ZipDirectory& operator=(const ZipDirectory&) = delete;
    ~ZipDirectory() = default;

    const std::unordered_map<std::string_view, ZipMember>& members() const { return members_; }
    // nullptr where there is none.
    const ZipMember* Find(std::string_view name) const;

    // The entries as they are in the file, in their order: the name in the form of a key, empty for
    // what is left out, and the bytes of the entry, which this holds.
    using EntryVisitor = std::function<void(const std::string& name, std::string_view entry)>;
    void ForEachEntry(const EntryVisitor& visit) const;
    // How far the file begins behind what its offsets count from, as where a program was put
    // before it.
    std::uint64_t base() const { return base_; }
    // Where the end record ends: before the end of the file where a writer that was killed has left
    // something behind it.
    std::uint64_t end() const { return end_; }

  private:
    ZipDirectory() = default;
    Status Parse(std::uint64_t base);
    void Add(std::string_view name, const ZipMember& member);

    std::uint64_t base_ = 0;
    std::uint64_t end_ = 0;
    Buffer text_;  // the central directory, which holds most of the names
    std::deque<std::string> other_names_;
    std::unordered_map<std::string_view, ZipMember> members_;
};

// The bytes of a local header before the name, and from it the offset of the contents behind the
// header's start. kCorrupt where it is not one.
inline constexpr std::size_t kZipLocalHeader = 30;
Result<std::uint64_t> ZipContentsOffset(ByteSpan header);

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
    const ZipDirectory& directory() const { return directory_; }
    const ZipMember* Find(const std::string& name) const { return directory_.Find(name); }

    // Ok where Read() can be tried; of a member that claims more than its bytes can be, kCorrupt.
    // kUnsupported for members that are encrypted or compressed in another way.
    Status Check(const ZipMember& member) const;

    // The contents of a member, of its size, or a part that must lie inside. What is read whole is
    // compared with its checksum.
    Status Read(const ZipMember& member, MutableByteSpan contents) const;
    Status ReadPart(const ZipMember& member, std::uint64_t offset, MutableByteSpan part) const;

    // Reads several members whole, those that lie near each other together; see Store::GetMany().
    // A member that cannot be read fails with its name in `names` in front.
    Status ReadMany(const std::vector<const ZipMember*>& members,
                    const std::vector<std::string>& names, const ReadManyOptions& options,
                    const Store::ValueTaker& take) const;

    // The direct children of a prefix, sorted by name.
    std::vector<StoreEntry> List(const std::string& prefix) const;

    // The prefix of the store in the archive: "", or the only folder at the top, where
    // `holds_store` accepts that and not the root. Files that desktops add are ignored.
    using PrefixTest = std::function<bool(const std::string& prefix)>;
    std::string FindRoot(const PrefixTest& holds_store) const;

  private:
    ZipArchive(std::unique_ptr<const ByteSource> source, ZipDirectory directory,
               std::string identity, std::string description);
    // Offset of the contents in the file.
    Result<std::uint64_t> FindContents(const ZipMember& member) const;
    // Reads what is in the file of a member into `memory`.
    Status ReadStored(const ZipMember& member, MutableByteSpan memory) const;
    // The bytes of a member from its local header on, where that is as long as is to be expected.
    std::uint64_t LengthInFile(const ZipMember& member) const;
    // The contents of a member, from what is in the file of it from its local header on. `memory`
    // is for what has to be made, and `contents` refers to it or to `bytes`. False where `bytes`
    // are too few, as the local header is longer.
    Result<bool> Unpack(const ZipMember& member, ByteSpan bytes, Buffer& memory,
                        ByteSpan& contents) const;
    // Like Unpack(), but reads the member alone if there are no bytes, or too few.
    Status UnpackOrRead(const ZipMember& member, const std::optional<ByteSpan>& bytes,
                        Buffer& memory, ByteSpan& contents) const;
    // Adds the byte ranges of the members that are not nullptr; `which` is the index in `members`.
    Status FindMany(const std::vector<const ZipMember*>& members,
                    const std::vector<std::string>& names, std::size_t limit,
                    std::vector<WantedRange>& ranges) const;

    const std::unique_ptr<const ByteSource> source_;
    const ZipDirectory directory_;
    const std::string identity_;
    const std::string description_;
    Lazy<std::vector<std::string_view>> names_;  // sorted
};

// The store below a prefix of a zip file. Read-only and immutable; every value is a member.
class ZipStore final : public Store {
  public:
    // `prefix` as FindRoot() returns it.
    ZipStore(std::shared_ptr<const ZipArchive> archive, std::string prefix)
        : archive_(std::move(archive)), prefix_(std::move(prefix)) {}

    std::string Describe() const override { return archive_->description(); }
    std::string Identity() const override { return archive_->identity() + "\n" + prefix_; }
    StoreTraits Traits() const override;
    Status GetMany(const std::vector<std::string>& keys, const ReadManyOptions& options,
                   const ValueTaker& take) const override;
    // Constant, as the archive does not change while it is open.
    ObjectVersion VersionOf(const std::string& key) const override;
    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override;
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override;

  private:
    // nullptr where there is none; an error where `key` is not a key.
    Result<const ZipMember*> Find(const std::string& key) const;

    const std::shared_ptr<const ZipArchive> archive_;
    const std::string prefix_;
};

}  // namespace zarr

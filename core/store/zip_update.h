// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fork.h"
#include "core/store/store.h"
#include "core/store/zip_store.h"

namespace zarr {

// A file that is read and written at any place. For one thread at a time, but for ReadAt(), which
// several may call beside each other and beside a writer of another place.
class ByteFile {
  public:
    virtual ~ByteFile() = default;

    virtual std::uint64_t size() const = 0;  // bytes
    // Fills `memory` from `offset`. Fewer bytes than that are an error, as is any failure.
    virtual Status ReadAt(std::uint64_t offset, MutableByteSpan memory) const = 0;
    // Writes at `offset`, also behind the end of the file; what lies between is zeros. In one call
    // of the system where it can be, so that a process that is killed has written all or nothing.
    virtual Status WriteAt(std::uint64_t offset, ByteSpan bytes) = 0;
    virtual Status Truncate(std::uint64_t size) = 0;
    // False once the path that the file was opened by leads to another file, or to none.
    virtual bool IsInPlace() const = 0;
};

// The bytes of a zip file without members.
std::string EmptyZip();

// A store in a zip file that is changed. What is written becomes a new member behind the others,
// stored and not compressed; the bytes of a member of the same name, or of one that is erased, stay
// in the file and are no longer in its table of contents.
//
// The file ends at any time in a whole table of contents: before members are written behind the
// last one, a copy of it goes far enough behind them. So a writer that is killed leaves a zip file
// that every program opens, with what was in it when the table was written last: at Flush(),
// Close(), and now and then between. Of a file that is left in the middle of that write, which the
// system may cut off between two pages, ZipDirectory finds the table before, and the next writer
// removes the rest. Thread-safe; one for each file, as nothing else may write to
// it.
class ZipUpdateStore final : public Store, private StoreWriter {
  public:
    // `archive` is what `file` holds, and `prefix` the store in it, as in ZipStore. kUnsupported
    // where something other than the zip file lies at the start of the file.
    static Result<std::shared_ptr<ZipUpdateStore>> Open(std::shared_ptr<const ZipArchive> archive,
                                                        std::unique_ptr<ByteFile> file,
                                                        std::string prefix);
    // Writes the table of contents, if it is not the current one.
    ~ZipUpdateStore() override;
    ZipUpdateStore(const ZipUpdateStore&) = delete;
    ZipUpdateStore& operator=(const ZipUpdateStore&) = delete;

    std::string Describe() const override { return archive_->description(); }
    ObjectVersion VersionOf(const std::string& key) const override;
    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override;
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override;
    StoreWriter* writer() override { return this; }
    // False once another zip file has taken the path of this one. Every change fails from then on.
    bool IsInPlace() const { return file_->IsInPlace(); }

  private:
    // Does not write a value that is stored already.
    Status WriteParts(const std::string& key, const std::vector<ByteSpan>& parts) override;
    Status Remove(const std::string& key) override;
    Status Commit() override;

    // Where the contents of a member are.
    struct Contents {
        ZipMember member;      // in `archive_`; of a new one the size and the checksum
        bool is_new = false;   // not in `archive_`
        std::uint64_t at = 0;  // offset in `file_` of what is new
    };
    // What is in the zip file under a name.
    struct Member {
        Contents contents;
        std::string_view entry;  // of the table of contents: in `archive_`, or in `own_entry`
        std::string own_entry;
    };

    ZipUpdateStore(std::shared_ptr<const ZipArchive> archive, std::unique_ptr<ByteFile> file,
                   std::string prefix);

    std::string NameOf(const std::string& key) const;
    Status CheckWritable() const;
    // Nothing where there is no such key.
    Result<std::optional<Contents>> Find(const std::string& key) const;
    Status Check(const Contents& contents) const;
    Status ReadContents(const Contents& contents, std::uint64_t offset, MutableByteSpan part) const;
    bool Holds(const std::string& name, ByteSpan value, std::uint32_t crc) const;
    // The table of contents with its end, as it is at `offset`.
    Result<std::string> Directory(std::uint64_t offset) const;
    // Sees to it that the file ends in a table of contents behind the next `bytes` from end_ on.
    Status MakeRoom(std::uint64_t bytes);
    // Writes the table of contents at `offset`, which lies behind the present one or before its
    // start, and lets the file end there.
    Status WriteDirectory(std::uint64_t offset);
    Status WriteMember(const std::string& name, ByteSpan value, std::uint32_t crc);

    const std::shared_ptr<const ZipArchive> archive_;
    const std::unique_ptr<ByteFile> file_;
    const std::string prefix_;
    const std::uint64_t generation_ = ForkGeneration();  // a child does not write
    mutable std::mutex mutex_;
    std::map<std::string, Member> members_;         // by name in the archive
    std::vector<std::string_view> others_;          // entries of folders and the like
    std::uint64_t end_;                             // of the last member: where the next one goes
    std::uint64_t directory_ = 0;                   // offset of the table that the file ends in
    bool is_changed_ = false;                       // since that was written
    std::uint64_t room_ = std::uint64_t{64} << 10;  // bytes that are left free for members
};

}  // namespace zarr

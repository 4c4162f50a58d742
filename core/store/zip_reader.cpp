// SPDX-License-Identifier: MIT
#include "core/store/zip_reader.h"

#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "core/base/checked.h"
#include "core/base/decompressor.h"
#include "core/base/digest.h"
#include "core/base/threads.h"
#include "core/base/tuning.h"
#include "core/store/keys.h"
#include "core/store/read_ranges.h"
#include "core/store/zip_format.h"

namespace zarr {

namespace {

// Maximum ratio of the size of the contents to the compressed size that deflate can reach.
constexpr std::uint64_t kMaxDeflateRatio = 1032;

Status Inflate(ByteSpan deflated, MutableByteSpan contents) {
    libdeflate_decompressor* const decompressor = ThreadDecompressor();
    if (decompressor == nullptr) return Status::OutOfMemory("no memory for a decompressor");
    // libdeflate requires a valid pointer, even if there is nothing to decompress.
    std::uint8_t nowhere = 0;
    if (libdeflate_deflate_decompress(decompressor, deflated.data, deflated.size,
                                      contents.size != 0 ? contents.data : &nowhere, contents.size,
                                      nullptr) == LIBDEFLATE_SUCCESS)
        return {};
    return Status::Corrupt("does not inflate to the " + std::to_string(contents.size) +
                           " bytes that the zip file's directory states");
}

Status CheckSum(const ZipMember& member, ByteSpan contents) {
    if (Crc32Of(contents) == member.crc) return {};
    return Status::Corrupt("contents do not match the checksum in the zip file's directory");
}

// Sizes in bytes of the fixed parts of records.
constexpr std::size_t kEnd = 22;      // end of central directory record, without comment
constexpr std::size_t kEnd64 = 56;    // zip64 end of central directory record
constexpr std::size_t kLocator = 20;  // zip64 end of central directory locator
constexpr std::size_t kEntry =
    46;  // central directory header, without name, extra field and comment
constexpr std::size_t kComment = 65535;
constexpr std::size_t kMaxDirectory = std::size_t{2} << 30;

// Reads a little-endian number of `size` bytes.
std::uint64_t Number(const std::uint8_t* bytes, std::size_t size) {
    std::uint64_t number = 0;
    for (std::size_t i = size; i-- > 0;) number = number << 8U | bytes[i];
    return number;
}

std::uint16_t Short(const std::uint8_t* bytes) {
    return static_cast<std::uint16_t>(Number(bytes, 2));
}

std::uint32_t Long(const std::uint8_t* bytes) {
    return static_cast<std::uint32_t>(Number(bytes, 4));
}

Status Damaged(const std::string& what) {
    return Status::Corrupt("the zip file is damaged: " + what);
}

// Position of the central directory in the file. `base` is the number of bytes before the archive.
// Offsets in the archive are counted from `base`.
struct Extent {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t base = 0;
};

// Last bytes of the file. `offset` is the position in the file at which `bytes` begin.
struct Tail {
    Buffer bytes;
    std::uint64_t offset = 0;

    const std::uint8_t* data() const { return bytes.span().data; }
};

Result<Tail> ReadTail(const ByteSource& source) {
    Tail tail;
    const std::uint64_t size = std::min<std::uint64_t>(source.size(), kEnd + kComment + kLocator);
    tail.offset = source.size() - size;
    ZARR_RETURN_IF_ERROR(tail.bytes.Reset(static_cast<std::size_t>(size)));
    ZARR_RETURN_IF_ERROR(source.ReadAt(tail.offset, tail.bytes.span()));
    return tail;
}

// Returns the offset of the end record within the tail. The end record is the last record whose
// comment ends at the end of the file.
Result<std::size_t> FindEnd(const Tail& tail) {
    const std::size_t size = tail.bytes.size();
    for (std::size_t at = size < kEnd ? 0 : size - kEnd + 1; at-- > 0;)
        if (Long(tail.data() + at) == zip::kEndMark &&
            at + kEnd + Short(tail.data() + at + 20) == size)
            return at;
    return Status::Corrupt("not a zip file, or truncated");
}

Status CheckOnePart(bool is_one) {
    return is_one ? Status() : Status::Unsupported("a zip file in several parts is not supported");
}

// Reads the zip64 end record and returns the position of the central directory. `locator` is the
// zip64 locator, which contains the offset of the end record.
Result<Extent> ReadEnd64(const ByteSource& source, const std::uint8_t* locator) {
    ZARR_RETURN_IF_ERROR(CheckOnePart(Long(locator + 4) == 0 && Long(locator + 16) <= 1));
    const std::uint64_t at = Number(locator + 8, 8);
    if (at > source.size() || source.size() - at < kEnd64)
        return Damaged("its zip64 record is beyond the end of the file");
    Buffer record;
    ZARR_RETURN_IF_ERROR(record.Reset(kEnd64));
    ZARR_RETURN_IF_ERROR(source.ReadAt(at, record.span()));
    const std::uint8_t* bytes = std::as_const(record).span().data;
    if (Long(bytes) != zip::kEnd64Mark) return Damaged("its zip64 record is damaged");
    ZARR_RETURN_IF_ERROR(CheckOnePart(Long(bytes + 16) == 0 && Long(bytes + 20) == 0));
    return Extent{Number(bytes + 48, 8), Number(bytes + 40, 8), 0};
}

// Returns the offset of the last complete end record in a file whose writer was killed. The central
// directory must end immediately before that record. Fails with `why` if no such record is found.
Result<std::uint64_t> FindEarlierEnd(const ByteSource& source, const Status& why) {
    constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
    constexpr std::uint64_t kFarthest = std::uint64_t{256} << 20;
    if (source.is_remote()) return why;
    const std::uint64_t lowest = source.size() > kFarthest ? source.size() - kFarthest : 0;
    Buffer piece;
    for (std::uint64_t end = source.size(); end > lowest + kEnd;) {
        const std::uint64_t begin = end - lowest > kPiece ? end - kPiece : lowest;
        ZARR_RETURN_IF_ERROR(piece.Reset(static_cast<std::size_t>(end - begin)));
        ZARR_RETURN_IF_ERROR(source.ReadAt(begin, piece.span()));
        const std::uint8_t* const bytes = std::as_const(piece).data();
        for (std::size_t at = piece.size() - kEnd + 1; at-- > 0;) {
            if (bytes[at] != 'P' || Long(bytes + at) != zip::kEndMark) continue;
            const std::uint64_t size = Long(bytes + at + 12);
            const std::uint64_t offset = Long(bytes + at + 16);
            if (size == zip::kIn64 || offset == zip::kIn64 ||
                (size != 0 && offset + size == begin + at))
                return begin + at;
        }
        end = begin == lowest ? lowest : begin + kEnd - 1;
    }
    return why;
}

Result<Extent> Locate(const ByteSource& source, Tail& tail) {
    auto found = FindEnd(tail);
    if (!found.ok()) {
        ZARR_ASSIGN_OR_RETURN(const std::uint64_t end, FindEarlierEnd(source, found.status()));
        tail.offset = end - std::min<std::uint64_t>(end, kLocator);
        ZARR_RETURN_IF_ERROR(tail.bytes.Reset(static_cast<std::size_t>(end + kEnd - tail.offset)));
        ZARR_RETURN_IF_ERROR(source.ReadAt(tail.offset, tail.bytes.span()));
        found = static_cast<std::size_t>(end - tail.offset);
    }
    const std::size_t at = *found;
    const std::uint8_t* end = tail.data() + at;
    const bool has_locator = at >= kLocator && Long(end - kLocator) == zip::kLocatorMark;
    Extent extent{Long(end + 16), Long(end + 12), 0};
    if (has_locator) {
        ZARR_ASSIGN_OR_RETURN(extent, ReadEnd64(source, end - kLocator));
    } else {
        ZARR_RETURN_IF_ERROR(CheckOnePart(Short(end + 4) == 0 && Short(end + 6) == 0));
        const std::uint64_t before = tail.offset + at;
        if (extent.size <= before && extent.offset <= before - extent.size)
            extent.base = before - extent.size - extent.offset;
    }
    extent.offset += extent.base;
    if (extent.offset > source.size() || source.size() - extent.offset < extent.size)
        return Damaged("its directory is beyond the end of the file");
    if (extent.size > kMaxDirectory)
        return Status::Limit("the zip file's directory has " + std::to_string(extent.size) +
                             " bytes; the maximum is " + std::to_string(kMaxDirectory));
    return extent;
}

// Replaces sizes and the offset of `member` that are kIn64 by their values in the zip64 extra
// field. The field contains only these values, in a fixed order (APPNOTE 4.5.3).
Status TakeZip64(ByteSpan extra, ZipMember& member) {
    while (extra.size >= 4) {
        const std::uint16_t id = Short(extra.data);
        const std::size_t size = Short(extra.data + 2);
        extra = extra.From(4);
        if (size > extra.size) return {};  // malformed extra field: not zip64
        if (id == zip::kZip64Extra) {
            std::size_t at = 0;
            for (std::uint64_t* value : {&member.size, &member.stored, &member.header}) {
                if (*value != zip::kIn64) continue;
                if (at + 8 > size) return Damaged("a zip64 field is too short");
                *value = Number(extra.data + at, 8);
                at += 8;
            }
            return {};
        }
        extra = extra.From(size);
    }
    return {};
}

}  // namespace

StoreTraits ZipStore::Traits() const {
    StoreTraits traits;
    traits.remote = traits.packed = archive_->source().is_remote();
    traits.concurrent_reads = traits.remote ? tuning::kRemoteReads : 1;
    traits.request_cost = archive_->source().cost();
    return traits;
}

Result<const ZipMember*> ZipStore::Find(const std::string& key) const {
    ZARR_RETURN_IF_ERROR(CheckKey(key));
    return archive_->Find(JoinKey(prefix_, key));
}

ObjectVersion ZipMember::VersionOf(const ZipMember* member) {
    ObjectVersion version;
    version.is_certain = true;
    version.exists = member != nullptr;
    if (!version.exists) return version;
    version.size = member->size;
    version.modified = member->crc;
    return version;
}

ObjectVersion ZipStore::VersionOf(const std::string& key) const {
    const auto member = Find(key);
    return member.ok() ? ZipMember::VersionOf(*member) : ObjectVersion();
}

Result<ReadResult> ZipStore::Read(const std::string& key, const ValuePart& part,
                                  const ReadSink& sink) const {
    ZARR_ASSIGN_OR_RETURN(const ZipMember* member, Find(key));
    ReadResult read{member != nullptr, 0, ZipMember::VersionOf(member)};
    if (!read.found) return read;
    read.size = member->size;
    ZARR_ASSIGN_OR_RETURN(const ValuePart::Extent extent, part.Of(key, read.size));
    ZARR_RETURN_IF_ERROR(archive_->Check(*member).WithContext(key));
    ZARR_ASSIGN_OR_RETURN(const auto memory, sink.Reserve(extent.size).WithContext(key));
    if (!memory) return read;
    ZARR_RETURN_IF_ERROR((part.is_whole() ? archive_->Read(*member, *memory)
                                          : archive_->ReadPart(*member, extent.offset, *memory))
                             .WithContext(key));
    return read;
}

Status ZipStore::GetMany(const std::vector<std::string>& keys, const ReadManyOptions& options,
                         const ValueTaker& take) const {
    std::vector<const ZipMember*> members;
    members.reserve(keys.size());
    for (const std::string& key : keys) {
        ZARR_ASSIGN_OR_RETURN(const ZipMember* member, Find(key));
        members.push_back(member);
    }
    return archive_->ReadMany(members, keys, options, take);
}

Result<std::vector<StoreEntry>> ZipStore::List(const std::string& prefix) const {
    if (!prefix.empty()) ZARR_RETURN_IF_ERROR(CheckKey(prefix));
    return archive_->List(prefix.empty() ? prefix_ : JoinKey(prefix_, prefix));
}

Result<std::shared_ptr<const ZipArchive>> ZipArchive::Open(std::unique_ptr<const ByteSource> source,
                                                           std::string identity,
                                                           std::string description) {
    ZARR_ASSIGN_OR_RETURN(ZipDirectory directory, ZipDirectory::Read(*source));
    return std::shared_ptr<const ZipArchive>(new ZipArchive(
        std::move(source), std::move(directory), std::move(identity), std::move(description)));
}

ZipArchive::ZipArchive(std::unique_ptr<const ByteSource> source, ZipDirectory directory,
                       std::string identity, std::string description)
    : source_(std::move(source)),
      directory_(std::move(directory)),
      identity_(std::move(identity)),
      description_(std::move(description)) {}

Status ZipArchive::Check(const ZipMember& member) const {
    if (member.is_encrypted) return Status::Unsupported("is encrypted in the zip file");
    if (member.method != zip::kStored && member.method != zip::kDeflated)
        return Status::Unsupported(
            "compression method " + std::to_string(member.method) +
            " of the zip file is not supported, only 0 (stored) and 8 (deflated)");
    const bool is_plausible = member.method == zip::kStored
                                  ? member.stored == member.size
                                  : member.size / kMaxDeflateRatio <= member.stored;
    if (member.stored <= source_->size() && is_plausible) return {};
    return Status::Corrupt("the zip file's directory is damaged: " + std::to_string(member.stored) +
                           " stored bytes cannot decode to " + std::to_string(member.size));
}

Result<std::uint64_t> ZipArchive::FindContents(const ZipMember& member) const {
    std::uint8_t header[kZipLocalHeader];
    if (member.header > source_->size() || source_->size() - member.header < sizeof header)
        return Status::Corrupt("is beyond the end of the zip file");
    ZARR_RETURN_IF_ERROR(source_->ReadAt(member.header, {header, sizeof header}));
    ZARR_ASSIGN_OR_RETURN(const std::uint64_t offset, ZipContentsOffset({header, sizeof header}));
    const std::uint64_t room = source_->size() - member.header;
    if (offset > room || room - offset < member.stored)
        return Status::Corrupt("is beyond the end of the zip file");
    return member.header + offset;
}

std::uint64_t ZipArchive::LengthInFile(const ZipMember& member) const {
    // The length is an estimate. The name and extra field of a local header are usually, but not
    // always, as long as in the central directory.
    const std::uint64_t before = kZipLocalHeader + member.name_size + member.extra_size;
    const std::uint64_t room = source_->size() - std::min(member.header, source_->size());
    return std::min(SaturatingAdd(before, member.stored), room);
}

Status ZipArchive::ReadStored(const ZipMember& member, MutableByteSpan memory) const {
    if (source_->is_remote() && member.header < source_->size()) {
        // The local header and the contents are read at once, because a second read would cost a
        // round trip.
        Buffer both;
        ZARR_RETURN_IF_ERROR(both.Reset(static_cast<std::size_t>(LengthInFile(member))));
        ZARR_RETURN_IF_ERROR(source_->ReadAt(member.header, both.span()));
        const ByteSpan bytes = std::as_const(both).span();
        ZARR_ASSIGN_OR_RETURN(const std::uint64_t offset, ZipContentsOffset(bytes));
        if (offset <= bytes.size && bytes.size - offset >= memory.size) {
            if (memory.size != 0) std::memcpy(memory.data, bytes.data + offset, memory.size);
            return {};
        }
    }
    ZARR_ASSIGN_OR_RETURN(const std::uint64_t offset, FindContents(member));
    return source_->ReadAt(offset, memory);
}

Result<bool> ZipArchive::Unpack(const ZipMember& member, ByteSpan bytes, Buffer& memory,
                                ByteSpan& contents) const {
    ZARR_ASSIGN_OR_RETURN(const std::uint64_t offset, ZipContentsOffset(bytes));
    if (offset > bytes.size || bytes.size - offset < member.stored) return false;
    contents = bytes.From(static_cast<std::size_t>(offset));
    contents.size = static_cast<std::size_t>(member.stored);
    if (member.method != zip::kStored) {
        ZARR_RETURN_IF_ERROR(memory.Reset(static_cast<std::size_t>(member.size)));
        ZARR_RETURN_IF_ERROR(Inflate(contents, memory.span()));
        contents = std::as_const(memory).span();
    }
    ZARR_RETURN_IF_ERROR(CheckSum(member, contents));
    return true;
}

Status ZipArchive::UnpackOrRead(const ZipMember& member, const std::optional<ByteSpan>& bytes,
                                Buffer& memory, ByteSpan& contents) const {
    if (bytes) {
        ZARR_ASSIGN_OR_RETURN(const bool is_there, Unpack(member, *bytes, memory, contents));
        if (is_there) return {};
    }
    ZARR_RETURN_IF_ERROR(memory.Reset(static_cast<std::size_t>(member.size)));
    ZARR_RETURN_IF_ERROR(Read(member, memory.span()));
    contents = std::as_const(memory).span();
    return {};
}

Status ZipArchive::FindMany(const std::vector<const ZipMember*>& members,
                            const std::vector<std::string>& names, std::size_t limit,
                            std::vector<WantedRange>& ranges) const {
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (members[i] == nullptr) continue;
        const ZipMember& member = *members[i];
        if (member.size > limit) return ValueTooLarge(names[i], member.size, limit);
        ZARR_RETURN_IF_ERROR(Check(member).WithContext(names[i]));
        if (member.header >= source_->size())
            return Status::Corrupt(names[i] + ": is beyond the end of the zip file");
        ranges.push_back({member.header, LengthInFile(member), i});
    }
    return {};
}

Status ZipArchive::ReadMany(const std::vector<const ZipMember*>& members,
                            const std::vector<std::string>& names, const ReadManyOptions& options,
                            const Store::ValueTaker& take) const {
    std::vector<WantedRange> ranges;
    ZARR_RETURN_IF_ERROR(FindMany(members, names, options.limit, ranges));
    for (std::size_t i = 0; i < members.size(); ++i)
        if (members[i] == nullptr) ZARR_RETURN_IF_ERROR(take(i, std::nullopt));
    const auto read = [this](std::size_t, std::uint64_t offset, std::size_t,
                             Buffer& bytes) -> Result<bool> {
        ZARR_RETURN_IF_ERROR(source_->ReadAt(offset, bytes.span()));
        return true;
    };
    const auto unpack = [&](std::size_t i, const std::optional<ByteSpan>& bytes) -> Status {
        Buffer memory;
        ByteSpan contents;
        ZARR_RETURN_IF_ERROR(
            UnpackOrRead(*members[i], bytes, memory, contents).WithContext(names[i]));
        return take(i, contents);
    };
    BufferPool buffers(tuning::kIdleReadBytes);
    return ReadRanges({source_->cost(), buffers, read}, std::move(ranges), options, unpack);
}

Status ZipArchive::Read(const ZipMember& member, MutableByteSpan contents) const {
    ZARR_RETURN_IF_ERROR(Check(member));
    if (member.method == zip::kStored) {
        ZARR_RETURN_IF_ERROR(ReadStored(member, contents));
    } else {
        Buffer deflated;
        ZARR_RETURN_IF_ERROR(deflated.Reset(static_cast<std::size_t>(member.stored)));
        ZARR_RETURN_IF_ERROR(ReadStored(member, deflated.span()));
        ZARR_RETURN_IF_ERROR(Inflate(std::as_const(deflated).span(), contents));
    }
    return CheckSum(member, contents);
}

Status ZipArchive::ReadPart(const ZipMember& member, std::uint64_t offset,
                            MutableByteSpan part) const {
    ZARR_RETURN_IF_ERROR(Check(member));
    if (member.method == zip::kStored) {
        ZARR_ASSIGN_OR_RETURN(const std::uint64_t begin, FindContents(member));
        return source_->ReadAt(begin + offset, part);
    }
    Buffer whole;
    ZARR_RETURN_IF_ERROR(whole.Reset(static_cast<std::size_t>(member.size)));
    ZARR_RETURN_IF_ERROR(Read(member, whole.span()));
    if (part.size != 0) std::memcpy(part.data, whole.data() + offset, part.size);
    return {};
}

std::vector<StoreEntry> ZipArchive::List(const std::string& prefix) const {
    const auto& names = names_.Get([this] {
        std::vector<std::string_view> sorted;
        sorted.reserve(directory_.members().size());
        for (const auto& [name, member] : directory_.members()) sorted.push_back(name);
        std::sort(sorted.begin(), sorted.end());
        return sorted;
    });
    const std::string start = prefix.empty() ? "" : prefix + "/";
    std::vector<StoreEntry> entries;
    auto at = std::lower_bound(names.begin(), names.end(), std::string_view(start));
    while (at != names.end() && at->substr(0, start.size()) == start) {
        const std::size_t end = at->find('/', start.size());
        std::string name(at->substr(start.size(), end - start.size()));
        if (end == std::string_view::npos) {
            ++at;
            entries.push_back({std::move(name), false});
            continue;
        }
        const std::string past = start + name + static_cast<char>('/' + 1);
        at = std::lower_bound(at, names.end(), std::string_view(past));
        entries.push_back({std::move(name), true});
    }
    std::sort(entries.begin(), entries.end(),
              [](const StoreEntry& a, const StoreEntry& b) { return a.name < b.name; });
    return entries;
}

std::string ZipArchive::FindRoot(const PrefixTest& holds) const {
    if (holds("")) return "";
    std::string only;
    for (const StoreEntry& entry : List("")) {
        if (entry.name == "__MACOSX" || entry.name == ".DS_Store") continue;
        if (!only.empty() || !entry.is_prefix) return "";
        only = entry.name;
    }
    return holds(only) ? only : "";
}

Result<ZipDirectory> ZipDirectory::Read(const ByteSource& source) {
    ZARR_ASSIGN_OR_RETURN(Tail tail, ReadTail(source));
    ZARR_ASSIGN_OR_RETURN(const Extent extent, Locate(source, tail));
    ZipDirectory directory;
    const auto size = static_cast<std::size_t>(extent.size);
    if (extent.offset >= tail.offset) {
        ZARR_RETURN_IF_ERROR(
            directory.text_.Assign(ByteSpan(tail.data() + (extent.offset - tail.offset), size)));
    } else {
        ZARR_RETURN_IF_ERROR(directory.text_.Reset(size));
        ZARR_RETURN_IF_ERROR(source.ReadAt(extent.offset, directory.text_.span()));
    }
    directory.base_ = extent.base;
    directory.end_ = tail.offset + tail.bytes.size();
    ZARR_RETURN_IF_ERROR(directory.Parse(extent.base));
    return directory;
}

Status ZipDirectory::Parse(std::uint64_t base) {
    ByteSpan rest = std::as_const(text_).span();
    members_.reserve(rest.size / (kEntry + 8));
    // The loop ends at the first record that is not an entry, because a digital signature may
    // follow the entries.
    while (rest.size >= kEntry && Long(rest.data) == zip::kEntryMark) {
        const std::uint8_t* entry = rest.data;
        ZipMember member;
        member.is_encrypted = (Short(entry + 8) & 1U) != 0;
        member.method = Short(entry + 10);
        member.crc = Long(entry + 16);
        member.stored = Long(entry + 20);
        member.size = Long(entry + 24);
        member.name_size = Short(entry + 28);
        member.extra_size = Short(entry + 30);
        member.header = Long(entry + 42);
        const std::size_t total = kEntry + member.name_size + member.extra_size + Short(entry + 32);
        if (total > rest.size) return Damaged("its directory is cut off");
        const std::string_view name = ByteSpan(entry + kEntry, member.name_size).text();
        ZARR_RETURN_IF_ERROR(
            TakeZip64(ByteSpan(entry + kEntry + member.name_size, member.extra_size), member));
        member.header += base;
        Add(name, member);
        rest = rest.From(total);
    }
    if (rest.size >= kEntry && members_.empty()) return Damaged("its directory is damaged");
    return {};
}

namespace {

// Returns the key for a member's name; empty if the member is a folder, or if the name is not a
// valid key.
std::string KeyOf(std::string_view name) {
    if (name.empty() || name.back() == '/') return {};
    if (IsValidKey(name)) return std::string(name);
    const auto normal = NormalizePath(name);
    return normal.ok() && IsValidKey(*normal) ? *normal : std::string();
}

}  // namespace

void ZipDirectory::Add(std::string_view name, const ZipMember& member) {
    std::string key = KeyOf(name);
    if (key.empty()) return;
    if (key != name) name = other_names_.emplace_back(std::move(key));
    members_[name] = member;
}

void ZipDirectory::ForEachEntry(const EntryVisitor& visit) const {
    ByteSpan rest = text_.span();
    while (rest.size >= kEntry && Long(rest.data) == zip::kEntryMark) {
        const std::size_t name_size = Short(rest.data + 28);
        const std::size_t total =
            kEntry + name_size + Short(rest.data + 30) + Short(rest.data + 32);
        const std::string_view entry = rest.text().substr(0, total);
        visit(KeyOf(entry.substr(kEntry, name_size)), entry);
        rest = rest.From(total);
    }
}

const ZipMember* ZipDirectory::Find(std::string_view name) const {
    const auto found = members_.find(name);
    return found == members_.end() ? nullptr : &found->second;
}

Result<std::uint64_t> ZipContentsOffset(ByteSpan header) {
    if (header.size < kZipLocalHeader || Long(header.data) != zip::kLocalMark)
        return Status::Corrupt(
            "the zip file has no member at the offset that its directory states");
    return kZipLocalHeader + Short(header.data + 26) + Short(header.data + 28);
}

}  // namespace zarr

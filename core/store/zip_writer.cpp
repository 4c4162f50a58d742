// SPDX-License-Identifier: MIT
#include "core/store/zip_writer.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <limits>
#include <mutex>
#include <utility>

#include "core/base/digest.h"
#include "core/base/fork.h"
#include "core/store/keys.h"
#include "core/store/zip_format.h"

namespace zarr {

namespace {

// Values in the headers of a zip file (APPNOTE 6.3.10, sections 4.3.7 and 4.3.12 to 4.3.16).
constexpr std::uint64_t kVersion = 20;
constexpr std::uint64_t kVersion64 = 45;
constexpr std::uint64_t kUnix = 3U << 8U;
constexpr std::uint64_t kUtf8Name = 1U << 11U;
constexpr std::uint64_t kFileRights = std::uint64_t{0100644} << 16U;

// Maximum number of bytes left free, for further members, between the last member of a zip file and
// its central directory.
constexpr std::uint64_t kMaxFreeSpace = std::uint64_t{64} << 20;

void Append(std::string& text, std::uint64_t number, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i)
        text += static_cast<char>(static_cast<unsigned char>(number >> (8 * i)));
}

std::uint64_t FlagsOf(const std::string& name) {
    return std::any_of(name.begin(), name.end(), [](char c) { return (c & 0x80) != 0; }) ? kUtf8Name
                                                                                         : 0;
}

// Returns the local time in MS-DOS format. The upper 16 bits are the date (years 1980 to 2107). The
// lower 16 bits are the time of day in units of two seconds.
std::uint64_t Now() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
#if defined(_WIN32)
    localtime_s(&local, &now);
#else
    localtime_r(&now, &local);
#endif
    const auto number = [](int value) { return static_cast<std::uint64_t>(value); };
    const std::uint64_t year = number(std::clamp(local.tm_year - 80, 0, 127));
    const std::uint64_t day = year << 9U | number(local.tm_mon + 1) << 5U | number(local.tm_mday);
    const std::uint64_t time =
        number(local.tm_hour) << 11U | number(local.tm_min) << 5U | number(local.tm_sec) / 2;
    return day << 16U | time;
}

// Appends the fields that a local header and a central directory entry of a zip file have in
// common: from the flags to the length of the name.
void AppendDescription(std::string& text, const std::string& name, const ZipMember& member,
                       std::uint64_t written) {
    Append(text, FlagsOf(name), 2);
    Append(text, 0, 2);  // stored
    Append(text, written, 4);
    Append(text, member.crc, 4);
    Append(text, member.stored, 4);
    Append(text, member.size, 4);
    Append(text, name.size(), 2);
}

std::string LocalHeader(const std::string& name, const ZipMember& member, std::uint64_t written) {
    std::string text;
    Append(text, zip::kLocalMark, 4);
    Append(text, kVersion, 2);
    AppendDescription(text, name, member, written);
    Append(text, 0, 2);  // length of the extra field, which is absent
    return text + name;
}

std::string EntryOf(const std::string& name, const ZipMember& member, std::uint64_t written) {
    const bool is_far = member.header >= zip::kIn64;
    std::string text;
    Append(text, zip::kEntryMark, 4);
    Append(text, kUnix | kVersion64, 2);
    Append(text, is_far ? kVersion64 : kVersion, 2);
    AppendDescription(text, name, member, written);
    Append(text, is_far ? 12 : 0, 2);
    // Three fields are zero: no comment, the first disk, and contents that are not marked as text.
    Append(text, 0, 6);
    Append(text, kFileRights, 4);
    Append(text, std::min(member.header, zip::kIn64), 4);
    text += name;
    if (is_far) {
        Append(text, 1, 2);  // zip64
        Append(text, 8, 2);
        Append(text, member.header, 8);
    }
    return text;
}

// Returns the end records for a central directory. The directory has `count` entries in `size`
// bytes at `offset`.
std::string EndOf(std::uint64_t count, std::uint64_t size, std::uint64_t offset,
                  const std::string& comment = {}) {
    std::string text;
    if (count >= zip::kCountIn64 || size >= zip::kIn64 || offset >= zip::kIn64) {
        Append(text, zip::kEnd64Mark, 4);
        Append(text, 44, 8);  // size of the rest of this record in bytes
        Append(text, kUnix | kVersion64, 2);
        Append(text, kVersion64, 2);
        // The archive has one disk, and the central directory is on it.
        Append(text, 0, 8);
        Append(text, count, 8);
        Append(text, count, 8);
        Append(text, size, 8);
        Append(text, offset, 8);
        Append(text, zip::kLocatorMark, 4);
        Append(text, 0, 4);
        Append(text, offset + size, 8);
        Append(text, 1, 4);
    }
    Append(text, zip::kEndMark, 4);
    Append(text, 0, 4);
    Append(text, std::min(count, zip::kCountIn64), 2);
    Append(text, std::min(count, zip::kCountIn64), 2);
    Append(text, std::min(size, zip::kIn64), 4);
    Append(text, std::min(offset, zip::kIn64), 4);
    Append(text, comment.size(), 2);
    return text + comment;
}

}  // namespace

std::string EmptyZip() { return EndOf(0, 0, 0); }

Result<std::shared_ptr<ZipUpdateStore>> ZipUpdateStore::Open(
    std::shared_ptr<const ZipArchive> archive, std::unique_ptr<ByteFile> file, std::string prefix,
    ZipDocuments documents) {
    if (archive->directory().base() != 0)
        return Status::Unsupported(
            "the zip file has data before its first member, so it is read-only");
    return std::shared_ptr<ZipUpdateStore>(new ZipUpdateStore(
        std::move(archive), std::move(file), std::move(prefix), std::move(documents)));
}

ZipUpdateStore::ZipUpdateStore(std::shared_ptr<const ZipArchive> archive,
                               std::unique_ptr<ByteFile> file, std::string prefix,
                               ZipDocuments documents)
    : archive_(std::move(archive)),
      file_(std::move(file)),
      prefix_(std::move(prefix)),
      documents_(std::move(documents)),
      end_(archive_->directory().end()),
      is_changed_(end_ != file_->size()) {
    archive_->directory().ForEachEntry([&](const std::string& name, std::string_view entry) {
        const ZipMember* const member = archive_->Find(name);
        if (member == nullptr)
            others_.push_back(entry);
        else
            // If several entries have the same name, the last entry counts.
            members_[name] = {{*member, false, 0}, entry, {}};
    });
    // The first member of an empty archive takes the place of its end record.
    if (members_.empty() && others_.empty()) end_ = 0;
    committed_ = CurrentEntries();
}

ZipUpdateStore::~ZipUpdateStore() { static_cast<void>(Commit()); }

std::string ZipUpdateStore::NameOf(const std::string& key) const { return JoinKey(prefix_, key); }

Status ZipUpdateStore::CheckWritable() const {
    if (generation_ != ForkGeneration())
        return Status::Permission("the zip file can be written only by the process that opened it");
    return IsInPlace() ? Status()
                       : Status::Io(
                             "the zip file was replaced or removed after it was opened, so nothing "
                             "is written to it; open it again");
}

Result<std::optional<ZipUpdateStore::Contents>> ZipUpdateStore::Find(const std::string& key) const {
    ZARR_RETURN_IF_ERROR(CheckKey(key));
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = members_.find(NameOf(key));
    return found != members_.end() ? std::optional(found->second.contents) : std::nullopt;
}

ObjectVersion ZipUpdateStore::VersionOf(const std::string& key) const {
    const auto contents = Find(key);
    if (!contents.ok()) return {};
    return ZipMember::VersionOf(*contents ? &(*contents)->member : nullptr);
}

Status ZipUpdateStore::Check(const Contents& contents) const {
    return contents.is_new ? Status() : archive_->Check(contents.member);
}

Status ZipUpdateStore::ReadContents(const Contents& contents, std::uint64_t offset,
                                    MutableByteSpan part) const {
    if (contents.is_new) return file_->ReadAt(contents.at + offset, part);
    const bool is_whole = offset == 0 && part.size == contents.member.size;
    return is_whole ? archive_->Read(contents.member, part)
                    : archive_->ReadPart(contents.member, offset, part);
}

Result<ReadResult> ZipUpdateStore::Read(const std::string& key, const ValuePart& part,
                                        const ReadSink& sink) const {
    ZARR_ASSIGN_OR_RETURN(const auto contents, Find(key));
    ReadResult read{contents.has_value(), 0,
                    ZipMember::VersionOf(contents ? &contents->member : nullptr)};
    if (!contents) return read;
    read.size = contents->member.size;
    ZARR_ASSIGN_OR_RETURN(const ValuePart::Extent extent, part.Of(key, read.size));
    ZARR_RETURN_IF_ERROR(Check(*contents).WithContext(key));
    ZARR_ASSIGN_OR_RETURN(const auto memory, sink.Reserve(extent.size).WithContext(key));
    if (memory)
        ZARR_RETURN_IF_ERROR(ReadContents(*contents, extent.offset, *memory).WithContext(key));
    return read;
}

bool ZipUpdateStore::Holds(const std::string& name, ByteSpan value, std::uint32_t crc) const {
    const auto found = members_.find(name);
    if (found == members_.end()) return false;
    const Contents& contents = found->second.contents;
    Buffer held;
    return contents.member.size == value.size && contents.member.crc == crc &&
           Check(contents).ok() && held.Reset(value.size).ok() &&
           ReadContents(contents, 0, held.span()).ok() &&
           std::as_const(held).span().text() == value.text();
}

Status ZipUpdateStore::WriteParts(const std::string& key, const std::vector<ByteSpan>& parts) {
    ZARR_RETURN_IF_ERROR(CheckKey(key));
    ZARR_RETURN_IF_ERROR(CheckWritable().WithContext(key));
    Buffer joined;
    if (parts.size() != 1) ZARR_RETURN_IF_ERROR(joined.AssignJoined(parts).WithContext(key));
    const ByteSpan value = parts.size() == 1 ? parts[0] : std::as_const(joined).span();
    const std::string name = NameOf(key);
    if (value.size >= zip::kIn64 || name.size() > std::numeric_limits<std::uint16_t>::max())
        return Status::Limit(key + ": is too large for a member of a zip file");
    const std::uint32_t crc = Crc32Of(value);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (Holds(name, value, crc)) return {};
    return WriteMember(name, value, crc).WithContext(key);
}

Status ZipUpdateStore::WriteMember(const std::string& name, ByteSpan value, std::uint32_t crc) {
    ZipMember member;
    member.header = end_;
    member.stored = member.size = value.size;
    member.crc = crc;
    const std::uint64_t written = Now();
    const std::string header = LocalHeader(name, member, written);
    ZARR_RETURN_IF_ERROR(MakeSpace(header.size() + value.size));
    ZARR_RETURN_IF_ERROR(file_->WriteAt(end_, ByteSpan(std::string_view(header))));
    ZARR_RETURN_IF_ERROR(file_->WriteAt(end_ + header.size(), value));
    Member& place = members_[name];
    place.contents = {member, true, end_ + header.size()};
    place.own_entry = EntryOf(name, member, written);
    place.entry = place.own_entry;
    end_ += header.size() + value.size;
    is_changed_ = true;
    return {};
}

Status ZipUpdateStore::Remove(const std::string& key) {
    ZARR_RETURN_IF_ERROR(CheckKey(key));
    ZARR_RETURN_IF_ERROR(CheckWritable().WithContext(key));
    const std::lock_guard<std::mutex> lock(mutex_);
    if (members_.erase(NameOf(key)) != 0) is_changed_ = true;
    return {};
}

std::string ZipUpdateStore::Entries::At(std::uint64_t offset) const {
    return bytes + EndOf(count, bytes.size(), offset, comment);
}

ZipUpdateStore::Entries ZipUpdateStore::CurrentEntries() const {
    Entries entries;
    const auto is_document = [&](const std::string& name) {
        return !documents_.name.empty() && LastName(name) == documents_.name;
    };
    std::multimap<std::ptrdiff_t, std::string_view> documents;  // by their depth
    for (const auto& [name, member] : members_)
        if (is_document(name))
            documents.emplace(std::count(name.begin(), name.end(), '/'), member.entry);
    for (const auto& [depth, entry] : documents) entries.bytes += entry;
    for (const std::string_view entry : others_) entries.bytes += entry;
    for (const auto& [name, member] : members_)
        if (!is_document(name)) entries.bytes += member.entry;
    entries.count = others_.size() + members_.size();
    entries.comment = CurrentComment();
    return entries;
}

std::string ZipUpdateStore::CurrentComment() const {
    constexpr std::uint64_t kMaxDocument = std::uint64_t{16} << 20;
    const auto found = members_.find(NameOf(documents_.name));
    if (!documents_.comment || found == members_.end()) return {};
    const Contents& contents = found->second.contents;
    Buffer read;
    const bool is_read = contents.member.size <= kMaxDocument && Check(contents).ok() &&
                         read.Reset(static_cast<std::size_t>(contents.member.size)).ok() &&
                         ReadContents(contents, 0, read.span()).ok();
    std::string comment = is_read ? documents_.comment(std::as_const(read).span()) : std::string();
    return comment.size() <= std::numeric_limits<std::uint16_t>::max() ? comment : std::string();
}

Status ZipUpdateStore::WriteDirectory(const Entries& entries, std::uint64_t offset) {
    const std::string text = entries.At(offset);
    const std::uint64_t size = file_->size();
    Status written = file_->WriteAt(offset, ByteSpan(std::string_view(text)));
    if (!written.ok()) {
        // The write failed, so the file is truncated to its old size. Readers expect the previous
        // directory at the end of the file.
        if (offset >= size) static_cast<void>(file_->Truncate(size));
        return written;
    }
    if (file_->size() > offset + text.size())
        ZARR_RETURN_IF_ERROR(file_->Truncate(offset + text.size()));
    directory_ = offset;
    return {};
}

// The directory that is moved has the committed members only. If the process is killed, members
// that have not been committed are as if never written: a document that was written first does not
// make an array whose chunks are missing.
Status ZipUpdateStore::MakeSpace(std::uint64_t bytes) {
    if (end_ + bytes <= directory_) return {};
    ZARR_RETURN_IF_ERROR(
        WriteDirectory(committed_, std::max(file_->size(), end_ + bytes + free_space_)));
    free_space_ = std::min(2 * free_space_, kMaxFreeSpace);
    return {};
}

Status ZipUpdateStore::Commit() {
    if (generation_ != ForkGeneration()) return {};
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!is_changed_ && (directory_ == 0 || directory_ == end_)) return {};
    ZARR_RETURN_IF_ERROR(CheckWritable());
    Entries entries = CurrentEntries();
    const std::uint64_t size = entries.At(end_).size();
    // If the new directory would overlap the current directory, the new one is first written behind
    // the current one as well. A complete directory thus exists at any time.
    if (end_ + size > directory_)
        ZARR_RETURN_IF_ERROR(WriteDirectory(entries, std::max(file_->size(), end_ + size)));
    ZARR_RETURN_IF_ERROR(WriteDirectory(entries, end_));
    committed_ = std::move(entries);
    is_changed_ = false;
    return {};
}

Result<std::vector<StoreEntry>> ZipUpdateStore::List(const std::string& prefix) const {
    if (!prefix.empty()) ZARR_RETURN_IF_ERROR(CheckKey(prefix));
    const std::string folder = prefix.empty() ? prefix_ : NameOf(prefix);
    const std::string start = folder.empty() ? "" : folder + "/";
    const std::lock_guard<std::mutex> lock(mutex_);
    std::map<std::string, bool> names;
    for (auto at = members_.lower_bound(start);
         at != members_.end() && at->first.compare(0, start.size(), start) == 0;) {
        const std::size_t end = at->first.find('/', start.size());
        const std::string name = at->first.substr(start.size(), end - start.size());
        names[name] |= end != std::string::npos;
        at = end == std::string::npos
                 ? std::next(at)
                 : members_.lower_bound(start + name + static_cast<char>('/' + 1));
    }
    std::vector<StoreEntry> entries;
    entries.reserve(names.size());
    for (const auto& [name, is_prefix] : names) entries.push_back({name, is_prefix});
    return entries;
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
#include "core/store/zip_archive.h"

#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "core/base/decompressor.h"
#include "core/store/foreign_documents.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;
// Deflate cannot make more than so many bytes of one.
constexpr std::uint64_t kMostOfOne = 1032;

Status Inflate(ByteSpan deflated, MutableByteSpan contents) {
    libdeflate_decompressor* const decompressor = ThreadsDecompressor();
    if (decompressor == nullptr) return Status::OutOfMemory("no memory for a decompressor");
    // Without room there is nowhere to inflate to, and nothing to inflate.
    std::uint8_t nowhere = 0;
    if (libdeflate_deflate_decompress(decompressor, deflated.data, deflated.size,
                                      contents.size != 0 ? contents.data : &nowhere, contents.size,
                                      nullptr) == LIBDEFLATE_SUCCESS)
        return {};
    return Status::Corrupt("does not inflate to the " + std::to_string(contents.size) +
                           " bytes that the zip file promises");
}

Status CheckSum(const ZipMember& member, ByteSpan contents) {
    if (libdeflate_crc32(0, contents.data, contents.size) == member.crc) return {};
    return Status::Corrupt("has another checksum than the zip file says");
}

}  // namespace

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
    if (member.method != kStored && member.method != kDeflated)
        return Status::Unsupported("is compressed by method " + std::to_string(member.method) +
                                   " in the zip file, of which stored and deflated are read");
    const bool is_plausible = member.method == kStored ? member.stored == member.size
                                                       : member.size / kMostOfOne <= member.stored;
    if (member.stored <= source_->size() && is_plausible) return {};
    return Status::Corrupt("cannot have " + std::to_string(member.size) + " bytes in " +
                           std::to_string(member.stored) + " of the zip file");
}

Result<std::uint64_t> ZipArchive::FindContents(const ZipMember& member) const {
    std::uint8_t header[kZipLocalHeader];
    if (member.header > source_->size() || source_->size() - member.header < sizeof header)
        return Status::Corrupt("lies outside the zip file");
    ZARR_RETURN_IF_ERROR(source_->ReadAt(member.header, {header, sizeof header}));
    ZARR_ASSIGN_OR_RETURN(const std::uint64_t offset, ZipContentsOffset({header, sizeof header}));
    const std::uint64_t room = source_->size() - member.header;
    if (offset > room || room - offset < member.stored)
        return Status::Corrupt("lies outside the zip file");
    return member.header + offset;
}

Status ZipArchive::CheckContents() const {
    Buffer contents;
    for (const auto& [name, member] : directory_.members()) {
        ZARR_RETURN_IF_ERROR(Check(member).WithContext(name));
        ZARR_RETURN_IF_ERROR(contents.Reset(static_cast<std::size_t>(member.size)));
        ZARR_RETURN_IF_ERROR(Read(member, contents.span()).WithContext(name));
    }
    return {};
}

Status ZipArchive::ReadStored(const ZipMember& member, MutableByteSpan memory) const {
    if (source_->is_distant() && member.header < source_->size()) {
        // In one read with the local header, whose fields are mostly as long as here.
        const std::uint64_t before = kZipLocalHeader + member.name_size + member.extra_size;
        const std::uint64_t room = source_->size() - member.header;
        Buffer both;
        ZARR_RETURN_IF_ERROR(both.Reset(
            static_cast<std::size_t>(std::min<std::uint64_t>(before + member.stored, room))));
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

Status ZipArchive::Read(const ZipMember& member, MutableByteSpan contents) const {
    ZARR_RETURN_IF_ERROR(Check(member));
    if (member.method == kStored) {
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
    if (member.method == kStored) {
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

bool ZipArchive::HoldsStore(const std::string& prefix) const {
    return std::any_of(
        std::begin(kStoreDocuments), std::end(kStoreDocuments),
        [&](std::string_view name) { return directory_.Find(JoinKey(prefix, name)) != nullptr; });
}

std::string ZipArchive::FindRoot() const {
    // Of an array of Zarr v1, too, as far as the names tell; of Zarr v3 for who reads that.
    const auto holds = [this](const std::string& prefix) {
        return HoldsStore(prefix) || directory_.Find(JoinKey(prefix, kV1ArrayKey)) != nullptr ||
               directory_.Find(JoinKey(prefix, kV3Key)) != nullptr;
    };
    if (holds("")) return "";
    std::string only;
    for (const StoreEntry& entry : List("")) {
        if (entry.name == "__MACOSX" || entry.name == ".DS_Store") continue;
        if (!only.empty() || !entry.is_prefix) return "";
        only = entry.name;
    }
    return holds(only) ? only : "";
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
#include "core/store/zip_store.h"

#include <algorithm>

#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr std::size_t kReadsAtOnce = 32;  // of a distant archive

}  // namespace

std::size_t ZipStore::ReadsAtOnce() const {
    return archive_->source().is_distant() ? kReadsAtOnce : 1;
}

Result<const ZipMember*> ZipStore::Find(const std::string& key) const {
    ZARR_RETURN_IF_ERROR(CheckKey(key));
    return archive_->Find(JoinKey(prefix_, key));
}

Stamp ZipStore::StampOf(const std::string& key) const {
    Stamp stamp;
    const auto member = Find(key);
    if (!member.ok()) return stamp;
    stamp.is_certain = true;
    stamp.exists = *member != nullptr;
    if (!stamp.exists) return stamp;
    stamp.size = (*member)->size;
    stamp.modified = (*member)->crc;
    return stamp;
}

Result<bool> ZipStore::Get(const std::string& key, Buffer& value, std::size_t limit) const {
    ZARR_ASSIGN_OR_RETURN(const ZipMember* member, Find(key));
    if (member == nullptr) return false;
    if (member->size > limit) return ValueTooLarge(key, member->size, limit);
    ZARR_RETURN_IF_ERROR(archive_->Check(*member).WithContext(key));
    ZARR_RETURN_IF_ERROR(value.Reset(static_cast<std::size_t>(member->size)).WithContext(key));
    ZARR_RETURN_IF_ERROR(archive_->Read(*member, value.span()).WithContext(key));
    return true;
}

Result<std::optional<std::size_t>> ZipStore::GetInto(const std::string& key,
                                                     MutableByteSpan memory) const {
    ZARR_ASSIGN_OR_RETURN(const ZipMember* member, Find(key));
    if (member == nullptr) return std::optional<std::size_t>();
    if (member->size == memory.size)
        ZARR_RETURN_IF_ERROR(archive_->Read(*member, memory).WithContext(key));
    return std::optional<std::size_t>(static_cast<std::size_t>(member->size));
}

Result<bool> ZipStore::GetRange(const std::string& key, std::uint64_t offset, std::size_t length,
                                Buffer& value) const {
    ZARR_ASSIGN_OR_RETURN(const ZipMember* member, Find(key));
    if (member == nullptr) return false;
    ZARR_RETURN_IF_ERROR(archive_->Check(*member).WithContext(key));
    const std::uint64_t from = std::min(offset, member->size);
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(length, member->size - from));
    ZARR_RETURN_IF_ERROR(value.Reset(size).WithContext(key));
    ZARR_RETURN_IF_ERROR(archive_->ReadPart(*member, from, value.span()).WithContext(key));
    return true;
}

Result<std::vector<StoreEntry>> ZipStore::List(const std::string& prefix) const {
    if (!prefix.empty()) ZARR_RETURN_IF_ERROR(CheckKey(prefix));
    return archive_->List(prefix.empty() ? prefix_ : JoinKey(prefix_, prefix));
}

}  // namespace zarr

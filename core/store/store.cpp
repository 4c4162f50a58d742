// SPDX-License-Identifier: MIT
#include "core/store/store.h"

#include <cstring>

namespace zarr {

bool SameContent(const Stamp& a, const Stamp& b) {
    return a.is_certain && b.is_certain && a.exists == b.exists && a.size == b.size &&
           a.modified == b.modified;
}

std::string Store::Identity() const {
    return std::to_string(reinterpret_cast<std::uintptr_t>(this));
}

Stamp Store::StampOf(const std::string& /*key*/) const { return {}; }

Result<std::optional<std::size_t>> Store::GetInto(const std::string& key,
                                                  MutableByteSpan memory) const {
    Buffer value;
    ZARR_ASSIGN_OR_RETURN(const bool found, Get(key, value, kNoLimit));
    if (!found) return std::optional<std::size_t>();
    if (value.size() == memory.size && memory.size != 0)
        std::memcpy(memory.data, value.data(), memory.size);
    return std::optional<std::size_t>(value.size());
}

Status Store::Set(const std::string& key, ByteSpan /*value*/) {
    return Status::Unsupported(key + ": the store is read-only");
}

Status Store::Erase(const std::string& key) {
    return Status::Unsupported(key + ": the store is read-only");
}

Result<bool> Store::ErasePrefix(const std::string& /*prefix*/) { return false; }

Result<bool> Store::RenamePrefix(const std::string& /*from*/, const std::string& /*to*/) {
    return false;
}

Status ValueTooLarge(const std::string& key, std::uint64_t size, std::size_t limit) {
    return Status::Limit(key + ": has " + std::to_string(size) + " bytes, more than the " +
                         std::to_string(limit) + " that can be expected there");
}

Status Store::Close() { return {}; }

}  // namespace zarr

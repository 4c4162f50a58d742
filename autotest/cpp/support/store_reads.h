// SPDX-License-Identifier: MIT
// Shortcuts for Store::Read(): with the version, into given memory, of a byte range, or of the last
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/store/store.h"

namespace zarr::test {

inline Result<bool> GetVersioned(const Store& store, const std::string& key, Buffer& value,
                                 ObjectVersion& version) {
    ZARR_ASSIGN_OR_RETURN(const ReadResult read,
                          store.Read(key, ValuePart::Whole(kNoLimit), value));
    version = read.version;
    return read.found;
}

inline Result<std::optional<std::uint64_t>> GetInto(const Store& store, const std::string& key,
                                                    MutableByteSpan memory) {
    ZARR_ASSIGN_OR_RETURN(const ReadResult read,
                          store.Read(key, ValuePart::Whole(kNoLimit), memory));
    return read.found ? std::optional(read.size) : std::nullopt;
}

inline Result<bool> GetRange(const Store& store, const std::string& key, std::uint64_t offset,
                             std::size_t length, Buffer& value) {
    ZARR_ASSIGN_OR_RETURN(const ReadResult read,
                          store.Read(key, ValuePart::Range(offset, length), value));
    return read.found;
}

inline Result<std::optional<std::uint64_t>> GetTail(const Store& store, const std::string& key,
                                                    std::size_t length, Buffer& value) {
    ZARR_ASSIGN_OR_RETURN(const ReadResult read, store.Read(key, ValuePart::Tail(length), value));
    return read.found ? std::optional(read.size) : std::nullopt;
}

}  // namespace zarr::test

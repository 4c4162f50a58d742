// SPDX-License-Identifier: MIT
// For codecs whose decoded form is a part of the encoded one, and checks that encoders share.
#pragma once

#include <cstring>

#include "core/codec/codec.h"

namespace zarr {

// Makes `bytes` all of what `decoded` holds.
inline Status CopyAll(ByteSpan bytes, Output& decoded) {
    ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room, decoded.Prepare(bytes.size));
    if (bytes.size != 0) std::memcpy(room.data, bytes.data, bytes.size);
    return {};
}

// CheckWritable() of codecs that take no more than `limit` bytes.
inline Status CheckInputSize(SizeBound decoded, std::size_t limit) {
    if (!decoded.exact || decoded.max <= limit) return {};
    return Status::Limit("takes at most " + std::to_string(limit) + " bytes, not " +
                         std::to_string(decoded.max));
}

}  // namespace zarr

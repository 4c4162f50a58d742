// SPDX-License-Identifier: MIT
// For codecs whose decoded form is a part of the encoded one.
#pragma once

#include <cstring>

#include "core/codec/output.h"

namespace zarr {

// Makes `bytes` all of what `decoded` holds.
inline Status CopyAll(ByteSpan bytes, Output& decoded) {
    ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room, decoded.Prepare(bytes.size));
    if (bytes.size != 0) std::memcpy(room.data, bytes.data, bytes.size);
    return {};
}

}  // namespace zarr

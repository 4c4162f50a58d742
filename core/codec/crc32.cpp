// SPDX-License-Identifier: MIT
// crc32: zlib's CRC-32 before the data (numcodecs.CRC32).
#include <zlib.h>

#include "core/codec/checksum.h"

namespace zarr {

namespace {

std::uint32_t Crc32Of(ByteSpan data) {
    return static_cast<std::uint32_t>(crc32_z(0, data.data, data.size));
}

}  // namespace

CodecResult MakeCrc32(const json::Value& config, const CodecContext& /*context*/) {
    return MakeChecksum(Crc32Of, config, ChecksumLocation::kStart);
}

}  // namespace zarr

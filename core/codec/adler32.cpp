// SPDX-License-Identifier: MIT
// adler32: zlib's Adler-32 before the data (numcodecs.Adler32).
#include <zlib.h>

#include "core/codec/checksum.h"

namespace zarr {

namespace {

std::uint32_t Adler32Of(ByteSpan data) {
    if (data.size == 0) return 1;  // zlib gives the initial value for a null pointer only
    return static_cast<std::uint32_t>(adler32_z(1, data.data, data.size));
}

}  // namespace

CodecResult MakeAdler32(const json::Value& config, const CodecContext& /*context*/) {
    return MakeChecksum(Adler32Of, config, ChecksumLocation::kStart);
}

}  // namespace zarr

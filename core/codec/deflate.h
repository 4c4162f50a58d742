// SPDX-License-Identifier: MIT
#pragma once

#include "core/codec/output.h"

namespace zarr {

// A zlib stream (RFC 1950), or deflate's alone (RFC 1951).
enum class DeflateWrapping { kZlib, kNone };

// Appends to `encoded` what zlib makes of `decoded` at `level`, -1 to 9, with its default settings.
// By zlib and not by libdeflate, whose bytes are others. At level 0 zlib cuts what it stores by the
// room it is given at a time, so that there alone the bytes may not be Python's.
Status Deflate(DeflateWrapping wrapping, int level, ByteSpan decoded, Output& encoded);

}  // namespace zarr

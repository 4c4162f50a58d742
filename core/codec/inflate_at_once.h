// SPDX-License-Identifier: MIT
#pragma once

#include "core/codec/inflate.h"

namespace zarr {

// Decodes `encoded` with libdeflate, which needs all input and all room at once and is more than
// twice as fast as zlib for it. True where that is one whole stream that fits caller's memory;
// `consumed` is then its length. False, with nothing counted as written, for anything else, which
// is for the Inflater to decode or to find fault with.
bool InflateAtOnce(Inflater::Wrapping wrapping, ByteSpan encoded, Output& decoded,
                   std::size_t& consumed);

}  // namespace zarr

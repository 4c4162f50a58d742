// SPDX-License-Identifier: MIT
#pragma once

#include <zlib.h>

#include "core/codec/output.h"
#include "core/codec/streaming.h"

namespace zarr {

// A zlib stream (RFC 1950), or deflate's alone (RFC 1951).
enum class DeflateWrapping { kZlib, kNone };

// Appends to `encoded` what zlib makes of `decoded` at `level`, -1 to 9, with its default settings.
// By zlib and not by libdeflate, whose bytes are others. At level 0 zlib cuts what it stores by the
// room it is given at a time, so that there alone the bytes may not be Python's.
Status Deflate(DeflateWrapping wrapping, int level, ByteSpan decoded, Output& encoded);

// Deflate streams in either wrapping, shared by the codecs zlib and gzip.

class Inflater final : public StreamDecoder {
  public:
    enum class Wrapping { kZlib, kGzip };  // RFC 1950, RFC 1952

    explicit Inflater(Wrapping wrapping) : wrapping_(wrapping) {}
    ~Inflater() override;
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    Status Start() override;
    StreamStep Step(ByteSpan in, MutableByteSpan out) override;

  private:
    Wrapping wrapping_;
    bool started_ = false;
    z_stream stream_ = {};
};

// Decodes `encoded` with libdeflate, which needs all input and all room at once and is more than
// twice as fast as zlib for it. True where that is one whole stream that fits caller's memory;
// `consumed` is then its length. False, with nothing counted as written, for anything else, which
// is for the Inflater to decode or to find fault with.
bool InflateAtOnce(Inflater::Wrapping wrapping, ByteSpan encoded, Output& decoded,
                   std::size_t& consumed);

}  // namespace zarr

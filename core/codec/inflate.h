// SPDX-License-Identifier: MIT
// Deflate streams in either wrapping, shared by the codecs zlib and gzip.
#pragma once

#include <zlib.h>

#include "core/codec/streaming.h"

namespace zarr {

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

}  // namespace zarr

// SPDX-License-Identifier: MIT
#include "core/codec/deflate.h"

#include <zlib.h>

#include <string>

#include "core/base/threads_own.h"
#include "core/codec/streaming.h"

namespace zarr {

namespace {

// zlib's state, a quarter of a megabyte that is made once for many chunks.
class Deflater final : public StreamEncoder {
  public:
    Deflater() = default;
    ~Deflater() override { End(); }
    Deflater(const Deflater&) = delete;
    Deflater& operator=(const Deflater&) = delete;

    Status Start(DeflateWrapping wrapping, int level) {
        if (started_ && wrapping == wrapping_ && level == level_) {
            if (deflateReset(&stream_) == Z_OK) return {};
        }
        End();
        constexpr int kDefaultMemory = 8;
        const int bits = wrapping == DeflateWrapping::kZlib ? MAX_WBITS : -MAX_WBITS;
        const int code =
            deflateInit2(&stream_, level, Z_DEFLATED, bits, kDefaultMemory, Z_DEFAULT_STRATEGY);
        if (code == Z_MEM_ERROR) return Status::OutOfMemory("zlib is out of memory");
        if (code != Z_OK) return Status::Invalid(std::string("zlib: ") + zError(code));
        started_ = true;
        wrapping_ = wrapping;
        level_ = level;
        return {};
    }

    StreamStep Step(ByteSpan in, MutableByteSpan out, bool is_last) override {
        stream_.next_in = const_cast<Bytef*>(in.data);  // zlib does not write to it
        stream_.avail_in = static_cast<uInt>(in.size);
        stream_.next_out = out.data;
        stream_.avail_out = static_cast<uInt>(out.size);
        const int code = deflate(&stream_, is_last ? Z_FINISH : Z_NO_FLUSH);

        StreamStep step;
        step.consumed = in.size - stream_.avail_in;
        step.produced = out.size - stream_.avail_out;
        if (code == Z_STREAM_END) {
            step.state = StreamState::kComplete;
        } else if (code != Z_OK && code != Z_BUF_ERROR) {
            step.state = StreamState::kDamaged;
            step.error = Status::Invalid(std::string("zlib: ") + zError(code));
        }
        return step;
    }

  private:
    void End() {
        if (started_) deflateEnd(&stream_);
        started_ = false;
        stream_ = {};
    }

    bool started_ = false;
    DeflateWrapping wrapping_ = DeflateWrapping::kZlib;
    int level_ = 0;
    z_stream stream_ = {};
};

}  // namespace

Status Deflate(DeflateWrapping wrapping, int level, ByteSpan decoded, Output& encoded) {
    auto& deflater = ThreadsOwn<Deflater>();
    ZARR_RETURN_IF_ERROR(deflater.Start(wrapping, level));
    return EncodeStream(deflater, decoded, encoded);
}

}  // namespace zarr

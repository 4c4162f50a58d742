// SPDX-License-Identifier: MIT
#include "core/codec/inflate.h"

#include <string>

namespace zarr {

namespace {

Status Damage(int code, const char* message) {
    if (code == Z_MEM_ERROR) return Status::OutOfMemory("zlib is out of memory");
    if (code == Z_NEED_DICT) return Status::Corrupt("needs a preset dictionary");
    return Status::Corrupt(message != nullptr ? message : zError(code));
}

}  // namespace

Inflater::~Inflater() {
    if (started_) inflateEnd(&stream_);
}

Status Inflater::Start() {
    constexpr int kGzipFlag = 16;
    const int bits = MAX_WBITS + (wrapping_ == Wrapping::kGzip ? kGzipFlag : 0);
    const int code = started_ ? inflateReset(&stream_) : inflateInit2(&stream_, bits);
    if (code != Z_OK) return Damage(code, stream_.msg);
    started_ = true;
    return {};
}

StreamStep Inflater::Step(ByteSpan in, MutableByteSpan out) {
    stream_.next_in = const_cast<Bytef*>(in.data);  // zlib does not write to it
    stream_.avail_in = static_cast<uInt>(in.size);
    stream_.next_out = out.data;
    stream_.avail_out = static_cast<uInt>(out.size);
    // Z_FINISH spares the copy to zlib's window where one call decodes all; else it means nothing.
    const int code = inflate(&stream_, Z_FINISH);

    StreamStep step;
    step.consumed = in.size - stream_.avail_in;
    step.produced = out.size - stream_.avail_out;
    if (code == Z_STREAM_END) {
        step.state = StreamState::kComplete;
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
        step.state = StreamState::kDamaged;
        step.error = Damage(code, stream_.msg);
    }
    return step;
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
// numcodecs' "zstd": Zstandard frames (RFC 8878), with or without their content size in the header.
// numcodecs writes one frame; more, and skippable ones, are joined as the format says. Other bytes
// after a frame are refused, as numcodecs does.
#include <zstd.h>
#include <zstd_errors.h>

#include "core/codec/factories.h"
#include "core/codec/streaming.h"

namespace zarr {

namespace {

struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};
using Context = std::unique_ptr<ZSTD_DCtx, FreeContext>;

Status Damage(std::size_t code) {
    const std::string name = ZSTD_getErrorName(code);
    switch (ZSTD_getErrorCode(code)) {
        case ZSTD_error_memory_allocation:
            return Status::OutOfMemory(name);
        case ZSTD_error_frameParameter_windowTooLarge:
            return Status::Limit(name);
        default:
            return Status::Corrupt(name);
    }
}

Status NoContext() { return Status::OutOfMemory("cannot allocate a Zstandard context"); }

class ZstdStream final : public StreamDecoder {
  public:
    Status Start() override {
        if (context_ == nullptr) context_.reset(ZSTD_createDCtx());
        if (context_ == nullptr) return NoContext();
        const std::size_t code = ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only);
        return ZSTD_isError(code) != 0U ? Damage(code) : Status();
    }

    StreamStep Step(ByteSpan in, MutableByteSpan out) override {
        ZSTD_inBuffer source = {in.data, in.size, 0};
        ZSTD_outBuffer target = {out.data, out.size, 0};
        const std::size_t code = ZSTD_decompressStream(context_.get(), &target, &source);
        StreamStep step;
        step.consumed = source.pos;
        step.produced = target.pos;
        if (ZSTD_isError(code) != 0U) {
            step.state = StreamState::kDamaged;
            step.error = Damage(code);
        } else if (code == 0) {
            step.state = StreamState::kComplete;
        }
        return step;
    }

  private:
    // Not the thread's context: a stream's window, of up to 128 MiB, should not outlive it.
    Context context_;
};

// Decodes a frame that is all of `encoded` and says its size, without a window or a copy.
Status DecodeFrame(ByteSpan encoded, std::size_t size, Output& decoded) {
    thread_local const Context context(ZSTD_createDCtx());
    if (context == nullptr) return NoContext();
    ZARR_ASSIGN_OR_RETURN(const MutableByteSpan out, decoded.Prepare(size));
    const std::size_t written =
        ZSTD_decompressDCtx(context.get(), out.data, out.size, encoded.data, encoded.size);
    if (ZSTD_isError(written) != 0U) return Damage(written);
    if (written != size)
        return Status::Corrupt("decodes to " + std::to_string(written) +
                               " bytes, its header says " + std::to_string(size));
    return {};
}

class Zstd final : public Codec {
  public:
    SizeBound EncodedSize(SizeBound decoded) const override { return CompressedBound(decoded); }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        const unsigned long long size = ZSTD_getFrameContentSize(encoded.data, encoded.size);
        const bool says_size = size != ZSTD_CONTENTSIZE_UNKNOWN && size != ZSTD_CONTENTSIZE_ERROR;
        const bool is_alone =
            ZSTD_findFrameCompressedSize(encoded.data, encoded.size) == encoded.size;
        // Before the streaming path takes memory for a window of that size.
        if (says_size && size > decoded.limit()) return decoded.TooLong();
        if (says_size && is_alone)
            return DecodeFrame(encoded, static_cast<std::size_t>(size), decoded);
        ZstdStream stream;
        return DecodeStreams(stream, encoded, decoded, Following::kStreams);
    }
};

}  // namespace

CodecResult MakeZstd(const json::Value& /*config*/, const CodecContext& /*context*/) {
    return std::unique_ptr<Codec>(std::make_unique<Zstd>());
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
// numcodecs' "zstd": Zstandard frames (RFC 8878), with or without content size in the header.
// numcodecs writes one frame. When decoding, the contents of several frames are joined and
// skippable frames are skipped, as RFC 8878 requires. Other bytes after a frame are an error, as in
// numcodecs.
#include <zstd.h>
#include <zstd_errors.h>

#include <optional>
#include <vector>

#include "core/base/limits.h"
#include "core/base/thread_pool.h"
#include "core/base/threads.h"
#include "core/base/tuning.h"
#include "core/codec/factories.h"
#include "core/codec/streaming.h"
#include "core/json/value.h"

namespace zarr {

namespace {

struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};
using Context = std::unique_ptr<ZSTD_DCtx, FreeContext>;
struct FreeCompressor {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
using Compressor = std::unique_ptr<ZSTD_CCtx, FreeCompressor>;

Status Damage(std::size_t code) {
    const std::string name = ZSTD_getErrorName(code);
    switch (ZSTD_getErrorCode(code)) {
        case ZSTD_error_memory_allocation:
            return Status::OutOfMemory(name);
        case ZSTD_error_frameParameter_windowTooLarge:
            return OverLimit(Limit::kCodecMemory, "decoding needs a window that is too large");
        default:
            return Status::Corrupt(name);
    }
}

Status NoContext() { return Status::OutOfMemory("cannot allocate a Zstandard context"); }

// Returns the base-2 logarithm of the largest window size that is at most `bytes`. The result is
// within the bounds that Zstandard allows.
int WindowLog(std::size_t bytes) {
    const ZSTD_bounds bounds = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
    int log = bounds.lowerBound;
    while (log < bounds.upperBound && (bytes >> (log + 1)) != 0) ++log;
    return log;
}

class ZstdStream final : public StreamDecoder {
  public:
    // `size` is the maximum number of decoded bytes.
    explicit ZstdStream(std::size_t size)
        : window_log_(WindowLog(SaturatingAdd(size, LimitOf(Limit::kCodecMemory)))) {}

    Status Start() override {
        if (context_ == nullptr) context_.reset(ZSTD_createDCtx());
        if (context_ == nullptr) return NoContext();
        ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, window_log_);
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
    int window_log_;
    // Each stream has its own libzstd context, because the context's window may be large and should
    // be freed with the stream.
    Context context_;
};

// A frame and its decoded size.
struct Frame {
    ByteSpan encoded;
    std::size_t begin = 0;  // offset of this frame's data in the decoded data of all frames
    std::size_t size = 0;

    // Returns the decoded size that the header of the first frame states; nullopt if the size is
    // missing or the header is damaged.
    static std::optional<std::size_t> SizeOf(ByteSpan encoded) {
        const unsigned long long size = ZSTD_getFrameContentSize(encoded.data, encoded.size);
        if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR) return {};
        return static_cast<std::size_t>(size);
    }

    // Returns the first frame of `encoded`; nullopt if the frame is damaged or its header has no
    // size.
    static std::optional<Frame> First(ByteSpan encoded) {
        const std::optional<std::size_t> size = SizeOf(encoded);
        const std::size_t length = ZSTD_findFrameCompressedSize(encoded.data, encoded.size);
        if (!size || ZSTD_isError(length) != 0U) return {};
        return Frame{{encoded.data, length}, 0, *size};
    }
};

// Returns all frames of `encoded`. Empty if a frame is damaged or has no size, or if there are more
// than kMost frames.
std::vector<Frame> FramesOf(ByteSpan encoded) {
    constexpr std::size_t kMost = std::size_t{1} << 16;
    std::vector<Frame> frames;
    std::size_t begin = 0;
    while (encoded.size != 0) {
        std::optional<Frame> frame = Frame::First(encoded);
        if (!frame || frames.size() == kMost) return {};
        frame->begin = begin;
        begin = SaturatingAdd(begin, frame->size);
        encoded = encoded.From(frame->encoded.size);
        frames.push_back(*frame);
    }
    return frames;
}

// Decodes a frame directly into its part of `decoded`, so that libzstd allocates no window.
Status DecodeFrame(const Frame& frame, MutableByteSpan decoded) {
    auto& context = ThreadLocalObject<Context>();
    if (context == nullptr) context.reset(ZSTD_createDCtx());
    if (context == nullptr) return NoContext();
    const std::size_t written =
        ZSTD_decompressDCtx(context.get(), decoded.data + frame.begin, frame.size,
                            frame.encoded.data, frame.encoded.size);
    if (ZSTD_isError(written) != 0U) return Damage(written);
    if (written != frame.size)
        return Status::Corrupt("decodes to " + std::to_string(written) +
                               " bytes, but the header states " + std::to_string(frame.size));
    return {};
}

struct ZstdParameters {
    static Result<ZstdParameters> Make(const json::Value& config) {
        ZstdParameters parameters;
        ZARR_ASSIGN_OR_RETURN(const std::int64_t level,
                              json::OptionalInt(config, "level", 1, INT32_MIN, INT32_MAX));
        parameters.level = static_cast<int>(level);
        ZARR_ASSIGN_OR_RETURN(parameters.checksum, json::OptionalBool(config, "checksum", false));
        return parameters;
    }

    int level = 1;          // Zstandard clamps the level to its range
    bool checksum = false;  // numcodecs has this option since 0.13
};

// Encodes `decoded` as one frame into `room`. Returns the size of the frame in bytes.
Result<std::size_t> EncodeFrame(const ZstdParameters& parameters, ByteSpan decoded,
                                MutableByteSpan room) {
    auto& context = ThreadLocalObject<Compressor>();
    if (context == nullptr) context.reset(ZSTD_createCCtx());
    if (context == nullptr) return NoContext();
    std::size_t code = 0;
    if (parameters.checksum) {
        ZSTD_CCtx_reset(context.get(), ZSTD_reset_session_and_parameters);
        ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, parameters.level);
        ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
        code = ZSTD_compress2(context.get(), room.data, room.size, decoded.data, decoded.size);
    } else {
        code = ZSTD_compressCCtx(context.get(), room.data, room.size, decoded.data, decoded.size,
                                 parameters.level);
    }
    if (ZSTD_sizeof_CCtx(context.get()) > tuning::kMaxIdleEncoder) context.reset();
    if (ZSTD_isError(code) != 0U) return Damage(code);
    return code;
}

class Zstd final : public Codec {
  public:
    explicit Zstd(Result<ZstdParameters> parameters) : parameters_(std::move(parameters)) {}

    SizeBound EncodedSize(SizeBound decoded) const override { return CompressedBound(decoded); }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        return DecodeOn(1, encoded, decoded);
    }

    // Decodes the frames in parallel; each frame can be decoded separately.
    Status DecodeOn(std::size_t threads, ByteSpan encoded, Output& decoded) const override {
        const std::optional<Frame> first = Frame::First(encoded);
        if (first && first->encoded.size == encoded.size) {
            ZARR_ASSIGN_OR_RETURN(const MutableByteSpan out, decoded.Prepare(first->size));
            return DecodeFrame(*first, out);
        }
        const std::vector<Frame> frames = first ? FramesOf(encoded) : std::vector<Frame>();
        if (!frames.empty()) {
            const std::size_t size = SaturatingAdd(frames.back().begin, frames.back().size);
            ZARR_ASSIGN_OR_RETURN(const MutableByteSpan out, decoded.Prepare(size));
            return ParallelFor(frames.size(), threads,
                               [&](std::size_t i) { return DecodeFrame(frames[i], out); });
        }
        // The decoded size in the header is compared with the limit first, because the streaming
        // decoder may allocate a window of that size.
        if (Frame::SizeOf(encoded).value_or(0) > decoded.limit()) return decoded.TooLong();
        ZstdStream stream(decoded.limit());
        return DecodeStreams(stream, encoded, decoded, Following::kStreams);
    }

    Status CheckWritable(SizeBound /*decoded*/) const override { return parameters_.status(); }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(parameters_.status());
        ZARR_RETURN_IF_ERROR(encoded.Reset(ZSTD_compressBound(decoded.size)));
        ZARR_ASSIGN_OR_RETURN(const std::size_t size,
                              EncodeFrame(*parameters_, decoded, encoded.span()));
        return encoded.Resize(size);
    }

  private:
    Result<ZstdParameters> parameters_;
};

}  // namespace

CodecResult MakeZstd(const json::Value& config, const CodecContext& /*context*/) {
    return std::unique_ptr<Codec>(std::make_unique<Zstd>(ZstdParameters::Make(config)));
}

}  // namespace zarr

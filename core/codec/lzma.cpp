// SPDX-License-Identifier: MIT
// numcodecs' "lzma", which is Python's lzma module: XZ, ALONE (.lzma) or RAW streams. As Python
// does, joins streams that follow each other, ignores bytes after a stream that do not begin
// another, and refuses those that begin one and do not end it.
#include <lzma.h>

#include "core/codec/factories.h"
#include "core/codec/lzma_filters.h"
#include "core/codec/streaming.h"
#include "core/json/members.h"

namespace zarr {

namespace {

// Python's FORMAT_ constants.
enum class Format { kAuto = 0, kXz = 1, kAlone = 2, kRaw = 3 };

Status Damage(lzma_ret code) {
    switch (code) {
        case LZMA_MEM_ERROR:
            return Status::OutOfMemory("liblzma is out of memory");
        case LZMA_MEMLIMIT_ERROR:
            return Status::Limit("needs a dictionary larger than the " +
                                 std::to_string(kLzmaMemoryLimit >> 20) + " MiB allowed");
        case LZMA_FORMAT_ERROR:
            return Status::Corrupt("does not begin a stream of its format");
        case LZMA_OPTIONS_ERROR:
            return Status::Unsupported("has options that are not supported");
        case LZMA_DATA_ERROR:
            return Status::Corrupt("checksum or contents are wrong");
        default:
            return Status::Corrupt("liblzma error " + std::to_string(code));
    }
}

class LzmaStream final : public StreamDecoder {
  public:
    LzmaStream(Format format, const LzmaFilterChain& filters)
        : format_(format), filters_(filters) {}
    ~LzmaStream() override { lzma_end(&stream_); }
    LzmaStream(const LzmaStream&) = delete;
    LzmaStream& operator=(const LzmaStream&) = delete;

    Status Start() override {
        const lzma_ret code = Init();
        return code == LZMA_OK ? Status() : Damage(code);
    }

    StreamStep Step(ByteSpan in, MutableByteSpan out) override {
        stream_.next_in = in.data;
        stream_.avail_in = in.size;
        stream_.next_out = out.data;
        stream_.avail_out = out.size;
        const lzma_ret code = lzma_code(&stream_, LZMA_RUN);

        StreamStep step;
        step.consumed = in.size - stream_.avail_in;
        step.produced = out.size - stream_.avail_out;
        if (code == LZMA_STREAM_END) {
            step.state = StreamState::kComplete;
        } else if (code != LZMA_OK && code != LZMA_BUF_ERROR) {
            step.state = StreamState::kDamaged;
            step.error = Damage(code);
        }
        return step;
    }

  private:
    lzma_ret Init() {
        switch (format_) {
            case Format::kAuto:
                return lzma_auto_decoder(&stream_, kLzmaMemoryLimit, 0);
            case Format::kXz:
                return lzma_stream_decoder(&stream_, kLzmaMemoryLimit, 0);
            case Format::kAlone:
                return lzma_alone_decoder(&stream_, kLzmaMemoryLimit);
            case Format::kRaw:
                return lzma_raw_decoder(&stream_, filters_.chain());
        }
        return LZMA_PROG_ERROR;
    }

    Format format_;
    const LzmaFilterChain& filters_;
    lzma_stream stream_ = LZMA_STREAM_INIT;
};

class Lzma final : public Codec {
  public:
    explicit Lzma(Format format) : format_(format) {}

    Status SetFilters(const json::Value& filters) { return filters_.Parse(filters); }

    SizeBound EncodedSize(SizeBound decoded) const override { return CompressedBound(decoded); }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        LzmaStream stream(format_, filters_);
        return DecodeStreams(stream, encoded, decoded, Following::kLenient);
    }

  private:
    Format format_;
    LzmaFilterChain filters_;  // of kRaw
};

}  // namespace

CodecResult MakeLzma(const json::Value& config, const CodecContext& /*context*/) {
    ZARR_ASSIGN_OR_RETURN(const std::int64_t format, json::OptionalInt(config, "format", 1, 0, 3));
    auto codec = std::make_unique<Lzma>(static_cast<Format>(format));
    if (static_cast<Format>(format) == Format::kRaw) {
        ZARR_ASSIGN_OR_RETURN(const json::Value* filters, json::Require(config, "filters"));
        ZARR_RETURN_IF_ERROR(codec->SetFilters(*filters));
    }
    return std::unique_ptr<Codec>(std::move(codec));
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
#include <libdeflate.h>
#include <zlib.h>

#include <memory>
#include <string>

#include "core/base/decompressor.h"
#include "core/base/threads.h"
#include "core/codec/codec_output.h"
#include "core/codec/factories.h"
#include "core/codec/streaming.h"
#include "core/json/value.h"

namespace zarr {

namespace {

// A libdeflate compressor for one compression level. Each thread keeps its own, because creating
// one is expensive.
class DeflateCompressor {
  public:
    using Bound = std::size_t (*)(libdeflate_compressor*, std::size_t);
    using Compress = std::size_t (*)(libdeflate_compressor*, const void*, std::size_t, void*,
                                     std::size_t);

    // Compresses `decoded` into `encoded` at `level` -1 to 9, where -1 is zlib's default level.
    // libdeflate needs a third of zlib's time; its output differs from zlib's.
    static Status Run(Bound bound, Compress compress, std::int64_t level, ByteSpan decoded,
                      Buffer& encoded) {
        constexpr std::int64_t kDefault = 6;
        auto& own = ThreadLocalObject<DeflateCompressor>();
        ZARR_RETURN_IF_ERROR(own.SetLevel(static_cast<int>(level < 0 ? kDefault : level)));
        ZARR_RETURN_IF_ERROR(encoded.Reset(bound(own.compressor_.get(), decoded.size)));
        const std::size_t size = compress(own.compressor_.get(), decoded.data, decoded.size,
                                          encoded.data(), encoded.size());
        if (size == 0) return Status::Invalid("libdeflate cannot compress the chunk");
        return encoded.Resize(size);
    }

  private:
    struct Free {
        void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
    };

    Status SetLevel(int level) {
        if (compressor_ != nullptr && level == level_) return {};
        compressor_.reset(libdeflate_alloc_compressor(level));
        level_ = level;
        return compressor_ != nullptr ? Status()
                                      : Status::OutOfMemory("libdeflate is out of memory");
    }

    std::unique_ptr<libdeflate_compressor, Free> compressor_;
    int level_ = 0;
};

// Decodes a deflate stream (raw, zlib or gzip).
class Inflater final : public StreamDecoder {
  public:
    // Raw deflate (RFC 1951), zlib (RFC 1950), gzip (RFC 1952).
    enum class Wrapping { kNone, kZlib, kGzip };

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

// Decodes one stream with libdeflate, which is more than twice as fast as zlib but needs all input
// and output at once. `consumed` becomes the stream's length in bytes.
//
// Returns false if the stream is invalid, or if the output is not memory of the caller. The bytes
// in `decoded` then do not count, and the caller must use Inflater, which reports any error.
bool InflateAtOnce(Inflater::Wrapping wrapping, ByteSpan encoded, Output& decoded,
                   std::size_t& consumed);

Status Damage(int code, const char* message) {
    if (code == Z_MEM_ERROR) return Status::OutOfMemory("zlib is out of memory");
    if (code == Z_NEED_DICT)
        return Status::Corrupt(
            "compressed data needs a preset dictionary, which Zarr cannot provide");
    return Status::Corrupt(message != nullptr ? message : zError(code));
}

// libdeflate's functions for one stream format (raw deflate, zlib or gzip), and zlib's windowBits
// for that format.
struct WrappingFunctions {
    DeflateCompressor::Bound bound;
    DeflateCompressor::Compress compress;
    libdeflate_result (*decompress)(libdeflate_decompressor*, const void*, std::size_t, void*,
                                    std::size_t, std::size_t*, std::size_t*);
    int window_bits;
};

const WrappingFunctions& FunctionsOf(Inflater::Wrapping wrapping) {
    static constexpr int kGzipFlag = 16;
    static constexpr WrappingFunctions kFunctions[] = {
        {libdeflate_deflate_compress_bound, libdeflate_deflate_compress,
         libdeflate_deflate_decompress_ex, -MAX_WBITS},
        {libdeflate_zlib_compress_bound, libdeflate_zlib_compress, libdeflate_zlib_decompress_ex,
         MAX_WBITS},
        {libdeflate_gzip_compress_bound, libdeflate_gzip_compress, libdeflate_gzip_decompress_ex,
         MAX_WBITS + kGzipFlag},
    };
    return kFunctions[static_cast<std::size_t>(wrapping)];
}

// The codecs zlib, gzip and imagecodecs_deflate.
class Deflate final : public Codec {
  public:
    Deflate(Inflater::Wrapping wrapping, Result<std::int64_t> level)
        : wrapping_(wrapping), level_(std::move(level)) {}

    SizeBound EncodedSize(SizeBound decoded) const override { return CompressedBound(decoded); }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        std::size_t size = 0;
        // Decodes into a copy, so that `decoded` is unchanged if Inflater must decode everything
        // again, for example several gzip members.
        Output first = decoded;
        if (InflateAtOnce(wrapping_, encoded, first, size) &&
            (!is_gzip() || size == encoded.size)) {
            decoded = first;
            return {};
        }
        Inflater inflater(wrapping_);
        return DecodeStreams(inflater, encoded, decoded,
                             is_gzip() ? Following::kPadded : Following::kIgnored);
    }

    Status CheckWritable(SizeBound /*decoded*/) const override { return level_.status(); }

    // gzip's header gets no time, so that equal chunks give equal bytes.
    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(level_.status());
        const WrappingFunctions& functions = FunctionsOf(wrapping_);
        return DeflateCompressor::Run(functions.bound, functions.compress, *level_, decoded,
                                      encoded);
    }

  private:
    bool is_gzip() const { return wrapping_ == Inflater::Wrapping::kGzip; }

    Inflater::Wrapping wrapping_;
    Result<std::int64_t> level_;
};

// ---------------------------------------------------------------------------------------------
// inflate

Inflater::~Inflater() {
    if (started_) inflateEnd(&stream_);
}

Status Inflater::Start() {
    const int code = started_ ? inflateReset(&stream_)
                              : inflateInit2(&stream_, FunctionsOf(wrapping_).window_bits);
    if (code != Z_OK) return Damage(code, stream_.msg);
    started_ = true;
    return {};
}

StreamStep Inflater::Step(ByteSpan in, MutableByteSpan out) {
    stream_.next_in = const_cast<Bytef*>(in.data);  // zlib does not write to its input
    stream_.avail_in = static_cast<uInt>(in.size);
    stream_.next_out = out.data;
    stream_.avail_out = static_cast<uInt>(out.size);
    // With Z_FINISH, zlib decodes directly to the output, without its window, if everything fits.
    // If the output is too small, zlib decodes as usual.
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

bool InflateAtOnce(Inflater::Wrapping wrapping, ByteSpan encoded, Output& decoded,
                   std::size_t& consumed) {
    libdeflate_decompressor* decompressor = decoded.is_fixed() ? ThreadDecompressor() : nullptr;
    if (decompressor == nullptr) return false;
    const auto room = decoded.Room();
    if (!room.ok() || room->size == 0) return false;
    std::size_t produced = 0;
    if (FunctionsOf(wrapping).decompress(decompressor, encoded.data, encoded.size, room->data,
                                         room->size, &consumed, &produced) != LIBDEFLATE_SUCCESS)
        return false;
    decoded.Commit(produced);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Factory functions

}  // namespace

CodecResult MakeZlib(const json::Value& config, const CodecContext& /*context*/) {
    return std::unique_ptr<Codec>(std::make_unique<Deflate>(
        Inflater::Wrapping::kZlib, json::OptionalInt(config, "level", 1, -1, 9)));
}

CodecResult MakeGzip(const json::Value& config, const CodecContext& /*context*/) {
    return std::unique_ptr<Codec>(std::make_unique<Deflate>(
        Inflater::Wrapping::kGzip, json::OptionalInt(config, "level", 1, -1, 9)));
}

CodecResult MakeDeflate(const json::Value& config, const CodecContext& /*context*/) {
    ZARR_ASSIGN_OR_RETURN(const bool is_raw, json::OptionalBool(config, "raw", false));
    return std::unique_ptr<Codec>(
        std::make_unique<Deflate>(is_raw ? Inflater::Wrapping::kNone : Inflater::Wrapping::kZlib,
                                  json::OptionalInt(config, "level", 1, -1, 9)));
}

}  // namespace zarr

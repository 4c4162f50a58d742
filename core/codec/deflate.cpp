// SPDX-License-Identifier: MIT
#include <libdeflate.h>
#include <zlib.h>

#include <array>
#include <string>

#include "core/base/decompressor.h"
#include "core/base/endian.h"
#include "core/base/threads.h"
#include "core/codec/factories.h"
#include "core/codec/output.h"
#include "core/codec/streaming.h"
#include "core/json/value.h"

namespace zarr {

namespace {

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

Status Damage(int code, const char* message) {
    if (code == Z_MEM_ERROR) return Status::OutOfMemory("zlib is out of memory");
    if (code == Z_NEED_DICT) return Status::Corrupt("needs a preset dictionary");
    return Status::Corrupt(message != nullptr ? message : zError(code));
}

class Zlib final : public Codec {
  public:
    explicit Zlib(Result<std::int64_t> level) : level_(std::move(level)) {}

    SizeBound EncodedSize(SizeBound decoded) const override { return CompressedBound(decoded); }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        std::size_t consumed = 0;
        if (InflateAtOnce(Inflater::Wrapping::kZlib, encoded, decoded, consumed)) return {};
        Inflater inflater(Inflater::Wrapping::kZlib);
        return DecodeStreams(inflater, encoded, decoded, Following::kIgnored);
    }

    Status CheckWritable(SizeBound /*decoded*/) const override { return level_.status(); }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(level_.status());
        Output output(encoded, EncodedSize({decoded.size, true}).max);
        ZARR_RETURN_IF_ERROR(
            Deflate(DeflateWrapping::kZlib, static_cast<int>(*level_), decoded, output));
        return output.Finish();
    }

  private:
    Result<std::int64_t> level_;
};

class Gzip final : public Codec {
  public:
    explicit Gzip(Result<std::int64_t> level) : level_(std::move(level)) {}

    SizeBound EncodedSize(SizeBound decoded) const override { return CompressedBound(decoded); }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        std::size_t member = 0;
        Output first = decoded;  // counts for nothing where other members follow
        if (InflateAtOnce(Inflater::Wrapping::kGzip, encoded, first, member) &&
            member == encoded.size) {
            decoded = first;
            return {};
        }
        Inflater inflater(Inflater::Wrapping::kGzip);
        return DecodeStreams(inflater, encoded, decoded, Following::kPadded);
    }

    Status CheckWritable(SizeBound /*decoded*/) const override { return level_.status(); }

    // As Python does it, but for the time, which is left unsaid so that equal chunks are equal
    // files.
    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(level_.status());
        Output output(encoded, EncodedSize({decoded.size, true}).max);
        const std::uint8_t effort = *level_ == 9 ? 2 : *level_ == 1 ? 4 : 0;
        const std::array<std::uint8_t, 10> header = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, effort, 0xff};
        ZARR_RETURN_IF_ERROR(output.Append({header.data(), header.size()}));
        ZARR_RETURN_IF_ERROR(
            Deflate(DeflateWrapping::kNone, static_cast<int>(*level_), decoded, output));
        std::array<std::uint8_t, 8> trailer = {};
        StoreLittle32(trailer.data(),
                      static_cast<std::uint32_t>(crc32_z(0, decoded.data, decoded.size)));
        StoreLittle32(trailer.data() + 4, static_cast<std::uint32_t>(decoded.size));
        ZARR_RETURN_IF_ERROR(output.Append({trailer.data(), trailer.size()}));
        return output.Finish();
    }

  private:
    Result<std::int64_t> level_;
};

Status Deflate(DeflateWrapping wrapping, int level, ByteSpan decoded, Output& encoded) {
    auto& deflater = ThreadLocalObject<Deflater>();
    ZARR_RETURN_IF_ERROR(deflater.Start(wrapping, level));
    return EncodeStream(deflater, decoded, encoded);
}

// ---------------------------------------------------------------------------------------------
// inflate

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

bool InflateAtOnce(Inflater::Wrapping wrapping, ByteSpan encoded, Output& decoded,
                   std::size_t& consumed) {
    libdeflate_decompressor* decompressor = decoded.is_fixed() ? ThreadsDecompressor() : nullptr;
    if (decompressor == nullptr) return false;
    const auto room = decoded.Room();
    if (!room.ok() || room->size == 0) return false;
    const auto decompress = wrapping == Inflater::Wrapping::kZlib ? libdeflate_zlib_decompress_ex
                                                                  : libdeflate_gzip_decompress_ex;
    std::size_t produced = 0;
    if (decompress(decompressor, encoded.data, encoded.size, room->data, room->size, &consumed,
                   &produced) != LIBDEFLATE_SUCCESS)
        return false;
    decoded.Commit(produced);
    return true;
}

// ---------------------------------------------------------------------------------------------
// gzip

}  // namespace

CodecResult MakeZlib(const json::Value& config, const CodecContext& /*context*/) {
    return std::unique_ptr<Codec>(
        std::make_unique<Zlib>(json::OptionalInt(config, "level", 1, -1, 9)));
}

CodecResult MakeGzip(const json::Value& config, const CodecContext& /*context*/) {
    return std::unique_ptr<Codec>(
        std::make_unique<Gzip>(json::OptionalInt(config, "level", 1, -1, 9)));
}

}  // namespace zarr

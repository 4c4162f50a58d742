// SPDX-License-Identifier: MIT
// numcodecs' "bz2": one or more bzip2 streams. If the bytes after a stream do not begin another
// stream, they are ignored, as in Python's bz2 module. A truncated stream is an error.
#include <bzlib.h>

#include "core/codec/factories.h"
#include "core/codec/streaming.h"
#include "core/json/value.h"

namespace zarr {

namespace {

Status Damage(int code) {
    switch (code) {
        case BZ_MEM_ERROR:
            return Status::OutOfMemory("bzip2 is out of memory");
        case BZ_DATA_ERROR_MAGIC:
            return Status::Corrupt("not a bzip2 stream");
        case BZ_DATA_ERROR:
            return Status::Corrupt(
                "compressed data is damaged: contents or checksum of a block are wrong");
        default:
            return Status::Corrupt("cannot decompress: libbz2 returned the error " +
                                   std::to_string(code));
    }
}

class Bunzipper final : public StreamDecoder {
  public:
    Bunzipper() = default;
    ~Bunzipper() override { End(); }
    Bunzipper(const Bunzipper&) = delete;
    Bunzipper& operator=(const Bunzipper&) = delete;

    Status Start() override {
        End();
        const int code = BZ2_bzDecompressInit(&stream_, 0, 0);
        if (code != BZ_OK) return Damage(code);
        started_ = true;
        return {};
    }

    StreamStep Step(ByteSpan in, MutableByteSpan out) override {
        // libbz2 takes a pointer to char, but does not write to the input.
        stream_.next_in = const_cast<char*>(in.text().data());
        stream_.avail_in = static_cast<unsigned>(in.size);
        stream_.next_out = reinterpret_cast<char*>(out.data);
        stream_.avail_out = static_cast<unsigned>(out.size);
        const int code = BZ2_bzDecompress(&stream_);

        StreamStep step;
        step.consumed = in.size - stream_.avail_in;
        step.produced = out.size - stream_.avail_out;
        if (code == BZ_STREAM_END) {
            step.state = StreamState::kComplete;
        } else if (code != BZ_OK) {
            step.state = StreamState::kDamaged;
            step.error = Damage(code);
        }
        return step;
    }

  private:
    void End() {
        if (started_) BZ2_bzDecompressEnd(&stream_);
        started_ = false;
        stream_ = {};
    }

    bool started_ = false;
    bz_stream stream_ = {};
};

class Bzipper final : public StreamEncoder {
  public:
    Bzipper() = default;
    ~Bzipper() override {
        if (started_) BZ2_bzCompressEnd(&stream_);
    }
    Bzipper(const Bzipper&) = delete;
    Bzipper& operator=(const Bzipper&) = delete;

    Status Start(int level) {
        const int code = BZ2_bzCompressInit(&stream_, level, 0, 0);
        if (code != BZ_OK) return Damage(code);
        started_ = true;
        return {};
    }

    StreamStep Step(ByteSpan in, MutableByteSpan out, bool is_last) override {
        stream_.next_in = const_cast<char*>(in.text().data());
        stream_.avail_in = static_cast<unsigned>(in.size);
        stream_.next_out = reinterpret_cast<char*>(out.data);
        stream_.avail_out = static_cast<unsigned>(out.size);
        const int code = BZ2_bzCompress(&stream_, is_last ? BZ_FINISH : BZ_RUN);

        StreamStep step;
        step.consumed = in.size - stream_.avail_in;
        step.produced = out.size - stream_.avail_out;
        if (code == BZ_STREAM_END) {
            step.state = StreamState::kComplete;
        } else if (code != BZ_RUN_OK && code != BZ_FINISH_OK) {
            step.state = StreamState::kDamaged;
            step.error = Damage(code);
        }
        return step;
    }

  private:
    bool started_ = false;
    bz_stream stream_ = {};
};

class Bz2 final : public Codec {
  public:
    explicit Bz2(Result<std::int64_t> level) : level_(std::move(level)) {}

    SizeBound EncodedSize(SizeBound decoded) const override { return CompressedBound(decoded); }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        Bunzipper bunzipper;
        return DecodeStreams(bunzipper, encoded, decoded, Following::kIgnoreJunk);
    }

    Status CheckWritable(SizeBound /*decoded*/) const override { return level_.status(); }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(level_.status());
        Bzipper bzipper;
        ZARR_RETURN_IF_ERROR(bzipper.Start(static_cast<int>(*level_)));
        Output output(encoded, EncodedSize({decoded.size, true}).max);
        ZARR_RETURN_IF_ERROR(EncodeStream(bzipper, decoded, output));
        return output.Finish();
    }

  private:
    Result<std::int64_t> level_;
};

}  // namespace

CodecResult MakeBz2(const json::Value& config, const CodecContext& /*context*/) {
    return std::unique_ptr<Codec>(
        std::make_unique<Bz2>(json::OptionalInt(config, "level", 1, 1, 9)));
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
// numcodecs' "gzip": one or more gzip members (RFC 1952). As Python's gzip module does, accepts
// zero bytes after a member and refuses anything else there.
#include <zlib.h>

#include <array>

#include "core/base/endian.h"
#include "core/codec/deflate.h"
#include "core/codec/factories.h"
#include "core/codec/inflate_at_once.h"
#include "core/json/members.h"

namespace zarr {

namespace {

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

}  // namespace

CodecResult MakeGzip(const json::Value& config, const CodecContext& /*context*/) {
    return std::unique_ptr<Codec>(
        std::make_unique<Gzip>(json::OptionalInt(config, "level", 1, -1, 9)));
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
// numcodecs' "zlib": one zlib stream (RFC 1950). As numcodecs does, ignores what follows it.
#include "core/codec/deflate.h"
#include "core/codec/factories.h"
#include "core/codec/inflate_at_once.h"
#include "core/json/members.h"

namespace zarr {

namespace {

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

}  // namespace

CodecResult MakeZlib(const json::Value& config, const CodecContext& /*context*/) {
    return std::unique_ptr<Codec>(
        std::make_unique<Zlib>(json::OptionalInt(config, "level", 1, -1, 9)));
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
// numcodecs' "zlib": one zlib stream (RFC 1950). As numcodecs does, ignores what follows it.
#include "core/codec/factories.h"
#include "core/codec/inflate_at_once.h"

namespace zarr {

namespace {

class Zlib final : public Codec {
  public:
    SizeBound EncodedSize(SizeBound decoded) const override { return CompressedBound(decoded); }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        std::size_t consumed = 0;
        if (InflateAtOnce(Inflater::Wrapping::kZlib, encoded, decoded, consumed)) return {};
        Inflater inflater(Inflater::Wrapping::kZlib);
        return DecodeStreams(inflater, encoded, decoded, Following::kIgnored);
    }
};

}  // namespace

CodecResult MakeZlib(const json::Value& /*config*/, const CodecContext& /*context*/) {
    return std::unique_ptr<Codec>(std::make_unique<Zlib>());
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
// numcodecs' "gzip": one or more gzip members (RFC 1952). As Python's gzip module does, accepts
// zero bytes after a member and refuses anything else there.
#include "core/codec/factories.h"
#include "core/codec/inflate_at_once.h"

namespace zarr {

namespace {

class Gzip final : public Codec {
  public:
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
};

}  // namespace

CodecResult MakeGzip(const json::Value& /*config*/, const CodecContext& /*context*/) {
    return std::unique_ptr<Codec>(std::make_unique<Gzip>());
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
// bitround: floats whose last bits were rounded away (numcodecs.BitRound), which is not undone.
#include "core/codec/copy.h"
#include "core/codec/factories.h"

namespace zarr {

namespace {

class BitRound final : public Codec {
  public:
    SizeBound EncodedSize(SizeBound decoded) const override { return decoded; }
    Status Decode(ByteSpan encoded, Output& decoded) const override {
        return CopyAll(encoded, decoded);
    }
};

}  // namespace

CodecResult MakeBitRound(const json::Value& /*config*/, const CodecContext& /*context*/) {
    return std::unique_ptr<Codec>(std::make_unique<BitRound>());
}

}  // namespace zarr

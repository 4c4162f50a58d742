// SPDX-License-Identifier: MIT
// base64: RFC 4648 with padding, without line breaks (numcodecs.Base64).
#include "core/base/checked.h"
#include "core/base/text.h"
#include "core/codec/factories.h"
#include "core/codec/streaming.h"

namespace zarr {

namespace {

class Base64 final : public Codec {
  public:
    SizeBound EncodedSize(SizeBound decoded) const override {
        const auto groups = static_cast<std::size_t>(CeilDiv(decoded.max, 3));
        return {SaturatingMul(groups, 4), decoded.exact};
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        ZARR_ASSIGN_OR_RETURN(const std::string bytes, Base64Decode(encoded.text()));
        return CopyAll(ByteSpan(bytes), decoded);
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(encoded.Reset(EncodedSize({decoded.size, true}).max));
        Base64Encode(decoded, reinterpret_cast<char*>(encoded.data()));
        return {};
    }
};

}  // namespace

CodecResult MakeBase64(const json::Value& /*config*/, const CodecContext& /*context*/) {
    return std::unique_ptr<Codec>(std::make_unique<Base64>());
}

}  // namespace zarr

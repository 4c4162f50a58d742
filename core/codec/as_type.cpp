// SPDX-License-Identifier: MIT
// astype: numbers stored in another type (numcodecs.AsType). `encode_dtype` is the stored one.
#include <utility>

#include "core/codec/factories.h"
#include "core/codec/numeric.h"

namespace zarr {

namespace {

class AsType final : public Codec {
  public:
    static CodecResult Make(const json::Value& config) {
        auto codec = std::make_unique<AsType>();
        ZARR_ASSIGN_OR_RETURN(codec->encoded_, NumberMember(config, "encode_dtype"));
        ZARR_ASSIGN_OR_RETURN(codec->decoded_, NumberMember(config, "decode_dtype"));
        ZARR_ASSIGN_OR_RETURN(codec->decode_,
                              NumberConversion::Make(codec->encoded_, codec->decoded_));
        Result<NumberConversion> encode =
            NumberConversion::Make(codec->decoded_, codec->encoded_).WithContext("encode_dtype");
        codec->writable_ = encode.status();
        if (encode.ok()) codec->encode_ = encode.Take();
        return std::unique_ptr<Codec>(std::move(codec));
    }

    SizeBound EncodedSize(SizeBound decoded) const override {
        return EncodedItems(decoded, decoded_.size, encoded_.size);
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        ZARR_ASSIGN_OR_RETURN(const ItemRun run,
                              PrepareItems(encoded, encoded_.size, decoded_.size, decoded));
        decode_.Run(run.src, run.dst, run.count);
        return {};
    }

    Status CheckWritable(SizeBound decoded) const override {
        ZARR_RETURN_IF_ERROR(writable_);
        return CheckWholeItems(decoded, decoded_.size);
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(writable_);
        ZARR_ASSIGN_OR_RETURN(const ItemRun run,
                              PrepareItems(decoded, decoded_.size, encoded_.size, encoded));
        encode_.Run(run.src, run.dst, run.count);
        return {};
    }

    DataType EncodedType() const override { return encoded_; }
    bool KeepsShape() const override { return true; }

  private:
    DataType encoded_;
    DataType decoded_;
    NumberConversion decode_;
    NumberConversion encode_;
    Status writable_;
};

}  // namespace

CodecResult MakeAsType(const json::Value& config, const CodecContext& /*context*/) {
    return AsType::Make(config);
}

}  // namespace zarr

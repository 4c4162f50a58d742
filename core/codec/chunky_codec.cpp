// SPDX-License-Identifier: MIT
// virtual-tiff's "ChunkyCodec": stores items with the first dimension varying fastest, like TIFF
// files that interleave the samples of a pixel.
#include <utility>

#include "core/base/endian.h"
#include "core/codec/chunk_block.h"
#include "core/codec/factories.h"
#include "core/codec/v3_configuration.h"
#include "core/grid/copy.h"

namespace zarr {

namespace {

class Chunky final : public Codec {
  public:
    Chunky(const Block& block, const Converter& copy)
        : block_(block),
          copy_(copy),
          decoded_strides_(ContiguousStrides(block.shape, block.item, AxisOrder())),
          encoded_strides_(ContiguousStrides(block.shape, block.item, AxisOrder(true))) {}

    SizeBound EncodedSize(SizeBound decoded) const override { return decoded; }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        ZARR_RETURN_IF_ERROR(block_.CheckEncoded(encoded.size));
        ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room, decoded.Prepare(encoded.size));
        if (block_.bytes != 0)
            CopyBlock(block_.shape, room.data, decoded_strides_, encoded.data, encoded_strides_,
                      copy_);
        return {};
    }

    Status CheckWritable(SizeBound decoded) const override {
        return decoded.exact ? block_.CheckDecoded(decoded.max) : Status();
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(block_.CheckDecoded(decoded.size));
        ZARR_RETURN_IF_ERROR(encoded.Reset(decoded.size));
        if (block_.bytes != 0)
            CopyBlock(block_.shape, encoded.data(), encoded_strides_, decoded.data,
                      decoded_strides_, copy_);
        return {};
    }

  private:
    Block block_;
    Converter copy_;
    Strides decoded_strides_;
    Strides encoded_strides_;
};

}  // namespace

CodecResult MakeChunky(const json::Value& config, const CodecContext& context) {
    ZARR_RETURN_IF_ERROR(CheckMembers(config, {"endian"}));
    if (!context.dtype.is_numeric() || context.dtype.narrow != NarrowType::kNone)
        return Status::Corrupt("requires numbers, got " + context.dtype.ToString());
    ZARR_ASSIGN_OR_RETURN(const std::size_t endian,
                          OptionalName(config, "endian", {"little", "big"}));
    ZARR_ASSIGN_OR_RETURN(const Block block, Block::Of(context));
    const ByteOrder stored = endian == 0 ? ByteOrder::kLittle : ByteOrder::kBig;
    const bool swaps =
        context.dtype.order != ByteOrder::kNotRelevant && context.dtype.order != stored;
    const std::size_t unit = context.dtype.kind == DataKind::kComplex ? block.item / 2 : block.item;
    return std::unique_ptr<Codec>(std::make_unique<Chunky>(
        block, swaps ? SwapConverter(block.item, unit) : CopyConverter(block.item)));
}

}  // namespace zarr

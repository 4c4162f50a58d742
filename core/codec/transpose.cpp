// SPDX-License-Identifier: MIT
// Codec "transpose" of Zarr v3: permutes the dimensions of a chunk (Zarr v3 specification,
// "Transpose codec").
#include <utility>

#include "core/codec/chunk_block.h"
#include "core/codec/factories.h"
#include "core/codec/v3_configuration.h"
#include "core/grid/copy.h"

namespace zarr {

namespace {

class Transposition final : public Codec {
  public:
    // Dimension i of the encoded block is dimension `order[i]` of `decoded`.
    Transposition(const Block& decoded, DataType dtype, const DimVector<std::uint64_t>& order)
        : decoded_(decoded),
          dtype_(std::move(dtype)),
          decoded_strides_(decoded.shape.size()),
          encoded_strides_(decoded.shape.size()) {
        decoded_strides_ = ContiguousStrides(decoded.shape, decoded.item, AxisOrder());
        for (const std::uint64_t axis : order) encoded_shape_.push_back(decoded.shape[axis]);
        const Strides strides = ContiguousStrides(encoded_shape_, decoded.item, AxisOrder());
        for (std::size_t i = 0; i < order.size(); ++i) {
            encoded_strides_[order[i]] = strides[i];
            is_identity_ = is_identity_ && order[i] == i;
        }
    }

    SizeBound EncodedSize(SizeBound decoded) const override { return decoded; }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        ZARR_RETURN_IF_ERROR(decoded_.CheckEncoded(encoded.size));
        ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room, decoded.Prepare(encoded.size));
        if (decoded_.bytes == 0) return {};
        CopyBlock(decoded_.shape, room.data, decoded_strides_, encoded.data, encoded_strides_,
                  CopyConverter(decoded_.item));
        return {};
    }

    Status CheckWritable(SizeBound decoded) const override {
        return decoded.exact ? decoded_.CheckDecoded(decoded.max) : Status();
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(decoded_.CheckDecoded(decoded.size));
        ZARR_RETURN_IF_ERROR(encoded.Reset(decoded.size));
        if (decoded_.bytes == 0) return {};
        CopyBlock(decoded_.shape, encoded.data(), encoded_strides_, decoded.data, decoded_strides_,
                  CopyConverter(decoded_.item));
        return {};
    }

    DataType EncodedType() const override { return dtype_; }
    void DescribeEncoded(CodecContext& items) const override {
        items.chunk_shape.assign(encoded_shape_.begin(), encoded_shape_.end());
    }
    bool IsIdentity() const override { return is_identity_; }

  private:
    Block decoded_;
    DataType dtype_;
    Strides decoded_strides_;
    // For each dimension of the decoded block, the stride in bytes within the encoded block.
    Strides encoded_strides_;
    DimVector<std::uint64_t> encoded_shape_;
    bool is_identity_ = true;
};

// Parses the option "order", a permutation of `rank` dimensions. Also accepts "C" and "F", which
// drafts of Zarr v3 allowed.
Result<DimVector<std::uint64_t>> ParseOrder(const json::Value& value, std::size_t rank) {
    DimVector<std::uint64_t> order;
    if (const std::string* text = value.as_string(); text && (*text == "C" || *text == "F")) {
        for (std::size_t i = 0; i < rank; ++i) order.push_back(*text == "C" ? i : rank - 1 - i);
        return order;
    }
    const std::string expected =
        "a permutation of the indices of " + std::to_string(rank) + " dimensions";
    if (value.as_array() == nullptr) return json::Expected("order", expected, value);
    ZARR_ASSIGN_OR_RETURN(const std::vector<std::uint64_t> axes,
                          json::UintsAtLeast(value, 0, "order"));
    DimVector<bool> is_used(rank, false);
    if (axes.size() != rank) return json::Expected("order", expected, value);
    for (const std::uint64_t axis : axes) {
        if (axis >= rank || is_used[axis]) return json::Expected("order", expected, value);
        is_used[axis] = true;
        order.push_back(axis);
    }
    return order;
}

}  // namespace

CodecResult MakeTranspose(const json::Value& config, const CodecContext& context) {
    ZARR_RETURN_IF_ERROR(CheckMembers(config, {"order"}));
    ZARR_ASSIGN_OR_RETURN(const json::Value* order, json::Require(config, "order"));
    ZARR_ASSIGN_OR_RETURN(const Block block, Block::Of(context));
    ZARR_ASSIGN_OR_RETURN(const DimVector<std::uint64_t> axes,
                          ParseOrder(*order, block.shape.size()));
    return std::unique_ptr<Codec>(std::make_unique<Transposition>(block, context.dtype, axes));
}

}  // namespace zarr

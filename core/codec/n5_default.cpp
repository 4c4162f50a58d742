// SPDX-License-Identifier: MIT
// "n5_default" of zarr-extensions: blocks of N5 in default mode. A block begins with its shape, and
// may be smaller or larger than the chunk. Numbers are big-endian, the first dimension varies
// fastest, and blocks may be compressed. https://github.com/saalfeldlab/n5
#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/checked.h"
#include "core/base/endian.h"
#include "core/base/limits.h"
#include "core/codec/chunk_block.h"
#include "core/codec/factories.h"
#include "core/codec/registry.h"
#include "core/codec/v3_configuration.h"
#include "core/grid/copy.h"

namespace zarr {

namespace {

// Size in bytes of the mode and of the number of dimensions.
constexpr std::size_t kFixedHeader = 4;
constexpr std::size_t kDimensionSize = 4;

std::uint32_t LoadBig32(const std::uint8_t* p) {
    return std::uint32_t{LoadBig16(p)} << 16 | LoadBig16(p + 2);
}

void StoreBig(std::uint8_t* p, std::uint64_t number, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
        p[i] = static_cast<std::uint8_t>(number >> (8 * (size - 1 - i)));
}

class N5Default final : public Codec {
  public:
    // `compressor` is nullptr if blocks are not compressed.
    N5Default(const Block& block, const DataType& dtype, std::unique_ptr<Codec> compressor,
              std::string compressor_name)
        : block_(block),
          swaps_(dtype.order == ByteOrder::kLittle),
          compressor_(std::move(compressor)),
          compressor_name_(std::move(compressor_name)) {}

    SizeBound EncodedSize(SizeBound decoded) const override {
        if (compressor_ != nullptr) decoded = compressor_->EncodedSize(decoded);
        return {SaturatingAdd(decoded.max, HeaderSize()), decoded.exact};
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        ZARR_ASSIGN_OR_RETURN(const Block stored, ReadHeader(encoded));
        ByteSpan bytes = encoded.From(HeaderSize());
        Buffer buffer;
        if (compressor_ != nullptr) {
            Output output(buffer, stored.bytes);
            Status status = compressor_->Decode(bytes, output);
            if (status.ok()) status = output.Finish();
            ZARR_RETURN_IF_ERROR(status.WithContext(compressor_name_));
            bytes = const_cast<const Buffer&>(buffer).span();
        }
        ZARR_RETURN_IF_ERROR(stored.CheckEncoded(bytes.size));
        ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room, decoded.Prepare(block_.bytes));
        DimVector<std::uint64_t> common;
        for (std::size_t i = 0; i < block_.shape.size(); ++i)
            common.push_back(std::min(block_.shape[i], stored.shape[i]));
        if (room.size != 0 && !SameShape(common)) std::memset(room.data, 0, room.size);
        if (room.size != 0 && bytes.size != 0)
            CopyBlock(common, room.data, DecodedStrides(), bytes.data,
                      ContiguousStrides(stored.shape, block_.item, AxisOrder(true)), Op());
        return {};
    }

    Status CheckWritable(SizeBound decoded) const override {
        for (const std::uint64_t n : block_.shape)
            if (n > UINT32_MAX)
                return Status::Unsupported("chunk size " + std::to_string(n) +
                                           " exceeds 4294967295, the maximum of N5");
        if (compressor_ != nullptr)
            ZARR_RETURN_IF_ERROR(compressor_->CheckWritable(decoded).WithContext(compressor_name_));
        return decoded.exact ? block_.CheckDecoded(decoded.max) : Status();
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(CheckWritable({decoded.size, true}));
        const std::size_t header = HeaderSize();
        Buffer block;
        Buffer& target = compressor_ != nullptr ? block : encoded;
        const std::size_t offset = compressor_ != nullptr ? 0 : header;
        ZARR_RETURN_IF_ERROR(target.Reset(SaturatingAdd(decoded.size, offset)));
        if (decoded.size != 0)
            CopyBlock(block_.shape, target.data() + offset,
                      ContiguousStrides(block_.shape, block_.item, AxisOrder(true)), decoded.data,
                      DecodedStrides(), Op());
        if (compressor_ != nullptr) {
            Buffer compressed;
            ZARR_RETURN_IF_ERROR(
                compressor_->Encode(const_cast<const Buffer&>(block).span(), compressed)
                    .WithContext(compressor_name_));
            ZARR_RETURN_IF_ERROR(encoded.Reset(SaturatingAdd(compressed.size(), header)));
            if (compressed.size() != 0)
                std::memcpy(encoded.data() + header, compressed.data(), compressed.size());
        }
        WriteHeader(encoded.data());
        return {};
    }

  private:
    std::size_t HeaderSize() const { return kFixedHeader + kDimensionSize * block_.shape.size(); }
    Strides DecodedStrides() const {
        return ContiguousStrides(block_.shape, block_.item, AxisOrder());
    }
    Converter Op() const {
        return swaps_ ? SwapConverter(block_.item, block_.item) : CopyConverter(block_.item);
    }
    bool SameShape(const DimVector<std::uint64_t>& shape) const {
        return std::equal(shape.begin(), shape.end(), block_.shape.begin(), block_.shape.end());
    }

    // Returns the shape and size of the stored block. Returns kLimit if the block exceeds the
    // maximum chunk size.
    Result<Block> ReadHeader(ByteSpan encoded) const {
        if (encoded.size < HeaderSize())
            return Status::Corrupt("holds " + std::to_string(encoded.size) +
                                   " bytes, fewer than the " + std::to_string(HeaderSize()) +
                                   " bytes of N5's header");
        const unsigned mode = LoadBig16(encoded.data);
        const std::size_t rank = LoadBig16(encoded.data + 2);
        if (mode != 0)
            return Status::Unsupported("unsupported N5 block mode " + std::to_string(mode));
        if (rank != block_.shape.size())
            return Status::Corrupt("stored block has " + std::to_string(rank) +
                                   " dimensions instead of " + std::to_string(block_.shape.size()));
        Block stored = block_;
        stored.bytes = block_.item;
        for (std::size_t i = 0; i < rank; ++i) {
            stored.shape[i] = LoadBig32(encoded.data + kFixedHeader + i * kDimensionSize);
            stored.bytes = SaturatingMul(stored.bytes, stored.shape[i]);
        }
        if (stored.bytes > std::max<std::uint64_t>(LimitOf(Limit::kChunkSize), block_.bytes))
            return OverLimit(Limit::kChunkSize,
                             "stored block decodes to " + std::to_string(stored.bytes) + " bytes");
        return stored;
    }

    void WriteHeader(std::uint8_t* p) const {
        StoreBig(p, 0, 2);
        StoreBig(p + 2, block_.shape.size(), 2);
        for (std::size_t i = 0; i < block_.shape.size(); ++i)
            StoreBig(p + kFixedHeader + i * kDimensionSize, block_.shape[i], kDimensionSize);
    }

    Block block_;
    bool swaps_;
    std::unique_ptr<Codec> compressor_;
    std::string compressor_name_;
};

// True if the format N5 supports the data type `type`.
bool IsOfN5(const DataType& type) {
    if (type.narrow != NarrowType::kNone) return false;
    if (type.kind == DataKind::kFloat) return type.size >= 4;
    return type.kind == DataKind::kInt || type.kind == DataKind::kUint;
}

bool IsReversal(const json::Value& configuration, std::size_t rank) {
    const json::Value* order = configuration.Find("order");
    const json::Array* axes = order != nullptr ? order->as_array() : nullptr;
    if (axes == nullptr || axes->size() != rank) return false;
    for (std::size_t i = 0; i < rank; ++i) {
        std::uint64_t axis = 0;
        if (!(*axes)[i].GetUint64(axis) || axis != rank - 1 - i) return false;
    }
    return true;
}

// Returns an error unless the codecs before the compressor describe N5's fixed layout: reversed
// dimensions in big-endian byte order.
Status CheckN5Codecs(const std::vector<CodecSpec>& codecs, const CodecContext& context) {
    if (codecs.size() < 2 || codecs.size() > 3)
        return Status::Corrupt("codecs: expected transpose, bytes and at most a compressor, got " +
                               std::to_string(codecs.size()) + " codecs");
    if (codecs[0].name != "transpose" ||
        !IsReversal(codecs[0].configuration, context.chunk_shape.size()))
        return Status::Corrupt("codecs[0]: expected transpose with all dimensions reversed");
    ZARR_RETURN_IF_ERROR(MakeTranspose(codecs[0].configuration, context)
                             .status()
                             .WithContext("codecs[0]: transpose"));
    const json::Value* endian = codecs[1].configuration.Find("endian");
    const bool is_big =
        endian != nullptr && endian->as_string() != nullptr && *endian->as_string() == "big";
    if (codecs[1].name != "bytes" || (!is_big && context.dtype.size > 1))
        return Status::Corrupt("codecs[1]: expected bytes with endian \"big\"");
    return MakeBytes(codecs[1].configuration, context).status().WithContext("codecs[1]: bytes");
}

}  // namespace

CodecResult MakeN5Default(const json::Value& config, const CodecContext& context) {
    ZARR_RETURN_IF_ERROR(CheckMembers(config, {"codecs"}));
    ZARR_ASSIGN_OR_RETURN(const std::vector<CodecSpec> codecs, RequiredCodecs(config, "codecs"));
    if (!IsOfN5(context.dtype))
        return Status::Unsupported("N5 does not support dtype " + context.dtype.ToString());
    ZARR_RETURN_IF_ERROR(CheckN5Codecs(codecs, context));
    ZARR_ASSIGN_OR_RETURN(const Block block, Block::Of(context));
    std::unique_ptr<Codec> compressor;
    if (codecs.size() == 3) {
        const CodecSpec& spec = codecs[2];
        ZARR_ASSIGN_OR_RETURN(const CodecClass codec_class, ClassOf(spec).WithContext(spec.place));
        if (codec_class != CodecClass::kBytesToBytes)
            return Status::Corrupt(spec.place + ": expected a bytes-to-bytes codec, got \"" +
                                   spec.name + "\"");
        ZARR_ASSIGN_OR_RETURN(compressor, MakeCodec(spec, context).WithContext(spec.place));
    }
    return std::unique_ptr<Codec>(std::make_unique<N5Default>(
        block, context.dtype, std::move(compressor), codecs.back().name));
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
// "zarrs.optional" of the library zarrs, for the data type "zarrs.optional". A boolean array, the
// mask, states which elements of a chunk are present. A one-dimensional array contains the present
// elements. Mask and elements have separate codecs.
//
// The encoded chunk begins with the lengths of the encoded mask and of the encoded elements as
// uint64. https://docs.rs/zarrs/0.23.10/zarrs/array/codec/array_to_bytes/optional/
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "core/base/checked.h"
#include "core/base/endian.h"
#include "core/codec/chunk_block.h"
#include "core/codec/factories.h"
#include "core/codec/pipeline.h"
#include "core/codec/registry.h"
#include "core/codec/v3_configuration.h"
#include "core/dtype/element_text.h"

namespace zarr {

namespace {

constexpr std::size_t kLengths = 2 * sizeof(std::uint64_t);
constexpr std::string_view kMaskCodecs = "mask_codecs";
constexpr std::string_view kDataCodecs = "data_codecs";

// Returns the codec context of a one-dimensional array of `count` elements of `type`.
CodecContext FlatContext(DataType type, std::uint64_t count) {
    CodecContext context;
    context.dtype = std::move(type);
    context.chunk_shape = {count};
    return context;
}

DataType MaskType() {
    DataType type;
    type.kind = DataKind::kBool;
    return type;
}

class Optional final : public Codec {
  public:
    // `type` is the type of present elements. `missing` is the element, in bytes, to which every
    // missing element is decoded.
    Optional(const Block& block, DataType type, std::string missing, Pipeline mask, Pipeline all,
             std::vector<CodecSpec> data_codecs)
        : block_(block),
          type_(std::move(type)),
          missing_(std::move(missing)),
          mask_(std::move(mask)),
          all_(std::move(all)),
          data_codecs_(std::move(data_codecs)) {}

    SizeBound EncodedSize(SizeBound /*decoded*/) const override {
        return {SaturatingAdd(SaturatingAdd(mask_.max_encoded_bytes(), all_.max_encoded_bytes()),
                              kLengths),
                false};
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        if (encoded.size < kLengths)
            return Status::Corrupt("holds " + std::to_string(encoded.size) +
                                   " bytes, fewer than the " + std::to_string(kLengths) +
                                   " bytes of the lengths of mask and data");
        const std::uint64_t mask_size = LoadLittle64(encoded.data);
        const std::uint64_t data_size = LoadLittle64(encoded.data + sizeof(std::uint64_t));
        const ByteSpan both = encoded.From(kLengths);
        if (mask_size > both.size || data_size != both.size - mask_size)
            return Status::Corrupt("states a mask of " + std::to_string(mask_size) +
                                   " bytes and data of " + std::to_string(data_size) +
                                   " bytes, but holds " + std::to_string(both.size));
        PipelineScratch scratch;
        Buffer mask;
        ZARR_RETURN_IF_ERROR(mask.Reset(block_.count));
        ZARR_RETURN_IF_ERROR(
            mask_.Decode({both.data, static_cast<std::size_t>(mask_size)}, mask.span(), scratch));
        const std::size_t present = block_.count - CountOf(mask, 0);
        Buffer data;
        ZARR_RETURN_IF_ERROR(data.Reset(present * block_.item));
        // If no element is present, the chunk has no bytes for elements, so only the mask is
        // decoded.
        if (present != 0) {
            ZARR_ASSIGN_OR_RETURN(const Pipeline pipeline, DataOf(present));
            ZARR_RETURN_IF_ERROR(pipeline.Decode(both.From(static_cast<std::size_t>(mask_size)),
                                                 data.span(), scratch));
        }
        ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room, decoded.Prepare(block_.bytes));
        const std::uint8_t* next = data.data();
        for (std::size_t i = 0; i < block_.count; ++i) {
            const bool is_present = mask.data()[i] != 0;
            std::memcpy(room.data + i * block_.item,
                        is_present ? next : reinterpret_cast<const std::uint8_t*>(missing_.data()),
                        block_.item);
            if (is_present) next += block_.item;
        }
        return {};
    }

    Status CheckWritable(SizeBound decoded) const override {
        if (decoded.exact) ZARR_RETURN_IF_ERROR(block_.CheckDecoded(decoded.max));
        ZARR_RETURN_IF_ERROR(mask_.writable());
        return all_.writable();
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(CheckWritable({decoded.size, true}));
        Buffer mask;
        Buffer data;
        ZARR_RETURN_IF_ERROR(mask.Reset(block_.count));
        ZARR_RETURN_IF_ERROR(data.Reset(block_.bytes));
        std::size_t present = 0;
        for (std::size_t i = 0; i < block_.count; ++i) {
            const std::uint8_t* const element = decoded.data + i * block_.item;
            mask.data()[i] = IsMissing(element) ? 0 : 1;
            if (mask.data()[i] == 0) continue;
            std::memcpy(data.data() + present * block_.item, element, block_.item);
            ++present;
        }
        PipelineScratch scratch;
        PipelineScratch more_scratch;
        ZARR_ASSIGN_OR_RETURN(const ByteSpan of_mask,
                              mask_.Encode(std::as_const(mask).span(), scratch));
        Pipeline pipeline;  // owns the memory of `of_data`
        ByteSpan of_data;
        if (present != 0) {
            ZARR_ASSIGN_OR_RETURN(pipeline, DataOf(present));
            ZARR_ASSIGN_OR_RETURN(
                of_data, pipeline.Encode({data.data(), present * block_.item}, more_scratch));
        }
        ZARR_RETURN_IF_ERROR(
            encoded.Reset(SaturatingAdd(SaturatingAdd(of_mask.size, of_data.size), kLengths)));
        StoreLittle64(encoded.data(), of_mask.size);
        StoreLittle64(encoded.data() + sizeof(std::uint64_t), of_data.size);
        std::uint8_t* const body = encoded.data() + kLengths;
        if (of_mask.size != 0) std::memcpy(body, of_mask.data, of_mask.size);
        if (of_data.size != 0) std::memcpy(body + of_mask.size, of_data.data, of_data.size);
        return {};
    }

  private:
    static std::size_t CountOf(const Buffer& mask, std::uint8_t value) {
        return static_cast<std::size_t>(std::count(mask.data(), mask.data() + mask.size(), value));
    }

    // Returns the codecs of present elements, bound to a one-dimensional array of `count` elements.
    Result<Pipeline> DataOf(std::size_t count) const {
        return Pipeline::Bind(data_codecs_, FlatContext(type_, count));
    }

    // If a NaN represents missing elements, every NaN counts as missing.
    bool IsMissing(const std::uint8_t* element) const {
        return std::memcmp(element, missing_.data(), block_.item) == 0 ||
               (is_nan_ && IsNan(element));
    }
    bool IsNan(const std::uint8_t* element) const {
        return type_.kind == DataKind::kFloat && std::isnan(ElementDouble(type_, element));
    }

    Block block_;
    DataType type_;
    std::string missing_;
    Pipeline mask_;
    Pipeline all_;  // data codecs, bound to the block's element count
    std::vector<CodecSpec> data_codecs_;
    bool is_nan_ = IsNan(reinterpret_cast<const std::uint8_t*>(missing_.data()));
};

}  // namespace

CodecResult MakeOptional(const json::Value& config, const CodecContext& context) {
    if (!context.dtype.missing)
        return Status::Corrupt("needs the data type zarrs.optional, got " +
                               context.dtype.ToString());
    ZARR_RETURN_IF_ERROR(CheckMembers(config, {kMaskCodecs, kDataCodecs}));
    ZARR_ASSIGN_OR_RETURN(const std::vector<CodecSpec> mask, RequiredCodecs(config, kMaskCodecs));
    ZARR_RETURN_IF_ERROR(CheckV3Order(mask, std::string(kMaskCodecs)));
    ZARR_ASSIGN_OR_RETURN(std::vector<CodecSpec> data, RequiredCodecs(config, kDataCodecs));
    ZARR_RETURN_IF_ERROR(CheckV3Order(data, std::string(kDataCodecs)));
    ZARR_ASSIGN_OR_RETURN(const Block block, Block::Of(context));
    DataType type = context.dtype.Native();
    std::string missing = std::move(*type.missing);
    type.missing.reset();
    ZARR_ASSIGN_OR_RETURN(Pipeline of_mask,
                          Pipeline::Bind(mask, FlatContext(MaskType(), block.count)));
    ZARR_ASSIGN_OR_RETURN(Pipeline of_all, Pipeline::Bind(data, FlatContext(type, block.count)));
    return std::unique_ptr<Codec>(std::make_unique<Optional>(block, std::move(type),
                                                             std::move(missing), std::move(of_mask),
                                                             std::move(of_all), std::move(data)));
}

}  // namespace zarr

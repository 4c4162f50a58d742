// SPDX-License-Identifier: MIT
#include "core/codec/pipeline.h"

#include <algorithm>
#include <cstring>

#include "core/base/checked.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/codec/registry.h"

namespace zarr {

namespace {

Result<std::size_t> CountItems(const std::vector<std::uint64_t>& shape) {
    std::uint64_t items = 1;
    for (const std::uint64_t n : shape) {
        const auto product = CheckedMul(items, n);
        if (!product || *product > SIZE_MAX)
            return Status::Limit("chunks: the product of their sizes overflows");
        items = *product;
    }
    return static_cast<std::size_t>(items);
}

// Returns the maximum output of one codec, in bytes, for a chunk of size `size`. Without a maximum,
// a chain of filters that write numbers as text would grow without bound.
std::size_t MaxStageBytes(SizeBound size) {
    constexpr std::size_t kGrowth = 64;
    constexpr std::size_t kFloor = std::size_t{64} << 20;
    const std::size_t most = SaturatingAdd(SaturatingMul(size.max, kGrowth), kFloor);
    const std::uint64_t limit = std::max<std::uint64_t>(LimitOf(Limit::kChunkSize), kFloor);
    return static_cast<std::size_t>(std::min<std::uint64_t>(most, limit));
}

bool IsOfV3(const CodecSpec& codec) { return codec.names == CodecNames::kV3; }

// Permutes the chunk shape in `context` to memory order, in which the leading transpose codecs pass
// a chunk to the next Zarr v3 codecs.
void Transpose(CodecContext& context) {
    const std::vector<std::uint64_t> shape = context.chunk_shape;
    for (std::size_t i = 0; i < shape.size(); ++i)
        context.chunk_shape[i] = shape[context.axis_order.At(i, shape.size())];
    context.axis_order = AxisOrder();
}

}  // namespace

Result<Pipeline> Pipeline::Bind(const std::vector<CodecSpec>& codecs, const CodecContext& context) {
    Pipeline pipeline;
    ZARR_ASSIGN_OR_RETURN(pipeline.chunk_items_, CountItems(context.chunk_shape));
    CodecContext items = context;
    if (std::any_of(codecs.begin(), codecs.end(), IsOfV3)) Transpose(items);
    if (context.dtype.kind == DataKind::kObject) {
        ZARR_RETURN_IF_ERROR(pipeline.BindObjects(codecs, items));
        const SizeBound objects = {static_cast<std::size_t>(LimitOf(Limit::kStringSize)), false};
        pipeline.max_stage_bytes_ = std::max(MaxStageBytes(objects), objects.max);
        ZARR_RETURN_IF_ERROR(pipeline.BindStages(codecs, 1, objects, std::move(items)));
        return pipeline;
    }
    const auto bytes = CheckedMul(pipeline.chunk_items_, context.dtype.size);
    if (!bytes || *bytes > SIZE_MAX)
        return Status::Limit("chunks: the product of their sizes overflows");
    pipeline.chunk_bytes_ = static_cast<std::size_t>(*bytes);
    const SizeBound chunk = {pipeline.chunk_bytes_, true};
    pipeline.max_stage_bytes_ = std::max(MaxStageBytes(chunk), chunk.max);
    ZARR_RETURN_IF_ERROR(pipeline.BindStages(codecs, 0, chunk, std::move(items)));
    return pipeline;
}

Result<Pipeline> Pipeline::BindBytes(const std::vector<CodecSpec>& codecs, std::size_t max_bytes) {
    // Base64 has the largest growth of all bytes-to-bytes codecs.
    constexpr std::size_t kGrowth = 2;
    constexpr std::size_t kFloor = std::size_t{64} << 20;
    Pipeline pipeline;
    pipeline.chunk_bytes_ = max_bytes;
    pipeline.max_stage_bytes_ = SaturatingAdd(SaturatingMul(max_bytes, kGrowth), kFloor);
    CodecContext bytes;
    bytes.chunk_shape = {max_bytes};
    bytes.is_flat = true;
    ZARR_RETURN_IF_ERROR(pipeline.BindStages(codecs, 0, {max_bytes, false}, std::move(bytes)));
    return pipeline;
}

Status Pipeline::BindObjects(const std::vector<CodecSpec>& codecs, CodecContext& context) {
    if (!codecs.empty()) {
        ZARR_ASSIGN_OR_RETURN(object_codec_,
                              MakeObjectCodec(codecs[0], context).WithContext(codecs[0].place));
    }
    if (object_codec_ == nullptr && !codecs.empty() && IsOfV3(codecs[0]))
        return Status::Corrupt(codecs[0].place + ": expected codec vlen-utf8 or vlen-bytes for " +
                               "variable-length data, got " + Quoted(codecs[0].name));
    if (object_codec_ == nullptr)
        return Status::Corrupt(
            "filters: dtype |O requires an object codec (vlen-utf8, vlen-bytes, json2, "
            "categorize) as the first filter");
    object_codec_id_ = codecs[0].name;
    writable_ =
        object_codec_->CheckWritable().WithContext(object_codec_id_).WithContext(codecs[0].place);
    context.dtype = object_codec_->EncodedType();
    context.is_flat = true;
    return {};
}

Status Pipeline::BindStages(const std::vector<CodecSpec>& codecs, std::size_t first, SizeBound size,
                            CodecContext context) {
    for (std::size_t i = first; i < codecs.size(); ++i) {
        const CodecSpec& codec = codecs[i];
        Stage stage;
        stage.id = codec.name;
        ZARR_ASSIGN_OR_RETURN(stage.codec, MakeCodec(codec, context).WithContext(codec.place));
        if (writable_.ok())
            writable_ =
                stage.codec->CheckWritable(size).WithContext(stage.id).WithContext(codec.place);
        stage.decoded = size;
        size = stage.codec->EncodedSize(size);
        if (size.max > max_stage_bytes_) size = {max_stage_bytes_, false};
        stage.codec->DescribeEncoded(context);
        if (!stage.codec->IsIdentity()) stages_.push_back(std::move(stage));
    }
    encoded_size_ = size;
    return {};
}

Status Pipeline::DecodeStage(const Stage& stage, ByteSpan encoded, Output& output,
                             std::size_t threads) const {
    Status status = threads > 1 ? stage.codec->DecodeOn(threads, encoded, output)
                                : stage.codec->Decode(encoded, output);
    if (status.ok() && stage.decoded.exact && output.written() != stage.decoded.max)
        status = Status::Corrupt("decodes to " + std::to_string(output.written()) +
                                 " bytes instead of " + std::to_string(stage.decoded.max));
    if (status.ok()) status = output.Finish();
    return status.WithContext(stage.id);
}

Status Pipeline::DecodeToFirst(ByteSpan& bytes, std::size_t until, PipelineScratch& scratch,
                               std::size_t threads) const {
    const auto cause = decodes_objects() ? std::optional(Limit::kStringSize) : std::nullopt;
    for (std::size_t i = stages_.size(); i-- > until;) {
        Buffer& buffer = scratch.stages[i % 2];
        Output output(buffer, stages_[i].decoded.max, cause);
        ZARR_RETURN_IF_ERROR(DecodeStage(stages_[i], bytes, output, threads));
        bytes = const_cast<const Buffer&>(buffer).span();
    }
    return {};
}

Status Pipeline::Decode(ByteSpan encoded, MutableByteSpan chunk, PipelineScratch& scratch,
                        std::size_t threads) const {
    if (stages_.empty()) {
        if (encoded.size != chunk.size)
            return Status::Corrupt("holds " + std::to_string(encoded.size) + " bytes instead of " +
                                   std::to_string(chunk.size));
        if (chunk.size != 0) std::memcpy(chunk.data, encoded.data, chunk.size);
        return {};
    }
    ZARR_RETURN_IF_ERROR(DecodeToFirst(encoded, 1, scratch, threads));
    Output output(chunk);
    return DecodeStage(stages_[0], encoded, output, threads);
}

Result<std::size_t> Pipeline::DecodeRanges(ByteSpan encoded, const ByteRanges& ranges,
                                           MutableByteSpan chunk) const {
    if (!HasRanges()) return std::size_t{0};
    return stages_[0].codec->DecodeRanges(encoded, ranges, chunk).WithContext(stages_[0].id);
}

Status Pipeline::DecodeObjects(ByteSpan encoded, ObjectChunk& chunk,
                               PipelineScratch& scratch) const {
    ZARR_RETURN_IF_ERROR(DecodeToFirst(encoded, 0, scratch, 1));
    return object_codec_->DecodeObjects(encoded, chunk_items_, chunk).WithContext(object_codec_id_);
}

Status Pipeline::DecodeBytes(ByteSpan encoded, std::size_t max_decoded, Buffer& decoded,
                             PipelineScratch& scratch) const {
    Output output(decoded, max_decoded);
    if (!stages_.empty()) {
        ZARR_RETURN_IF_ERROR(DecodeToFirst(encoded, 1, scratch, 1));
        return DecodeStage(stages_[0], encoded, output, 1);
    }
    if (encoded.size > max_decoded) return output.TooLong();
    return decoded.Assign(encoded);
}

Result<ByteSpan> Pipeline::EncodeStages(ByteSpan bytes, PipelineScratch& scratch) const {
    for (std::size_t i = 0; i < stages_.size(); ++i) {
        Buffer& buffer = scratch.stages[i % 2];
        ZARR_RETURN_IF_ERROR(stages_[i].codec->Encode(bytes, buffer).WithContext(stages_[i].id));
        bytes = const_cast<const Buffer&>(buffer).span();
        if (bytes.size > max_stage_bytes_)
            return Status::Limit(stages_[i].id + ": encodes a chunk to " +
                                 std::to_string(bytes.size) + " bytes, more than the maximum of " +
                                 std::to_string(max_stage_bytes_));
    }
    return bytes;
}

Result<ByteSpan> Pipeline::Encode(ByteSpan chunk, PipelineScratch& scratch) const {
    ZARR_RETURN_IF_ERROR(writable_);
    if (chunk.size != chunk_bytes_ || decodes_objects())
        return Status::Invalid("the chunk has " + std::to_string(chunk.size) +
                               " bytes instead of " + std::to_string(chunk_bytes_));
    return EncodeStages(chunk, scratch);
}

Result<ByteSpan> Pipeline::EncodeBytes(ByteSpan bytes, PipelineScratch& scratch) const {
    ZARR_RETURN_IF_ERROR(writable_);
    if (bytes.size > chunk_bytes_ || decodes_objects())
        return Status::Invalid(std::to_string(bytes.size) +
                               " bytes exceed the size of a chunk of " +
                               std::to_string(chunk_bytes_) + " bytes");
    return EncodeStages(bytes, scratch);
}

Result<ByteSpan> Pipeline::EncodeObjects(const ObjectRef* objects, std::size_t count,
                                         PipelineScratch& scratch) const {
    ZARR_RETURN_IF_ERROR(writable_);
    if (count != chunk_items_ || !decodes_objects())
        return Status::Invalid("the chunk has " + std::to_string(count) + " elements instead of " +
                               std::to_string(chunk_items_));
    // EncodeStages() reads its input after it has written to stages[0], so the input is in
    // stages[1].
    Buffer& encoded = scratch.stages[1];
    ZARR_RETURN_IF_ERROR(
        object_codec_->EncodeObjects(objects, count, encoded).WithContext(object_codec_id_));
    return EncodeStages(const_cast<const Buffer&>(encoded).span(), scratch);
}

}  // namespace zarr

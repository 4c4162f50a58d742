// SPDX-License-Identifier: MIT
#include "core/codec/pipeline.h"

#include <algorithm>
#include <cstring>

#include "core/base/checked.h"
#include "core/base/limits.h"
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

// The most bytes that a stage may have of a chunk whose first stage has `size`: a filter that
// spells numbers as text takes some twenty bytes for each, and many of them in a row any number.
std::size_t MostEncoded(SizeBound size) {
    constexpr std::size_t kGrowth = 64;
    constexpr std::size_t kFloor = std::size_t{64} << 20;
    const std::size_t most = SaturatingAdd(SaturatingMul(size.max, kGrowth), kFloor);
    const std::uint64_t limit = std::max<std::uint64_t>(LimitOf(Limit::kChunkSize), kFloor);
    return static_cast<std::size_t>(std::min<std::uint64_t>(most, limit));
}

}  // namespace

Result<Pipeline> Pipeline::Bind(const std::vector<CodecSpec>& codecs, const CodecContext& context) {
    Pipeline pipeline;
    ZARR_ASSIGN_OR_RETURN(pipeline.chunk_items_, CountItems(context.chunk_shape));
    CodecContext items = context;
    if (context.dtype.kind == DataKind::kObject) {
        ZARR_RETURN_IF_ERROR(pipeline.BindObjects(codecs, items));
        ZARR_RETURN_IF_ERROR(pipeline.BindStages(
            codecs, 1, {static_cast<std::size_t>(LimitOf(Limit::kStringSize)), false},
            std::move(items)));
        return pipeline;
    }
    const auto bytes = CheckedMul(pipeline.chunk_items_, context.dtype.size);
    if (!bytes || *bytes > SIZE_MAX)
        return Status::Limit("chunks: the product of their sizes overflows");
    pipeline.chunk_bytes_ = static_cast<std::size_t>(*bytes);
    ZARR_RETURN_IF_ERROR(
        pipeline.BindStages(codecs, 0, {pipeline.chunk_bytes_, true}, std::move(items)));
    return pipeline;
}

Status Pipeline::BindObjects(const std::vector<CodecSpec>& codecs, CodecContext& context) {
    if (!codecs.empty()) {
        ZARR_ASSIGN_OR_RETURN(object_codec_,
                              MakeObjectCodec(codecs[0], context).WithContext(codecs[0].place));
    }
    if (object_codec_ == nullptr)
        return Status::Corrupt(
            "filters: dtype |O needs a codec of objects (vlen-utf8, vlen-bytes, json2, "
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
    max_stage_bytes_ = std::max(MostEncoded(size), size.max);
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
        context.dtype = stage.codec->EncodedType();
        context.is_flat = context.is_flat || !stage.codec->KeepsShape();
        stages_.push_back(std::move(stage));
    }
    max_encoded_bytes_ = size.max;
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

Result<ByteSpan> Pipeline::EncodeStages(ByteSpan bytes, PipelineScratch& scratch) const {
    for (std::size_t i = 0; i < stages_.size(); ++i) {
        Buffer& buffer = scratch.stages[i % 2];
        ZARR_RETURN_IF_ERROR(stages_[i].codec->Encode(bytes, buffer).WithContext(stages_[i].id));
        bytes = const_cast<const Buffer&>(buffer).span();
        if (bytes.size > max_stage_bytes_)
            return Status::Limit(stages_[i].id + ": makes " + std::to_string(bytes.size) +
                                 " bytes of a chunk, for which " +
                                 std::to_string(max_stage_bytes_) + " are allowed");
    }
    return bytes;
}

Result<ByteSpan> Pipeline::Encode(ByteSpan chunk, PipelineScratch& scratch) const {
    ZARR_RETURN_IF_ERROR(writable_);
    if (chunk.size != chunk_bytes_ || decodes_objects())
        return Status::Invalid("a chunk of " + std::to_string(chunk.size) + " bytes instead of " +
                               std::to_string(chunk_bytes_));
    return EncodeStages(chunk, scratch);
}

Result<ByteSpan> Pipeline::EncodeObjects(const ObjectRef* objects, std::size_t count,
                                         PipelineScratch& scratch) const {
    ZARR_RETURN_IF_ERROR(writable_);
    if (count != chunk_items_ || !decodes_objects())
        return Status::Invalid("a chunk of " + std::to_string(count) + " objects instead of " +
                               std::to_string(chunk_items_));
    Buffer& encoded = scratch.stages[1];  // the first stage writes to the other one
    ZARR_RETURN_IF_ERROR(
        object_codec_->EncodeObjects(objects, count, encoded).WithContext(object_codec_id_));
    return EncodeStages(const_cast<const Buffer&>(encoded).span(), scratch);
}

}  // namespace zarr

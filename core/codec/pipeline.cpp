// SPDX-License-Identifier: MIT
#include "core/codec/pipeline.h"

#include <cstring>

#include "core/base/checked.h"
#include "core/codec/registry.h"
#include "core/json/members.h"

namespace zarr {

namespace {

std::string IdOf(const json::Value& config) {
    const json::Value* id = config.Find("id");
    return id != nullptr && id->as_string() != nullptr ? *id->as_string() : std::string();
}

// The configurations in encoding order, with their places for messages.
struct Placed {
    const json::Value* config;
    std::string place;
};

Result<std::vector<Placed>> ListCodecs(const json::Value& filters, const json::Value& compressor) {
    std::vector<Placed> codecs;
    if (!filters.is_null()) {
        const json::Array* items = filters.as_array();
        if (items == nullptr) return json::Expected("filters", "an array or null", filters);
        for (std::size_t i = 0; i < items->size(); ++i)
            codecs.push_back({&(*items)[i], "filters[" + std::to_string(i) + "]"});
    }
    if (!compressor.is_null()) codecs.push_back({&compressor, "compressor"});
    for (const Placed& codec : codecs)
        if (codec.config->as_object() == nullptr)
            return json::Expected(codec.place, "an object with an \"id\"", *codec.config);
    return codecs;
}

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

}  // namespace

Result<Pipeline> Pipeline::Bind(const json::Value& filters, const json::Value& compressor,
                                const CodecContext& context) {
    Pipeline pipeline;
    ZARR_ASSIGN_OR_RETURN(pipeline.chunk_items_, CountItems(context.chunk_shape));
    ZARR_ASSIGN_OR_RETURN(const std::vector<Placed> codecs, ListCodecs(filters, compressor));
    std::size_t next = 0;
    SizeBound size;
    if (context.dtype.kind == DataKind::kObject) {
        if (!codecs.empty()) {
            ZARR_ASSIGN_OR_RETURN(
                pipeline.object_codec_,
                MakeObjectCodec(*codecs[0].config, context).WithContext(codecs[0].place));
        }
        if (pipeline.object_codec_ == nullptr)
            return Status::Corrupt(
                "filters: dtype |O needs a codec of objects (vlen-utf8, vlen-bytes, json2, "
                "categorize) as the first filter");
        pipeline.object_codec_id_ = IdOf(*codecs[0].config);
        size = {kMaxObjectChunkBytes, false};
        next = 1;
    } else {
        const auto bytes = CheckedMul(pipeline.chunk_items_, context.dtype.size);
        if (!bytes || *bytes > SIZE_MAX)
            return Status::Limit("chunks: the product of their sizes overflows");
        pipeline.chunk_bytes_ = static_cast<std::size_t>(*bytes);
        size = {pipeline.chunk_bytes_, true};
    }
    for (; next < codecs.size(); ++next) {
        Stage stage;
        stage.id = IdOf(*codecs[next].config);
        ZARR_ASSIGN_OR_RETURN(
            stage.codec, MakeCodec(*codecs[next].config, context).WithContext(codecs[next].place));
        stage.decoded = size;
        size = stage.codec->EncodedSize(size);
        pipeline.stages_.push_back(std::move(stage));
    }
    pipeline.max_encoded_bytes_ = size.max;
    return pipeline;
}

Status Pipeline::DecodeStage(const Stage& stage, ByteSpan encoded, Output& output) const {
    Status status = stage.codec->Decode(encoded, output);
    if (status.ok() && stage.decoded.exact && output.written() != stage.decoded.max)
        status = Status::Corrupt("decodes to " + std::to_string(output.written()) +
                                 " bytes instead of " + std::to_string(stage.decoded.max));
    if (status.ok()) status = output.Finish();
    return status.WithContext(stage.id);
}

Status Pipeline::DecodeToFirst(ByteSpan& bytes, std::size_t until, PipelineScratch& scratch) const {
    for (std::size_t i = stages_.size(); i-- > until;) {
        Buffer& buffer = scratch.stages[i % 2];
        Output output(buffer, stages_[i].decoded.max);
        ZARR_RETURN_IF_ERROR(DecodeStage(stages_[i], bytes, output));
        bytes = const_cast<const Buffer&>(buffer).span();
    }
    return {};
}

Status Pipeline::Decode(ByteSpan encoded, MutableByteSpan chunk, PipelineScratch& scratch) const {
    if (stages_.empty()) {
        if (encoded.size != chunk.size)
            return Status::Corrupt("holds " + std::to_string(encoded.size) + " bytes instead of " +
                                   std::to_string(chunk.size));
        if (chunk.size != 0) std::memcpy(chunk.data, encoded.data, chunk.size);
        return {};
    }
    ZARR_RETURN_IF_ERROR(DecodeToFirst(encoded, 1, scratch));
    Output output(chunk);
    return DecodeStage(stages_[0], encoded, output);
}

Status Pipeline::DecodeObjects(ByteSpan encoded, ObjectChunk& chunk,
                               PipelineScratch& scratch) const {
    ZARR_RETURN_IF_ERROR(DecodeToFirst(encoded, 0, scratch));
    return object_codec_->DecodeObjects(encoded, chunk_items_, chunk).WithContext(object_codec_id_);
}

}  // namespace zarr

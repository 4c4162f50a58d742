// SPDX-License-Identifier: MIT
// An input is a line of JSON and the stored bytes of a chunk. The line is {"dtype", "chunks",
// "order", "compressor", "filters"} as in `.zarray`, or {"data_type", "chunks", "codecs"} as in
// `zarr.json`.
#include <cstring>
#include <string>

#include "autotest/fuzz/codec_kinds.h"
#include "autotest/fuzz/targets.h"
#include "core/codec/pipeline.h"
#include "core/json/value.h"
#include "core/metadata/v2_metadata.h"
#include "core/metadata/v3_metadata.h"

namespace zarr::fuzz {

namespace {

constexpr std::uint64_t kLargestChunk = std::uint64_t{1} << 20;

// Returns the metadata of a v3 array with one chunk. The fill value fits the data type.
Result<ArrayMetadata> ParseV3Line(const json::Value& value, const json::Value& chunks,
                                  const json::Value& codecs) {
    const json::Value* type = value.Find("data_type");
    if (type == nullptr) return Status::Corrupt("no data_type");
    Status first;
    for (const char* fill : {"0", "false", "\"\"", "[0, 0]", "[]"}) {
        const std::string document =
            R"({"zarr_format": 3, "node_type": "array", "chunk_key_encoding": "default", )"
            R"("chunk_grid": {"name": "regular", "configuration": {"chunk_shape": )" +
            json::Dump(chunks) + R"(}}, "shape": )" + json::Dump(chunks) + R"(, "data_type": )" +
            json::Dump(*type) + R"(, "codecs": )" + json::Dump(codecs) + R"(, "fill_value": )" +
            fill + "}";
        auto metadata = ParseV3Array(document);
        if (metadata.ok() && metadata->shards.empty()) return metadata;
        first = metadata.ok() ? Status::Unsupported("shards") : metadata.status();
    }
    return first;
}

// Parses the line of JSON into the metadata of an array with one chunk.
Result<ArrayMetadata> ParseLine(std::string_view line) {
    ZARR_ASSIGN_OR_RETURN(const json::Value value, json::Parse(line));
    const json::Value* chunks = value.Find("chunks");
    if (chunks == nullptr) return Status::Corrupt("no chunks");
    std::string document = json::Dump(value);
    if (const json::Value* codecs = value.Find("codecs"))
        return ParseV3Line(value, *chunks, *codecs);
    document.back() = ',';
    document += R"("zarr_format": 2, "fill_value": null, "shape": )" + json::Dump(*chunks) + "}";
    return ParseArrayMetadata(document);
}

void FuzzNumbers(const ArrayMetadata& metadata, const Pipeline& pipeline, ByteSpan stored) {
    PipelineScratch scratch;
    Buffer chunk;
    Check(chunk.Resize(pipeline.chunk_bytes()).ok(), "memory for a chunk");
    if (chunk.size() != 0) std::memset(chunk.data(), 0, chunk.size());
    if (!pipeline.Decode(stored, chunk.span(), scratch).ok()) return;
    if (pipeline.HasRanges()) {
        Buffer part;
        Check(part.Resize(chunk.size()).ok(), "memory for a part");
        std::memset(part.data(), 0, part.size());
        const ByteRange range{chunk.size() / 3, chunk.size() / 2};
        const auto written = pipeline.DecodeRanges(stored, {range}, part.span());
        Check(!written.ok() || *written == 0 ||
                  std::memcmp(part.data() + range.begin, chunk.data() + range.begin,
                              range.end - range.begin) == 0,
              "a decoded range equals that part of the decoded chunk");
    }
    if (!pipeline.writable().ok() || !CanBeEncoded(metadata)) return;
    const auto encoded = pipeline.Encode(std::as_const(chunk).span(), scratch);
    if (!encoded.ok()) return;
    const std::string copy(encoded->text());
    Buffer again;
    Check(again.Resize(chunk.size()).ok(), "memory for a chunk");
    Check(pipeline.Decode(ByteSpan(copy), again.span(), scratch).ok(),
          "an encoded chunk can be decoded");
    if (IsLossless(metadata) && chunk.size() != 0)
        Check(std::memcmp(again.data(), chunk.data(), chunk.size()) == 0,
              "an encoded chunk decodes to equal elements");
}

}  // namespace

void FuzzCodecs(ByteSpan input) {
    const std::string_view text = input.text();
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return;
    const auto metadata = ParseLine(text.substr(0, end));
    if (!metadata.ok()) return;
    const auto pipeline =
        Pipeline::Bind(metadata->codecs, {metadata->dtype, metadata->chunks, metadata->axis_order});
    if (!pipeline.ok() || pipeline->chunk_bytes() > kLargestChunk) return;
    const ByteSpan stored = input.From(end + 1);
    if (!pipeline->decodes_objects()) return FuzzNumbers(*metadata, *pipeline, stored);
    std::uint64_t items = 1;
    for (const std::uint64_t size : metadata->chunks) items *= size;
    if (items > kLargestChunk / sizeof(ObjectRef)) return;
    PipelineScratch scratch;
    ObjectChunk chunk;
    (void)pipeline->DecodeObjects(stored, chunk, scratch);
}

}  // namespace zarr::fuzz

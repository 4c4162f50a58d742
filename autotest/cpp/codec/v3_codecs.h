// SPDX-License-Identifier: MIT
// Makes codecs from their JSON form in `zarr.json`; encodes and decodes chunks with them.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "autotest/cpp/support/checks.h"
#include "core/codec/pipeline.h"

namespace zarr::test {

// Returns the codec context for a chunk of shape `shape` and the data type `typestr`, a NumPy
// typestr.
inline CodecContext ContextOf(std::string_view typestr, std::vector<std::uint64_t> shape) {
    CodecContext context;
    auto dtype = ParseTypestr(typestr);
    EXPECT_TRUE(Succeeds(dtype));
    if (dtype.ok()) context.dtype = dtype.Take();
    context.chunk_shape = std::move(shape);
    return context;
}

// Returns the codec context for `items` elements of a narrow type. A real number takes one byte in
// memory, a complex number two.
inline CodecContext NarrowContext(NarrowType narrow, DataKind kind, std::uint64_t items) {
    CodecContext context;
    context.dtype.kind = kind;
    context.dtype.size = kind == DataKind::kComplex ? 2 : 1;
    context.dtype.narrow = narrow;
    context.chunk_shape = {items};
    return context;
}

// Parses a JSON array of Zarr v3 codecs.
inline Result<std::vector<CodecSpec>> V3Codecs(std::string_view list) {
    const json::Value parsed = Json(list);
    std::vector<CodecSpec> codecs;
    for (const json::Value& codec : *parsed.as_array()) {
        ZARR_ASSIGN_OR_RETURN(CodecSpec spec,
                              ParseV3Codec(codec, "codecs[" + std::to_string(codecs.size()) + "]"));
        codecs.push_back(std::move(spec));
    }
    return codecs;
}

inline Result<Pipeline> BindV3(std::string_view list, const CodecContext& context) {
    ZARR_ASSIGN_OR_RETURN(const std::vector<CodecSpec> codecs, V3Codecs(list));
    return Pipeline::Bind(codecs, context);
}

inline Result<std::string> EncodeV3Chunk(const Pipeline& pipeline, std::string_view chunk) {
    PipelineScratch scratch;
    ZARR_ASSIGN_OR_RETURN(const ByteSpan encoded, pipeline.Encode(ByteSpan(chunk), scratch));
    return std::string(encoded.text());
}

inline Result<std::string> DecodeV3Chunk(const Pipeline& pipeline, std::string_view encoded) {
    PipelineScratch scratch;
    std::string chunk(pipeline.chunk_bytes(), '\x5a');
    ZARR_RETURN_IF_ERROR(pipeline.Decode(
        ByteSpan(encoded), {reinterpret_cast<std::uint8_t*>(chunk.data()), chunk.size()}, scratch));
    return chunk;
}

template <class T>
std::string BytesOf(const std::vector<T>& values) {
    std::string bytes(values.size() * sizeof(T), '\0');
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

template <class T>
std::vector<T> ValuesOf(std::string_view bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
}

// Expects that the codecs in the JSON array `list` encode `chunk` to `encoded`, and decode
// `encoded` to `chunk`.
inline void ExpectV3(std::string_view list, const CodecContext& context, std::string_view chunk,
                     std::string_view encoded) {
    SCOPED_TRACE(std::string(list));
    const auto pipeline = BindV3(list, context);
    ASSERT_TRUE(Succeeds(pipeline));
    const auto stored = EncodeV3Chunk(*pipeline, chunk);
    ASSERT_TRUE(Succeeds(stored));
    EXPECT_EQ(*stored, encoded);
    EXPECT_EQ(pipeline->encoded_size().max, encoded.size());
    const auto again = DecodeV3Chunk(*pipeline, encoded);
    ASSERT_TRUE(Succeeds(again));
    EXPECT_EQ(*again, chunk);
}

}  // namespace zarr::test

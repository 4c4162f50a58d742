// SPDX-License-Identifier: MIT
// The filters and compressor of one array, bound once to its dtype and chunk shape.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/codec/codec.h"

namespace zarr {

// Memory that decoding reuses from chunk to chunk; one per thread.
struct PipelineScratch {
    Buffer encoded;    // for the caller: the bytes read from the store
    Buffer stages[2];  // between the codecs
};

// Encoding order is filters[0], filters[1], ..., compressor; decoding runs backwards. Immutable and
// shared between threads.
class Pipeline {
  public:
    // `filters` is the array or null of `.zarray`, `compressor` the object or null.
    static Result<Pipeline> Bind(const json::Value& filters, const json::Value& compressor,
                                 const CodecContext& context);

    // True where a chunk is stored as it is.
    bool is_identity() const { return stages_.empty() && object_codec_ == nullptr; }
    bool decodes_objects() const { return object_codec_ != nullptr; }
    // Decoded bytes per chunk; 0 for kObject, whose size varies.
    std::size_t chunk_bytes() const { return chunk_bytes_; }
    // A bound of the stored size of a chunk that every usual encoder keeps.
    std::size_t max_encoded_bytes() const { return max_encoded_bytes_; }

    // Decodes one chunk of fixed-size elements into `chunk`, which has chunk_bytes() bytes.
    Status Decode(ByteSpan encoded, MutableByteSpan chunk, PipelineScratch& scratch) const;
    // Decodes one chunk of objects.
    Status DecodeObjects(ByteSpan encoded, ObjectChunk& chunk, PipelineScratch& scratch) const;

  private:
    struct Stage {
        std::string id;
        std::unique_ptr<Codec> codec;
        SizeBound decoded;  // the size of what this stage decodes to
    };

    Status DecodeStage(const Stage& stage, ByteSpan encoded, Output& output) const;
    // Decodes the stages from the last down to `until` into scratch and leaves the result in
    // `bytes`.
    Status DecodeToFirst(ByteSpan& bytes, std::size_t until, PipelineScratch& scratch) const;

    std::vector<Stage> stages_;  // in encoding order
    std::unique_ptr<ObjectCodec> object_codec_;
    std::string object_codec_id_;
    std::size_t chunk_bytes_ = 0;
    std::size_t chunk_items_ = 0;
    std::size_t max_encoded_bytes_ = 0;
};

// Largest encoded or decoded size of a chunk of objects, whose size the metadata do not give.
inline constexpr std::size_t kMaxObjectChunkBytes = std::size_t{1} << 30;

}  // namespace zarr

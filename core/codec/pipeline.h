// SPDX-License-Identifier: MIT
// The filters and compressor of one array, bound once to its dtype and chunk shape.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/codec/codec.h"
#include "core/codec/codec_spec.h"

namespace zarr {

// Memory that coding reuses from chunk to chunk; one per thread.
struct PipelineScratch {
    Buffer encoded;    // for the caller: the bytes read from the store
    Buffer stages[2];  // between the codecs
};

// Encoding runs through the codecs in their order, decoding backwards. Immutable and shared between
// threads.
class Pipeline {
  public:
    // `codecs` are in encoding order, their classes in any. Those of Zarr v3 see the chunk as a
    // row-major block of its dimensions in their order in memory. Errors begin with the place of
    // the codec.
    static Result<Pipeline> Bind(const std::vector<CodecSpec>& codecs, const CodecContext& context);
    // Of codecs from bytes to bytes, for runs of any size up to `max_bytes`.
    static Result<Pipeline> BindBytes(const std::vector<CodecSpec>& codecs, std::size_t max_bytes);

    // True where a chunk is stored as it is.
    bool is_identity() const { return stages_.empty() && object_codec_ == nullptr; }
    bool decodes_objects() const { return object_codec_ != nullptr; }
    // Why chunks cannot be encoded, naming codec and member; ok where they can. A pipeline that
    // cannot encode may well decode.
    const Status& writable() const { return writable_; }
    // Decoded bytes per chunk; 0 for kObject, whose size varies.
    std::size_t chunk_bytes() const { return chunk_bytes_; }
    // A bound of the stored size of a chunk that every usual encoder keeps; exact where every
    // codec's is.
    SizeBound encoded_size() const { return encoded_size_; }
    std::size_t max_encoded_bytes() const { return encoded_size_.max; }

    // Decodes one chunk of fixed-size elements into `chunk`, which has chunk_bytes() bytes; on up
    // to `threads` threads where codecs can share the work out.
    Status Decode(ByteSpan encoded, MutableByteSpan chunk, PipelineScratch& scratch,
                  std::size_t threads = 1) const;
    // True where DecodeRanges() may do less than Decode().
    bool HasRanges() const { return stages_.size() == 1 && stages_[0].codec->HasRanges(); }
    // As of a Codec, of a chunk of fixed-size elements.
    Result<std::size_t> DecodeRanges(ByteSpan encoded, const ByteRanges& ranges,
                                     MutableByteSpan chunk) const;
    // Decodes one chunk of objects.
    Status DecodeObjects(ByteSpan encoded, ObjectChunk& chunk, PipelineScratch& scratch) const;

    // Encodes one chunk of fixed-size elements: chunk_bytes() bytes in the array's byte order and
    // memory order. The result is `chunk` itself where is_identity(), else it lies in `scratch`
    // until that is used again. Fails with writable() where that is not ok.
    Result<ByteSpan> Encode(ByteSpan chunk, PipelineScratch& scratch) const;
    // The same for the objects of one chunk, in its memory order.
    Result<ByteSpan> EncodeObjects(const ObjectRef* objects, std::size_t count,
                                   PipelineScratch& scratch) const;

    // Of BindBytes(). Decodes to at most `max_decoded` bytes; `decoded` and `encoded` are none of
    // the stages in `scratch`.
    Status DecodeBytes(ByteSpan encoded, std::size_t max_decoded, Buffer& decoded,
                       PipelineScratch& scratch) const;
    // Likewise encodes; the result lies as that of Encode().
    Result<ByteSpan> EncodeBytes(ByteSpan bytes, PipelineScratch& scratch) const;

  private:
    struct Stage {
        std::string id;
        std::unique_ptr<Codec> codec;
        SizeBound decoded;  // the size of what this stage decodes to
    };

    // Makes the stages of the `codecs` from number `first` on, which begin with what `size` and
    // `context` say. None makes more than max_stage_bytes_.
    Status BindStages(const std::vector<CodecSpec>& codecs, std::size_t first, SizeBound size,
                      CodecContext context);
    Status BindObjects(const std::vector<CodecSpec>& codecs, CodecContext& context);
    Status DecodeStage(const Stage& stage, ByteSpan encoded, Output& output,
                       std::size_t threads) const;
    // Decodes the stages from the last down to `until` into scratch and leaves the result in
    // `bytes`.
    Status DecodeToFirst(ByteSpan& bytes, std::size_t until, PipelineScratch& scratch,
                         std::size_t threads) const;

    // Runs `bytes` through all stages.
    Result<ByteSpan> EncodeStages(ByteSpan bytes, PipelineScratch& scratch) const;

    std::vector<Stage> stages_;  // in encoding order
    std::unique_ptr<ObjectCodec> object_codec_;
    std::string object_codec_id_;
    std::size_t chunk_bytes_ = 0;  // of BindBytes() the most
    std::size_t chunk_items_ = 0;
    SizeBound encoded_size_;
    std::size_t max_stage_bytes_ = 0;  // of what any stage makes
    Status writable_;
};

}  // namespace zarr

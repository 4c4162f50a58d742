// SPDX-License-Identifier: MIT
// The codecs of one array, bound to its dtype and chunk shape.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/codec/codec.h"
#include "core/codec/codec_spec.h"

namespace zarr {

// Memory that encoding and decoding reuse for each chunk; each thread needs its own.
struct PipelineScratch {
    Buffer encoded;    // bytes read from the store, for use by callers
    Buffer stages[2];  // data between two codecs
};

// Encodes a chunk with the codecs in their order, and decodes it in reverse order. Immutable and
// thread-safe.
class Pipeline {
  public:
    // Binds `codecs`, in encoding order, to an array. Codecs of every CodecClass are accepted. A
    // Zarr v3 codec gets the chunk as a row-major block. The block's dimensions are sorted from the
    // slowest to the fastest in the chunk's memory. Error messages begin with the codec's path.
    static Result<Pipeline> Bind(const std::vector<CodecSpec>& codecs, const CodecContext& context);
    // Binds bytes-to-bytes codecs, for data of any size up to `max_bytes`.
    static Result<Pipeline> BindBytes(const std::vector<CodecSpec>& codecs, std::size_t max_bytes);

    // True if chunks are stored without encoding.
    bool is_identity() const { return stages_.empty() && object_codec_ == nullptr; }
    bool decodes_objects() const { return object_codec_ != nullptr; }
    // Returns an error that names the codec and member that prevent encoding; ok if chunks can be
    // encoded. A pipeline that cannot encode may still decode.
    const Status& writable() const { return writable_; }
    // Bytes of a decoded chunk; 0 for kObject, whose size varies.
    std::size_t chunk_bytes() const { return chunk_bytes_; }
    // Returns an upper bound of a chunk's encoded size. The bound holds for all known encoders.
    // `exact` is true if the output size of each codec is exact.
    SizeBound encoded_size() const { return encoded_size_; }
    std::size_t max_encoded_bytes() const { return encoded_size_.max; }

    // Decodes a chunk of fixed-size elements into `chunk`, which has chunk_bytes() bytes. Uses up
    // to `threads` threads if the codecs support parallel decoding.
    Status Decode(ByteSpan encoded, MutableByteSpan chunk, PipelineScratch& scratch,
                  std::size_t threads = 1) const;
    // True if DecodeRanges() may decode less than Decode().
    bool HasRanges() const { return stages_.size() == 1 && stages_[0].codec->HasRanges(); }
    // Decodes only `ranges` of a chunk of fixed-size elements. Returns the number of bytes written
    // to `chunk`; see Codec::DecodeRanges().
    Result<std::size_t> DecodeRanges(ByteSpan encoded, const ByteRanges& ranges,
                                     MutableByteSpan chunk) const;
    // Decodes a chunk of a kObject array into `chunk`.
    Status DecodeObjects(ByteSpan encoded, ObjectChunk& chunk, PipelineScratch& scratch) const;

    // Encodes a chunk of fixed-size elements, with chunk_bytes() bytes in the array's byte order
    // and memory order. Returns `chunk` itself if is_identity(). Otherwise the result points into
    // `scratch`, and is valid until `scratch` is used again. Returns the error in writable() if the
    // pipeline cannot encode.
    Result<ByteSpan> Encode(ByteSpan chunk, PipelineScratch& scratch) const;
    // Encodes a chunk of `count` objects in memory order of the chunk. The result may point into
    // `scratch`, and is valid until `scratch` is used again.
    Result<ByteSpan> EncodeObjects(const ObjectRef* objects, std::size_t count,
                                   PipelineScratch& scratch) const;

    // Decodes `encoded` into `decoded`, at most `max_decoded` bytes. Only for a pipeline from
    // BindBytes(). Neither `encoded` nor `decoded` may be in PipelineScratch::stages of `scratch`.
    Status DecodeBytes(ByteSpan encoded, std::size_t max_decoded, Buffer& decoded,
                       PipelineScratch& scratch) const;
    // Encodes `bytes`. Only for a pipeline from BindBytes(). The result may point into `scratch`,
    // and is valid until `scratch` is used again.
    Result<ByteSpan> EncodeBytes(ByteSpan bytes, PipelineScratch& scratch) const;

  private:
    struct Stage {
        std::string id;
        std::unique_ptr<Codec> codec;
        SizeBound decoded;  // size of the data that the codec encodes
    };

    // Adds a stage for each of `codecs` from index `first` on. `size` and `context` describe the
    // input of the codec `first`. Returns an error if a stage may output more than
    // max_stage_bytes_.
    Status BindStages(const std::vector<CodecSpec>& codecs, std::size_t first, SizeBound size,
                      CodecContext context);
    Status BindObjects(const std::vector<CodecSpec>& codecs, CodecContext& context);
    Status DecodeStage(const Stage& stage, ByteSpan encoded, Output& output,
                       std::size_t threads) const;
    // Decodes `bytes` with the stages from the last down to index `until`. Sets `bytes` to the
    // decoded bytes, which are in `scratch`.
    Status DecodeToFirst(ByteSpan& bytes, std::size_t until, PipelineScratch& scratch,
                         std::size_t threads) const;

    Result<ByteSpan> EncodeStages(ByteSpan bytes, PipelineScratch& scratch) const;

    std::vector<Stage> stages_;  // stages in encoding order
    std::unique_ptr<ObjectCodec> object_codec_;
    std::string object_codec_id_;
    // Size of a decoded chunk in bytes; the maximum size in a pipeline from BindBytes().
    std::size_t chunk_bytes_ = 0;
    std::size_t chunk_items_ = 0;
    SizeBound encoded_size_;
    std::size_t max_stage_bytes_ = 0;  // maximum output of a stage, in bytes
    Status writable_;
};

}  // namespace zarr

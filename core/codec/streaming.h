// SPDX-License-Identifier: MIT
// Streaming loop for codecs whose libraries process data in pieces, such as zlib and zstd. Writes
// directly to an Output and never exceeds its limit. A truncated stream is an error.
#pragma once

#include <cstddef>
#include <cstring>

#include "core/base/bytes.h"
#include "core/codec/codec.h"
#include "core/codec/codec_output.h"

namespace zarr {

enum class StreamState { kRunning, kComplete, kDamaged };

// Result of one call of a compression library.
struct StreamStep {
    StreamState state = StreamState::kRunning;
    std::size_t consumed = 0;  // number of input bytes read
    std::size_t produced = 0;  // number of output bytes written
    Status error;              // the error if `state` is kDamaged, else ok
};

// Decompressor of a compression library. Not thread-safe.
class StreamDecoder {
  public:
    virtual ~StreamDecoder() = default;
    // Prepares for the first byte of a stream; called again for each further stream.
    virtual Status Start() = 0;
    // Decodes some bytes of `in` to `out`; each has at most 1 GiB. If the decoder needs more input,
    // the result is kRunning, with 0 bytes consumed and 0 bytes produced.
    virtual StreamStep Step(ByteSpan in, MutableByteSpan out) = 0;
};

// Kinds of bytes that are allowed after a complete stream.
enum class Following {
    kIgnored,     // any bytes; they are ignored
    kStreams,     // further streams only; their contents are joined
    kPadded,      // further streams; zero bytes may follow each stream
    kIgnoreJunk,  // further streams; bytes that begin no stream are ignored
};

// Decodes all streams of `encoded` to `output`. Returns an error if the input is empty, damaged or
// truncated, or if the output exceeds its limit.
Status DecodeStreams(StreamDecoder& decoder, ByteSpan encoded, Output& output, Following following);

// Compressor of a compression library, which produces one stream. Not thread-safe.
class StreamEncoder {
  public:
    virtual ~StreamEncoder() = default;
    // Encodes some bytes of `in` to `out`; each has at most 1 GiB. `is_last` is true if no input
    // follows `in`. The step that ends the stream returns the state kComplete.
    virtual StreamStep Step(ByteSpan in, MutableByteSpan out, bool is_last) = 0;
};

// Encodes all of `decoded` as one stream and appends the stream to `output`.
Status EncodeStream(StreamEncoder& encoder, ByteSpan decoded, Output& output);

// Functions that several codecs use to copy data and to check the input size.

// Copies `bytes` to `decoded` as the whole decoded data.
inline Status CopyAll(ByteSpan bytes, Output& decoded) {
    ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room, decoded.Prepare(bytes.size));
    if (bytes.size != 0) std::memcpy(room.data, bytes.data, bytes.size);
    return {};
}

// Returns kLimit if `decoded` is an exact size above `limit`, the most bytes that the codec can
// encode. CheckWritable() of such codecs calls this function.
inline Status CheckInputSize(SizeBound decoded, std::size_t limit) {
    if (!decoded.exact || decoded.max <= limit) return {};
    return Status::Limit("the chunk has " + std::to_string(decoded.max) +
                         " bytes, more than the codec's maximum of " + std::to_string(limit));
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
// The one loop for codecs whose libraries code piece by piece (zlib, gzip, bz2, lzma, zstd):
// straight into the Output's room, never past its limit, to the very end of the stream.
#pragma once

#include <cstddef>
#include <cstring>

#include "core/base/bytes.h"
#include "core/codec/codec.h"
#include "core/codec/output.h"

namespace zarr {

enum class StreamState { kRunning, kComplete, kDamaged };

// What one call of a library did.
struct StreamStep {
    StreamState state = StreamState::kRunning;
    std::size_t consumed = 0;  // bytes of the input that were read
    std::size_t produced = 0;  // bytes of the output that were written
    Status error;              // why the stream is damaged; ok in the other states
};

// The state of a library between steps. Used by one thread.
class StreamDecoder {
  public:
    virtual ~StreamDecoder() = default;
    // Gets ready for the first byte of a stream; called again for each stream that follows.
    virtual Status Start() = 0;
    // Decodes some of `in` to `out`, each of at most 1 GiB. Having no progress to make for want of
    // input is no damage: the step says kRunning with nothing consumed and nothing produced.
    virtual StreamStep Step(ByteSpan in, MutableByteSpan out) = 0;
};

// What may follow a complete stream.
enum class Following {
    kIgnored,  // anything; it is not looked at
    kStreams,  // more streams and nothing else; their contents are joined
    kPadded,   // the same, with zero bytes allowed after each
    kLenient,  // more streams; from one that is damaged at its start on, all is ignored
};

// Decodes the streams of `encoded` to `output`. Fails on empty input, on a stream that is damaged
// or does not end, and where there is more to decode than the limit of `output`.
Status DecodeStreams(StreamDecoder& decoder, ByteSpan encoded, Output& output, Following following);

// The other way round: what becomes one stream. Used by one thread.
class StreamEncoder {
  public:
    virtual ~StreamEncoder() = default;
    // Encodes some of `in` to `out`, each of at most 1 GiB. `is_last` says that nothing follows
    // `in`; the step that then ends the stream says kComplete.
    virtual StreamStep Step(ByteSpan in, MutableByteSpan out, bool is_last) = 0;
};

// Appends the stream of all of `decoded` to `output`.
Status EncodeStream(StreamEncoder& encoder, ByteSpan decoded, Output& output);

// For codecs whose decoded form is a part of the encoded one, and checks that encoders share.

// Makes `bytes` all of what `decoded` holds.
inline Status CopyAll(ByteSpan bytes, Output& decoded) {
    ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room, decoded.Prepare(bytes.size));
    if (bytes.size != 0) std::memcpy(room.data, bytes.data, bytes.size);
    return {};
}

// CheckWritable() of codecs that take no more than `limit` bytes.
inline Status CheckInputSize(SizeBound decoded, std::size_t limit) {
    if (!decoded.exact || decoded.max <= limit) return {};
    return Status::Limit("takes at most " + std::to_string(limit) + " bytes, not " +
                         std::to_string(decoded.max));
}

}  // namespace zarr

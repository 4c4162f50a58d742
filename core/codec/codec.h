// SPDX-License-Identifier: MIT
// What a codec is: one compressor or filter of numcodecs, configured once, used for every chunk.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/axis_order.h"
#include "core/base/bytes.h"
#include "core/base/checked.h"
#include "core/codec/output.h"
#include "core/dtype/data_type.h"
#include "core/json/value.h"

namespace zarr {

// What is known of a run of bytes before it is there: at most `max`, and where `exact` just that.
struct SizeBound {
    std::size_t max = 0;
    bool exact = true;
};

// What a codec is bound to.
struct CodecContext {
    DataType dtype;  // of the items to encode: the array's, or what the codec before makes of them
    // Of the items, in elements: the array's chunks, unless a codec before has reshaped them.
    std::vector<std::uint64_t> chunk_shape;
    AxisOrder axis_order;  // of the elements in a chunk
    bool is_flat = false;  // the items come without the chunk's shape
};

// Part of a run of bytes: those from `begin` on, before `end`.
struct ByteRange {
    std::size_t begin = 0;
    std::size_t end = 0;
};
using ByteRanges = std::vector<ByteRange>;  // ascending, and apart

// A configured codec. Immutable after construction, so its methods may be called from any number of
// threads at once. Messages of errors start with what is wrong; the pipeline puts the codec's id in
// front of it, the array its key.
class Codec {
  public:
    virtual ~Codec() = default;

    // The size of the encoded form of decoded bytes of size `decoded`; `max` saturates instead of
    // overflowing. Compressors give a bound that every encoder keeps (not exact).
    virtual SizeBound EncodedSize(SizeBound decoded) const = 0;

    // Writes the decoded form of `encoded` to `decoded`. Must never read outside `encoded`, and
    // must fail on input that is truncated or has no end: kCorrupt. The pipeline checks the total
    // that was written.
    virtual Status Decode(ByteSpan encoded, Output& decoded) const = 0;

    // Decode() on up to `threads` threads, where the codec can share the work out.
    virtual Status DecodeOn(std::size_t /*threads*/, ByteSpan encoded, Output& decoded) const {
        return Decode(encoded, decoded);
    }

    // True where DecodeRanges() may do less than Decode().
    virtual bool HasRanges() const { return false; }
    // Writes at least the bytes of `ranges` to `decoded`, which is as large as all that `encoded`
    // decodes to, and returns how many it wrote; 0, and nothing written, where it is as well to
    // decode everything. As safe as Decode().
    virtual Result<std::size_t> DecodeRanges(ByteSpan /*encoded*/, const ByteRanges& /*ranges*/,
                                             MutableByteSpan /*decoded*/) const {
        return std::size_t{0};
    }

    // Why nothing of size `decoded` can be encoded, naming the member of the configuration that is
    // to blame; ok where Encode() may be called. What only encoding needs is not looked at by
    // anything else, so that a chunk can be read whatever it was written with.
    virtual Status CheckWritable(SizeBound /*decoded*/) const { return {}; }

    // Makes `encoded` the encoded form of `decoded`. By compressors but zlib, gzip and pcodec it is
    // byte for byte what numcodecs makes of it with the same libraries. Keeps the memory of
    // `encoded` where that is enough. Errors are kInvalidArgument for values that the codec cannot
    // take, kLimit for too many of them.
    virtual Status Encode(ByteSpan decoded, Buffer& encoded) const = 0;

    // The type of the encoded items, as NumPy sees them: bytes, unless they are numbers.
    virtual DataType EncodedType() const { return {}; }
    // True where the encoded items have the shape of the decoded ones.
    virtual bool KeepsShape() const { return false; }
    // Makes of `items`, what this codec was bound to, what the next one is bound to.
    virtual void DescribeEncoded(CodecContext& items) const {
        items.dtype = EncodedType();
        items.is_flat = items.is_flat || !KeepsShape();
    }
    // True where every chunk is encoded as it is, so that the codec only describes items.
    virtual bool IsIdentity() const { return false; }
};

// Strings or bytes of one chunk of a kObject array, in the chunk's memory order. `refs` point into
// `heap` and live as long as this.
struct ObjectChunk {
    Buffer refs;  // `count` values of type ObjectRef
    Buffer heap;
    std::size_t count = 0;

    std::size_t bytes() const { return refs.size() + heap.size(); }
};

// A codec whose decoded form is objects; can only stand first in an array's filters.
class ObjectCodec {
  public:
    virtual ~ObjectCodec() = default;
    // Decodes exactly `count` objects into `chunk`.
    virtual Status DecodeObjects(ByteSpan encoded, std::size_t count, ObjectChunk& chunk) const = 0;

    // These four as of a Codec; `objects` are `count` items in the chunk's memory order.
    virtual Status CheckWritable() const { return {}; }
    virtual Status EncodeObjects(const ObjectRef* objects, std::size_t count,
                                 Buffer& encoded) const = 0;
    virtual DataType EncodedType() const { return {}; }
};

// The bound of a general-purpose compressor: no known encoder grows its input by more than an
// eighth and a kilobyte.
inline SizeBound CompressedBound(SizeBound decoded) {
    return {SaturatingAdd(SaturatingAdd(decoded.max, decoded.max / 8), 1024), false};
}

}  // namespace zarr

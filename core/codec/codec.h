// SPDX-License-Identifier: MIT
// Interfaces of codecs. A codec is a compressor or filter that is configured once and used for
// every chunk.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/axis_order.h"
#include "core/base/bytes.h"
#include "core/base/checked.h"
#include "core/codec/codec_output.h"
#include "core/dtype/data_type.h"
#include "core/json/value.h"

namespace zarr {

// Size in bytes of data that does not exist yet: at most `max`, and exactly `max` if `exact` is
// true.
struct SizeBound {
    std::size_t max = 0;
    bool exact = true;
};

// Description of the items that a codec encodes. Each codec is created for one CodecContext.
struct CodecContext {
    // Type of the items: the array's dtype, or the output type of the previous codec.
    DataType dtype;
    // Elements per dimension: the array's chunk shape, unless an earlier codec has reshaped the
    // items.
    std::vector<std::uint64_t> chunk_shape;
    AxisOrder axis_order;  // memory order of the elements in a chunk
    bool is_flat = false;  // true if an earlier codec did not keep the chunk's shape
};

// Bytes with the offsets `begin` to `end` - 1 in a chunk.
struct ByteRange {
    std::size_t begin = 0;
    std::size_t end = 0;
};
using ByteRanges = std::vector<ByteRange>;  // disjoint ranges in ascending order

// A configured codec. Immutable after construction, so methods are thread-safe. Error messages
// state only the fault. The pipeline prepends the codec's name, and the array prepends the chunk's
// key.
class Codec {
  public:
    virtual ~Codec() = default;

    // Returns the encoded size of `decoded` bytes. If the size overflows, `max` is SIZE_MAX. For
    // compressors, `max` is a bound that holds for every known encoder, and `exact` is false.
    virtual SizeBound EncodedSize(SizeBound decoded) const = 0;

    // Decodes `encoded` into `decoded`. Implementations must not read outside of `encoded`, and
    // must return kCorrupt for truncated or endless input. The pipeline checks the number of
    // decoded bytes.
    virtual Status Decode(ByteSpan encoded, Output& decoded) const = 0;

    // Decodes like Decode(), on up to `threads` threads if the codec supports parallel decoding.
    virtual Status DecodeOn(std::size_t /*threads*/, ByteSpan encoded, Output& decoded) const {
        return Decode(encoded, decoded);
    }

    // True if DecodeRanges() may decode less than Decode().
    virtual bool HasRanges() const { return false; }
    // Decodes at least the bytes of `ranges`. `decoded` has the size of the whole decoded chunk.
    // Returns the number of bytes written. Returns 0 and writes nothing if Decode() would be as
    // fast. Validates the input as Decode() does.
    virtual Result<std::size_t> DecodeRanges(ByteSpan /*encoded*/, const ByteRanges& /*ranges*/,
                                             MutableByteSpan /*decoded*/) const {
        return std::size_t{0};
    }

    // Returns ok if data of size `decoded` can be encoded. Otherwise the error names the invalid
    // member of the configuration. This method checks the options that only encoding needs.
    // Creating the codec does not check these options, because an invalid one must not prevent
    // decoding.
    virtual Status CheckWritable(SizeBound /*decoded*/) const { return {}; }

    // Encodes `decoded` into `encoded`, whose memory is reused if it is large enough. With equal
    // compression libraries, the output equals the output of numcodecs byte for byte, except for
    // zlib, gzip and pcodec. Returns kInvalidArgument if the codec cannot encode a value, and
    // kLimit if the chunk has too many values.
    virtual Status Encode(ByteSpan decoded, Buffer& encoded) const = 0;

    // Returns the NumPy type of the encoded items, or the type of single bytes if the encoded items
    // are not numbers.
    virtual DataType EncodedType() const { return {}; }
    // True if the encoded items have the shape of the decoded items.
    virtual bool KeepsShape() const { return false; }
    // Changes `items`, which describes the input of this codec, to describe the input of the next
    // codec.
    virtual void DescribeEncoded(CodecContext& items) const {
        items.dtype = EncodedType();
        items.is_flat = items.is_flat || !KeepsShape();
    }
    // True if encoding and decoding leave all bytes unchanged. The codec then only states a
    // property of the items, such as their shape.
    virtual bool IsIdentity() const { return false; }
};

// Strings or byte strings of one chunk of a kObject array, in memory order of the chunk. `refs`
// points into `heap`; both are valid as long as this object.
struct ObjectChunk {
    Buffer refs;  // `count` elements of type ObjectRef
    Buffer heap;
    std::size_t count = 0;

    std::size_t bytes() const { return refs.size() + heap.size(); }
};

// A codec that decodes a chunk to strings or byte strings of variable length. An object codec must
// be the first codec of an array.
class ObjectCodec {
  public:
    virtual ~ObjectCodec() = default;
    // Decodes exactly `count` objects into `chunk`.
    virtual Status DecodeObjects(ByteSpan encoded, std::size_t count, ObjectChunk& chunk) const = 0;

    // CheckWritable() returns ok if objects can be encoded. EncodeObjects() encodes `count` objects
    // at `objects`, in memory order of the chunk. EncodedType() returns the type of the encoded
    // items.
    virtual Status CheckWritable() const { return {}; }
    virtual Status EncodeObjects(const ObjectRef* objects, std::size_t count,
                                 Buffer& encoded) const = 0;
    virtual DataType EncodedType() const { return {}; }
};

// Returns the size bound of a general-purpose compressor. No known encoder grows its input by more
// than an eighth and a kilobyte.
inline SizeBound CompressedBound(SizeBound decoded) {
    return {SaturatingAdd(SaturatingAdd(decoded.max, decoded.max / 8), 1024), false};
}

}  // namespace zarr

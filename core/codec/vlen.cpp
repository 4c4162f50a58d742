// SPDX-License-Identifier: MIT
// Codecs vlen-utf8 and vlen-bytes (numcodecs' VLenUTF8 and VLenBytes). An encoded chunk has the
// count of elements, then the length and the bytes of each element. Count and lengths are
// little-endian uint32.
#include <cstring>

#include "core/base/endian.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/codec/factories.h"

namespace zarr {

namespace {

constexpr std::size_t kCountSize = 4;
constexpr std::size_t kLengthSize = 4;

std::string Item(std::size_t i) { return "item " + std::to_string(i); }

class Vlen final : public ObjectCodec {
  public:
    explicit Vlen(bool utf8) : utf8_(utf8) {}

    Status DecodeObjects(ByteSpan encoded, std::size_t count, ObjectChunk& chunk) const override {
        ZARR_RETURN_IF_ERROR(CheckCount(encoded, count));
        const std::size_t text_size = encoded.size - kCountSize - count * kLengthSize;
        ZARR_RETURN_IF_ERROR(chunk.refs.Reset(SaturatingMul(count, sizeof(ObjectRef))));
        ZARR_RETURN_IF_ERROR(chunk.heap.Reset(text_size));
        chunk.count = count;
        ByteSpan rest = encoded.From(kCountSize);
        std::size_t used = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (rest.size < kLengthSize) return Status::Corrupt("is truncated before " + Item(i));
            const std::size_t length = LoadLittle32(rest.data);
            rest = rest.From(kLengthSize);
            // `text_size` is the number of bytes of all texts, without their length fields. The
            // first `used` bytes belong to texts that are decoded already.
            if (length > rest.size || length > text_size - used)
                return Status::Corrupt(Item(i) + " has " + std::to_string(length) +
                                       " bytes, which exceeds the chunk");
            const ByteSpan text{rest.data, length};
            if (utf8_ && !IsValidUtf8(text.text()))
                return Status::Corrupt(Item(i) + " is not valid UTF-8: " + Quoted(text.text()));
            std::uint8_t* copy = chunk.heap.data() + used;
            if (length != 0) std::memcpy(copy, text.data, length);
            const ObjectRef ref{reinterpret_cast<const char*>(copy), length};
            StoreNative(chunk.refs.data() + i * sizeof ref, ref);
            used += length;
            rest = rest.From(length);
        }
        if (rest.size != 0)
            return Status::Corrupt("holds " + std::to_string(rest.size) +
                                   " bytes after the last item");
        return {};
    }

    Status EncodeObjects(const ObjectRef* objects, std::size_t count,
                         Buffer& encoded) const override {
        ZARR_ASSIGN_OR_RETURN(const std::size_t size, EncodedSize(objects, count));
        ZARR_RETURN_IF_ERROR(encoded.Reset(size));
        std::uint8_t* dst = encoded.data();
        StoreLittle32(dst, static_cast<std::uint32_t>(count));
        dst += kCountSize;
        for (std::size_t i = 0; i < count; ++i) {
            const ObjectRef& object = objects[i];
            if (utf8_ && !IsValidUtf8({object.data, object.size}))
                return Status::Invalid(
                    Item(i) + " is not valid UTF-8: " + Quoted({object.data, object.size}));
            StoreLittle32(dst, static_cast<std::uint32_t>(object.size));
            dst += kLengthSize;
            if (object.size != 0) std::memcpy(dst, object.data, object.size);
            dst += object.size;
        }
        return {};
    }

  private:
    // Returns an error if the stored count is not `count`, or if `encoded` is too short for `count`
    // lengths. Called before memory is allocated, because the data may be damaged.
    static Status CheckCount(ByteSpan encoded, std::size_t count) {
        if (encoded.size < kCountSize)
            return Status::Corrupt("holds " + std::to_string(encoded.size) +
                                   " bytes, too few for a count of items");
        const std::size_t stored = LoadLittle32(encoded.data);
        if (stored != count)
            return Status::Corrupt("holds " + std::to_string(stored) + " items instead of " +
                                   std::to_string(count));
        if (count > (encoded.size - kCountSize) / kLengthSize)
            return Status::Corrupt("is truncated within its " + std::to_string(count) + " items");
        return {};
    }

    // Returns the encoded size of the texts, in bytes. Returns kLimit for sizes that decoding would
    // reject; sizes below the limit fit the 32-bit fields.
    static Result<std::size_t> EncodedSize(const ObjectRef* objects, std::size_t count) {
        std::size_t size = SaturatingAdd(kCountSize, SaturatingMul(count, kLengthSize));
        const std::size_t most = LimitOf(Limit::kStringSize);
        for (std::size_t i = 0; i < count && size <= most; ++i)
            size = SaturatingAdd(size, objects[i].size);
        if (size <= most) return size;
        return OverLimit(Limit::kStringSize, "encodes to too many bytes");
    }

    bool utf8_;
};

}  // namespace

ObjectCodecResult MakeVlenUtf8(const json::Value& /*config*/, const CodecContext& context) {
    if (context.dtype.object_kind == ObjectKind::kBytes)
        return Status::Corrupt("is a codec for text, but the data type is bytes");
    return std::unique_ptr<ObjectCodec>(std::make_unique<Vlen>(true));
}

ObjectCodecResult MakeVlenBytes(const json::Value& /*config*/, const CodecContext& context) {
    if (context.dtype.object_kind == ObjectKind::kText)
        return Status::Corrupt("is a codec for bytes, but the data type is text");
    return std::unique_ptr<ObjectCodec>(std::make_unique<Vlen>(false));
}

}  // namespace zarr

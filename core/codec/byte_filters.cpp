// SPDX-License-Identifier: MIT
// The filters shuffle, packbits and base64, which reorder or re-encode bytes.
#include <algorithm>
#include <limits>

#include "core/base/checked.h"
#include "core/base/text.h"
#include "core/codec/factories.h"
#include "core/codec/streaming.h"
#include "core/json/value.h"

namespace zarr {

// shuffle: the first byte of each element, then the second byte of each element, ...
// (numcodecs.Shuffle).

namespace {

// Reverts shuffle for elements of `kSize` bytes. The constant size lets the compiler optimize the
// loop.
template <std::size_t kSize>
void UnshuffleFixed(const std::uint8_t* src, std::uint8_t* dst, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t b = 0; b < kSize; ++b) dst[i * kSize + b] = src[b * count + i];
}

// Reverts shuffle for elements of any size, in blocks whose output fits the CPU cache.
void UnshuffleAny(const std::uint8_t* src, std::uint8_t* dst, std::size_t size, std::size_t count) {
    const std::size_t block = std::max<std::size_t>(1, (std::size_t{16} << 10) / size);
    for (std::size_t begin = 0; begin < count; begin += block) {
        const std::size_t end = std::min(count, begin + block);
        for (std::size_t b = 0; b < size; ++b)
            for (std::size_t i = begin; i < end; ++i) dst[i * size + b] = src[b * count + i];
    }
}

void Unshuffle(const std::uint8_t* src, std::uint8_t* dst, std::size_t size, std::size_t count) {
    switch (size) {
        case 2:
            return UnshuffleFixed<2>(src, dst, count);
        case 4:
            return UnshuffleFixed<4>(src, dst, count);
        case 8:
            return UnshuffleFixed<8>(src, dst, count);
        default:
            return UnshuffleAny(src, dst, size, count);
    }
}

// Shuffles elements of `kSize` bytes. The constant size lets the compiler optimize the loop.
template <std::size_t kSize>
void ShuffleFixed(const std::uint8_t* src, std::uint8_t* dst, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t b = 0; b < kSize; ++b) dst[b * count + i] = src[i * kSize + b];
}

void ShuffleAny(const std::uint8_t* src, std::uint8_t* dst, std::size_t size, std::size_t count) {
    const std::size_t block = std::max<std::size_t>(1, (std::size_t{16} << 10) / size);
    for (std::size_t begin = 0; begin < count; begin += block) {
        const std::size_t end = std::min(count, begin + block);
        for (std::size_t b = 0; b < size; ++b)
            for (std::size_t i = begin; i < end; ++i) dst[b * count + i] = src[i * size + b];
    }
}

void ShuffleBytes(const std::uint8_t* src, std::uint8_t* dst, std::size_t size, std::size_t count) {
    switch (size) {
        case 2:
            return ShuffleFixed<2>(src, dst, count);
        case 4:
            return ShuffleFixed<4>(src, dst, count);
        case 8:
            return ShuffleFixed<8>(src, dst, count);
        default:
            return ShuffleAny(src, dst, size, count);
    }
}

std::string NotWholeElements(std::size_t size, std::size_t element_size) {
    return "size " + std::to_string(size) + " is not a multiple of the element size " +
           std::to_string(element_size);
}

class Shuffle final : public Codec {
  public:
    explicit Shuffle(std::size_t element_size) : element_size_(element_size) {}

    SizeBound EncodedSize(SizeBound decoded) const override { return decoded; }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        if (element_size_ <= 1) return CopyAll(encoded, decoded);
        if (encoded.size % element_size_ != 0)
            return Status::Corrupt(NotWholeElements(encoded.size, element_size_));
        ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room, decoded.Prepare(encoded.size));
        Unshuffle(encoded.data, room.data, element_size_, encoded.size / element_size_);
        return {};
    }

    Status CheckWritable(SizeBound decoded) const override {
        if (element_size_ <= 1 || !decoded.exact || decoded.max % element_size_ == 0) return {};
        return Status::Invalid("elementsize: " + NotWholeElements(decoded.max, element_size_));
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        if (element_size_ <= 1) return encoded.Assign(decoded);
        ZARR_RETURN_IF_ERROR(CheckWritable({decoded.size, true}));
        ZARR_RETURN_IF_ERROR(encoded.Reset(decoded.size));
        ShuffleBytes(decoded.data, encoded.data(), element_size_, decoded.size / element_size_);
        return {};
    }

  private:
    std::size_t element_size_;
};

}  // namespace

CodecResult MakeShuffle(const json::Value& config, const CodecContext& /*context*/) {
    // Element sizes 0 and 1 are accepted and leave the bytes unchanged, as in numcodecs.
    ZARR_ASSIGN_OR_RETURN(
        const std::int64_t element_size,
        json::OptionalInt(config, "elementsize", 4, 0, std::numeric_limits<std::int32_t>::max()));
    return std::unique_ptr<Codec>(
        std::make_unique<Shuffle>(static_cast<std::size_t>(element_size)));
}

// packbits: eight booleans per byte, the first in the highest bit. The first byte is the number of
// padding bits in the last byte (numcodecs.PackBits).

namespace {

void Unpack(std::uint8_t bits, std::uint8_t* dst, unsigned count) {
    for (unsigned i = 0; i < count; ++i) dst[i] = static_cast<std::uint8_t>((bits >> (7 - i)) & 1);
}

std::uint8_t Pack(const std::uint8_t* src, unsigned count) {
    unsigned bits = 0;
    for (unsigned i = 0; i < count; ++i) bits |= (src[i] != 0 ? 0x80U : 0U) >> i;
    return static_cast<std::uint8_t>(bits);
}

class PackBits final : public Codec {
  public:
    SizeBound EncodedSize(SizeBound decoded) const override {
        const auto bytes = static_cast<std::size_t>(CeilDiv(decoded.max, 8));
        return {SaturatingAdd(bytes, 1), decoded.exact};
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        if (encoded.size == 0)
            return Status::Corrupt("is empty: the byte with the number of padding bits is missing");
        const unsigned padding = encoded.data[0];
        const ByteSpan bits = encoded.From(1);
        if (padding > 7 || (padding != 0 && bits.size == 0))
            return Status::Corrupt("expected 0 to 7 padding bits in " + std::to_string(bits.size) +
                                   " bytes, got " + std::to_string(padding));
        if (bits.size > SIZE_MAX / 8) return decoded.TooLong();
        ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room, decoded.Prepare(bits.size * 8 - padding));
        if (bits.size == 0) return {};
        for (std::size_t i = 0; i + 1 < bits.size; ++i) Unpack(bits.data[i], room.data + i * 8, 8);
        const std::size_t last = bits.size - 1;
        Unpack(bits.data[last], room.data + last * 8, 8 - padding);
        return {};
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(encoded.Reset(EncodedSize({decoded.size, true}).max));
        const std::size_t whole = decoded.size / 8;
        const auto rest = static_cast<unsigned>(decoded.size % 8);
        std::uint8_t* dst = encoded.data();
        *dst++ = static_cast<std::uint8_t>((8 - rest) % 8);
        for (std::size_t i = 0; i < whole; ++i) *dst++ = Pack(decoded.data + i * 8, 8);
        if (rest != 0) *dst = Pack(decoded.data + whole * 8, rest);
        return {};
    }
};

}  // namespace

CodecResult MakePackBits(const json::Value& /*config*/, const CodecContext& /*context*/) {
    return std::unique_ptr<Codec>(std::make_unique<PackBits>());
}

// base64: RFC 4648 with padding, without line breaks (numcodecs.Base64).

namespace {

class Base64 final : public Codec {
  public:
    SizeBound EncodedSize(SizeBound decoded) const override {
        const auto groups = static_cast<std::size_t>(CeilDiv(decoded.max, 3));
        return {SaturatingMul(groups, 4), decoded.exact};
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        ZARR_ASSIGN_OR_RETURN(const std::string bytes, Base64Decode(encoded.text()));
        return CopyAll(ByteSpan(bytes), decoded);
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(encoded.Reset(EncodedSize({decoded.size, true}).max));
        Base64Encode(decoded, reinterpret_cast<char*>(encoded.data()));
        return {};
    }
};

}  // namespace

CodecResult MakeBase64(const json::Value& /*config*/, const CodecContext& /*context*/) {
    return std::unique_ptr<Codec>(std::make_unique<Base64>());
}

}  // namespace zarr

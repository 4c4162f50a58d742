// SPDX-License-Identifier: MIT
// shuffle: the first bytes of all elements, then the second bytes, ... (numcodecs.Shuffle).
#include <algorithm>
#include <limits>

#include "core/codec/factories.h"
#include "core/codec/streaming.h"
#include "core/json/value.h"

namespace zarr {

namespace {

// The element size known to the compiler: one pass that reads `kSize` streams.
template <std::size_t kSize>
void UnshuffleFixed(const std::uint8_t* src, std::uint8_t* dst, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t b = 0; b < kSize; ++b) dst[i * kSize + b] = src[b * count + i];
}

// Any element size: byte by byte, in blocks whose output stays in the cache.
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

// The way back, of the same two kinds.
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
    return "holds " + std::to_string(size) + " bytes, which is no multiple of the elements' " +
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
    // numcodecs leaves the bytes alone where it is 0, too.
    ZARR_ASSIGN_OR_RETURN(
        const std::int64_t element_size,
        json::OptionalInt(config, "elementsize", 4, 0, std::numeric_limits<std::int32_t>::max()));
    return std::unique_ptr<Codec>(
        std::make_unique<Shuffle>(static_cast<std::size_t>(element_size)));
}

}  // namespace zarr

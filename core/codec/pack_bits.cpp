// SPDX-License-Identifier: MIT
// packbits: booleans as bits, the first in the highest bit, after a byte that holds the number of
// padding bits in the last one (numcodecs.PackBits).
#include "core/base/checked.h"
#include "core/codec/factories.h"

namespace zarr {

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
        if (encoded.size == 0) return Status::Corrupt("lacks its first byte");
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

}  // namespace zarr

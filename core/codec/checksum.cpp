// SPDX-License-Identifier: MIT
#include "core/codec/checksum.h"

#include <cstring>

#include "core/base/endian.h"
#include "core/codec/copy.h"
#include "core/json/members.h"

namespace zarr {

namespace {

constexpr std::size_t kChecksumSize = 4;

std::string Hex(std::uint32_t value) {
    std::string text = "0x";
    for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[(value >> shift) & 15U];
    return text;
}

class Checksum final : public Codec {
  public:
    Checksum(ChecksumFunction function, ChecksumLocation location)
        : function_(function), location_(location) {}

    SizeBound EncodedSize(SizeBound decoded) const override {
        return {SaturatingAdd(decoded.max, kChecksumSize), decoded.exact};
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        if (encoded.size < kChecksumSize)
            return Status::Corrupt("holds " + std::to_string(encoded.size) +
                                   " bytes, too few for a checksum");
        const std::size_t size = encoded.size - kChecksumSize;
        const bool at_start = location_ == ChecksumLocation::kStart;
        const ByteSpan data{encoded.data + (at_start ? kChecksumSize : 0), size};
        const std::uint32_t stored = LoadLittle32(encoded.data + (at_start ? 0 : size));
        const std::uint32_t computed = function_(data);
        if (computed != stored)
            return Status::Corrupt("checksum " + Hex(computed) + " does not match the stored " +
                                   Hex(stored));
        return CopyAll(data, decoded);
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(encoded.Reset(SaturatingAdd(decoded.size, kChecksumSize)));
        const bool at_start = location_ == ChecksumLocation::kStart;
        std::uint8_t* data = encoded.data() + (at_start ? kChecksumSize : 0);
        if (decoded.size != 0) std::memcpy(data, decoded.data, decoded.size);
        StoreLittle32(at_start ? encoded.data() : data + decoded.size, function_(decoded));
        return {};
    }

  private:
    ChecksumFunction function_;
    ChecksumLocation location_;
};

}  // namespace

CodecResult MakeChecksum(ChecksumFunction function, ChecksumLocation location) {
    return std::unique_ptr<Codec>(std::make_unique<Checksum>(function, location));
}

CodecResult MakeChecksum(ChecksumFunction function, const json::Value& config,
                         ChecksumLocation fallback) {
    const json::Value* member = config.Find("location");
    if (member == nullptr || member->is_null()) return MakeChecksum(function, fallback);
    const std::string* text = member->as_string();
    if (text != nullptr && *text == "start")
        return MakeChecksum(function, ChecksumLocation::kStart);
    if (text != nullptr && *text == "end") return MakeChecksum(function, ChecksumLocation::kEnd);
    return json::Expected("location", "\"start\" or \"end\"", *member);
}

}  // namespace zarr

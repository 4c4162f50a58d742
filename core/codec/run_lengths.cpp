// SPDX-License-Identifier: MIT
// imagecodecs' "imagecodecs_packbits", read-only: the run lengths of TIFF (TIFF 6.0, section 9).
#include <cstdint>
#include <cstring>
#include <optional>

#include "core/base/checked.h"
#include "core/codec/decode_only.h"
#include "core/codec/factories.h"

namespace zarr {

namespace {

// Decodes `encoded` and returns the decoded size in bytes; nullopt if it exceeds `limit`. Writes
// nothing if `out` is nullptr.
Result<std::optional<std::size_t>> ExpandRuns(ByteSpan encoded, std::uint8_t* out,
                                              std::size_t limit) {
    std::size_t written = 0;
    while (encoded.size != 0) {
        const unsigned code = encoded.data[0];
        encoded = encoded.From(1);
        if (code == 128) continue;  // TIFF defines this code as no operation
        const bool is_run = code > 128;
        const std::size_t count = is_run ? 257 - code : code + 1;
        const std::size_t taken = is_run ? 1 : count;
        if (taken > encoded.size) return Status::Corrupt("the last run is truncated");
        if (count > limit - written) return std::optional<std::size_t>();
        if (out != nullptr && is_run) std::memset(out + written, encoded.data[0], count);
        if (out != nullptr && !is_run) std::memcpy(out + written, encoded.data, count);
        written += count;
        encoded = encoded.From(taken);
    }
    return std::optional(written);
}

class RunLengths final : public DecodeOnly {
  public:
    RunLengths() : DecodeOnly("PackBits") {}

    // The bound is twice the decoded size, because a run takes two bytes and may decode to a single
    // byte.
    SizeBound EncodedSize(SizeBound decoded) const override {
        return {SaturatingAdd(SaturatingMul(decoded.max, 2), 1024), false};
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        ZARR_ASSIGN_OR_RETURN(const auto size, ExpandRuns(encoded, nullptr, decoded.limit()));
        if (!size) return decoded.TooLong();
        ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room, decoded.Prepare(*size));
        return ExpandRuns(encoded, room.data, room.size).status();
    }
};

}  // namespace

CodecResult MakeRunLengths(const json::Value& /*config*/, const CodecContext& /*context*/) {
    return std::unique_ptr<Codec>(std::make_unique<RunLengths>());
}

}  // namespace zarr

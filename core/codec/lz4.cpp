// SPDX-License-Identifier: MIT
// numcodecs' "lz4": the decoded size as a signed 32-bit little-endian integer, then one LZ4 block
// (block format, not frame format). Bytes after the block are an error.
#include <lz4.h>

#include "core/base/endian.h"
#include "core/codec/factories.h"
#include "core/codec/streaming.h"
#include "core/json/value.h"

namespace zarr {

namespace {

constexpr std::size_t kLz4HeaderSize = 4;
// Maximum decoded size that the header can state, and that the LZ4 library accepts.
constexpr std::size_t kLargest = 0x7fffffff;

class Lz4 final : public Codec {
  public:
    explicit Lz4(Result<std::int64_t> acceleration) : acceleration_(std::move(acceleration)) {}

    SizeBound EncodedSize(SizeBound decoded) const override { return CompressedBound(decoded); }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        if (encoded.size <= kLz4HeaderSize)
            return Status::Corrupt("is truncated: " + std::to_string(encoded.size) +
                                   " bytes are too few for a length and a block");
        const std::size_t size = LoadLittle32(encoded.data);
        const ByteSpan block = encoded.From(kLz4HeaderSize);
        if (size > kLargest || block.size > kLargest)
            return Status::Corrupt("the header states that " + std::to_string(block.size) +
                                   " bytes decode to " + std::to_string(size) +
                                   " bytes, but LZ4 is limited to " + std::to_string(kLargest));
        ZARR_ASSIGN_OR_RETURN(const MutableByteSpan out, decoded.Prepare(size));
        // LZ4_decompress_safe() rejects a null pointer, even for an empty output.
        char none = 0;
        char* const target = size != 0 ? reinterpret_cast<char*>(out.data) : &none;
        const int written =
            LZ4_decompress_safe(reinterpret_cast<const char*>(block.data), target,
                                static_cast<int>(block.size), static_cast<int>(size));
        if (written < 0) return Status::Corrupt("the block is damaged, truncated or too long");
        if (static_cast<std::size_t>(written) != size)
            return Status::Corrupt("the block decodes to " + std::to_string(written) +
                                   " bytes, but the header states " + std::to_string(size));
        return {};
    }

    Status CheckWritable(SizeBound decoded) const override {
        ZARR_RETURN_IF_ERROR(acceleration_.status());
        return CheckInputSize(decoded, LZ4_MAX_INPUT_SIZE);
    }

    Status Encode(ByteSpan decoded, Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(CheckWritable({decoded.size, true}));
        const int size = static_cast<int>(decoded.size);
        const int room = LZ4_compressBound(size);
        ZARR_RETURN_IF_ERROR(encoded.Reset(kLz4HeaderSize + static_cast<std::size_t>(room)));
        StoreLittle32(encoded.data(), static_cast<std::uint32_t>(size));
        const int written =
            LZ4_compress_fast(reinterpret_cast<const char*>(decoded.data),
                              reinterpret_cast<char*>(encoded.data() + kLz4HeaderSize), size, room,
                              static_cast<int>(*acceleration_));
        if (written <= 0)
            return Status::Invalid("the LZ4 library cannot compress the chunk (error " +
                                   std::to_string(written) + ")");
        return encoded.Resize(kLz4HeaderSize + static_cast<std::size_t>(written));
    }

  private:
    Result<std::int64_t> acceleration_;  // LZ4 clamps the value to its range
};

}  // namespace

CodecResult MakeLz4(const json::Value& config, const CodecContext& /*context*/) {
    return std::unique_ptr<Codec>(
        std::make_unique<Lz4>(json::OptionalInt(config, "acceleration", 1, INT32_MIN, INT32_MAX)));
}

}  // namespace zarr

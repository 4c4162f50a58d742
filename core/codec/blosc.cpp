// SPDX-License-Identifier: MIT
// numcodecs' "blosc": one c-blosc 1 frame, whose header says its sizes, compressor and shuffle, so
// the configuration is not needed. As numcodecs does, ignores what follows the frame.
// https://github.com/Blosc/c-blosc/blob/main/README_CHUNK_FORMAT.rst
#include <blosc.h>

#include <array>

#include "core/codec/factories.h"

namespace zarr {

namespace {

struct Header {
    std::size_t decoded_size = 0;
    std::size_t frame_size = 0;
};

Result<Header> ReadHeader(ByteSpan encoded) {
    if (encoded.size < BLOSC_MIN_HEADER_LENGTH)
        return Status::Corrupt("is truncated: " + std::to_string(encoded.size) +
                               " bytes hold no header");
    Header header;
    std::size_t block_size = 0;
    blosc_cbuffer_sizes(encoded.data, &header.decoded_size, &header.frame_size, &block_size);
    if (header.frame_size > encoded.size)
        return Status::Corrupt("is truncated: holds " + std::to_string(encoded.size) +
                               " bytes of a frame of " + std::to_string(header.frame_size));
    if (blosc_cbuffer_validate(encoded.data, header.frame_size, &header.decoded_size) != 0)
        return Status::Corrupt("the header of the frame is damaged");
    return header;
}

// Fails where the library was built without the compressor of the frame.
Status CheckCompressor(ByteSpan encoded) {
    constexpr std::size_t kFlags = 2;          // the byte of flags
    constexpr unsigned kStoredAsIs = 1U << 1;  // no compressor was used
    constexpr unsigned kFormatShift = 5;       // the top bits number the compressed format
    const std::array<const char*, 5> names = {"blosclz", "lz4", "snappy", "zlib", "zstd"};
    const unsigned flags = encoded.data[kFlags];
    const std::size_t format = flags >> kFormatShift;
    if ((flags & kStoredAsIs) != 0) return {};
    if (format >= names.size())
        return Status::Unsupported("unknown compressed format " + std::to_string(format));
    if (blosc_compname_to_compcode(names[format]) < 0)
        return Status::Unsupported(std::string("the blosc library was built without ") +
                                   names[format]);
    return {};
}

class Blosc final : public Codec {
  public:
    SizeBound EncodedSize(SizeBound decoded) const override { return CompressedBound(decoded); }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        ZARR_ASSIGN_OR_RETURN(const Header header, ReadHeader(encoded));
        ZARR_RETURN_IF_ERROR(CheckCompressor(encoded));
        ZARR_ASSIGN_OR_RETURN(const MutableByteSpan out, decoded.Prepare(header.decoded_size));
        // The _ctx function keeps no global state; threads are the caller's.
        const int written = blosc_decompress_ctx(encoded.data, out.data, out.size, 1);
        if (written < 0) return Status::Corrupt("the frame is damaged");
        if (static_cast<std::size_t>(written) != header.decoded_size)
            return Status::Corrupt("decodes to " + std::to_string(written) +
                                   " bytes, its header says " +
                                   std::to_string(header.decoded_size));
        return {};
    }
};

}  // namespace

CodecResult MakeBlosc(const json::Value& /*config*/, const CodecContext& /*context*/) {
    return std::unique_ptr<Codec>(std::make_unique<Blosc>());
}

}  // namespace zarr

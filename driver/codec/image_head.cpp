// SPDX-License-Identifier: MIT
#include "driver/codec/image_head.h"

#include <string>
#include <string_view>

#include "core/base/endian.h"

namespace zarr_driver {

namespace {

using zarr::ByteSpan;
using zarr::LoadBig16;
using zarr::Result;
using zarr::Status;

std::uint32_t LoadBig32(const std::uint8_t* p) {
    return std::uint32_t{LoadBig16(p)} << 16 | LoadBig16(p + 2);
}

std::uint32_t LoadLittle24(const std::uint8_t* p) {
    return p[0] | std::uint32_t{p[1]} << 8 | std::uint32_t{p[2]} << 16;
}

bool BeginsWith(ByteSpan bytes, std::string_view signature) {
    return bytes.text().substr(0, signature.size()) == signature;
}

// True if `marker` begins a frame. 0xC4, 0xC8 and 0xCC in the same range do not.
bool IsFrameMarker(unsigned marker) {
    return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

// Reads the segment of a JPEG frame, without its marker and length.
Result<ImageHead> ReadJpegFrame(unsigned marker, ByteSpan segment) {
    if (marker > 0xC2)
        return Status::Unsupported(
            "JPEG images are supported with Huffman codes, and baseline or "
            "progressive; this one is lossless, hierarchical or arithmetic");
    if (segment.size < 6) return Status::Corrupt("the frame of the JPEG image is truncated");
    ImageHead head;
    head.bits = segment.data[0];
    head.height = LoadBig16(segment.data + 1);
    head.width = LoadBig16(segment.data + 3);
    head.samples = segment.data[5];
    if (head.bits != 8)
        return Status::Unsupported("JPEG images of " + std::to_string(head.bits) +
                                   " bits are unsupported");
    if (head.samples != 1 && head.samples != 3)
        return Status::Unsupported("JPEG images of " + std::to_string(head.samples) +
                                   " components, such as CMYK, are unsupported");
    return head;
}

// Returns an error if a PNG file has pixels that GDAL leaves as they are and imagecodecs expands.
Status CheckPngColours(unsigned colour, unsigned bits) {
    if (colour == 3) return Status::Unsupported("PNG images with a palette are unsupported");
    if (bits != 8 && bits != 16)
        return Status::Unsupported("PNG images of " + std::to_string(bits) +
                                   " bits are unsupported");
    if (colour != 0 && colour != 2 && colour != 4 && colour != 6)
        return Status::Corrupt("the PNG image has the unknown colour type " +
                               std::to_string(colour));
    return {};
}

// Checks the chunks of a PNG file from `offset` on, up to the first pixels.
Status CheckPngChunks(ByteSpan file, std::size_t offset) {
    while (file.size - offset >= 12) {
        const std::uint32_t size = LoadBig32(file.data + offset);
        const std::string_view type = file.From(offset + 4).text().substr(0, 4);
        if (type == "IDAT") return {};
        if (type == "tRNS")
            return Status::Unsupported("PNG images with a transparent colour are unsupported");
        if (size > file.size - offset - 12) break;
        offset += std::size_t{12} + size;
    }
    return Status::Corrupt("the PNG image is truncated");
}

// Reads the first chunk of a WebP file, of type `type`.
Result<ImageHead> ReadWebpChunk(std::string_view type, ByteSpan chunk) {
    ImageHead head;
    head.samples = 3;
    const std::uint8_t* const p = chunk.data;
    if (type == "VP8 " && chunk.size >= 10 && p[3] == 0x9D && p[4] == 0x01 && p[5] == 0x2A) {
        head.width = (p[6] | unsigned{p[7]} << 8) & 0x3FFF;
        head.height = (p[8] | unsigned{p[9]} << 8) & 0x3FFF;
        return head;
    }
    if (type == "VP8L" && chunk.size >= 5 && p[0] == 0x2F) {
        const std::uint32_t bits = zarr::LoadLittle32(p + 1);
        head.width = (bits & 0x3FFF) + 1;
        head.height = (bits >> 14 & 0x3FFF) + 1;
        if ((bits >> 28 & 1) != 0) head.samples = 4;
        return head;
    }
    if (type == "VP8X" && chunk.size >= 10) {
        if ((p[0] & 0x02) != 0) return Status::Unsupported("animated WebP images are unsupported");
        head.width = LoadLittle24(p + 4) + 1;
        head.height = LoadLittle24(p + 7) + 1;
        if ((p[0] & 0x10) != 0) head.samples = 4;
        return head;
    }
    return Status::Corrupt("the WebP image has no valid frame");
}

}  // namespace

Result<ImageHead> ReadJpegHead(ByteSpan file) {
    if (!BeginsWith(file, "\xFF\xD8\xFF")) return Status::Corrupt("not a JPEG image");
    std::size_t offset = 2;
    while (file.size - offset >= 4 && file.data[offset] == 0xFF) {
        const unsigned marker = file.data[offset + 1];
        if (marker == 0xFF) {  // a fill byte
            ++offset;
            continue;
        }
        const std::size_t length = LoadBig16(file.data + offset + 2);
        if (marker < 0xC0 || (marker >= 0xD0 && marker <= 0xDA) || length < 2 ||
            length > file.size - offset - 2)
            break;
        if (IsFrameMarker(marker)) {
            ZARR_ASSIGN_OR_RETURN(ImageHead head, ReadJpegFrame(marker, {file.data + offset + 4,
                                                                         length - std::size_t{2}}));
            head.file = file;
            return head;
        }
        offset += 2 + length;
    }
    return Status::Corrupt("the JPEG image has no frame");
}

Result<ImageHead> ReadPngHead(ByteSpan file) {
    if (!BeginsWith(file, "\x89PNG\r\n\x1A\n") || file.size < 33 ||
        !BeginsWith(file.From(12), "IHDR") || LoadBig32(file.data + 8) != 13)
        return Status::Corrupt("not a PNG image");
    constexpr unsigned kSamples[] = {1, 0, 3, 0, 2, 0, 4};  // of each colour type
    ImageHead head;
    head.width = LoadBig32(file.data + 16);
    head.height = LoadBig32(file.data + 20);
    head.bits = file.data[24];
    ZARR_RETURN_IF_ERROR(CheckPngColours(file.data[25], head.bits));
    ZARR_RETURN_IF_ERROR(CheckPngChunks(file, 33));
    head.samples = kSamples[file.data[25]];
    head.file = file;
    return head;
}

Result<ImageHead> ReadWebpHead(ByteSpan file) {
    if (file.size < 20 || !BeginsWith(file, "RIFF") || !BeginsWith(file.From(8), "WEBP"))
        return Status::Corrupt("not a WebP image");
    ZARR_ASSIGN_OR_RETURN(ImageHead head,
                          ReadWebpChunk(file.From(12).text().substr(0, 4), file.From(20)));
    head.file = file;
    return head;
}

}  // namespace zarr_driver

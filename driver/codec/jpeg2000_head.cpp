// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/checked.h"
#include "core/base/endian.h"
#include "driver/codec/image_head.h"

namespace zarr_driver {

namespace {

using zarr::ByteSpan;
using zarr::Result;
using zarr::Status;

enum Marker : unsigned {
    kSoc = 0xFF4F,
    kCap = 0xFF50,
    kSiz = 0xFF51,
    kCod = 0xFF52,
    kCoc = 0xFF53,
    kSot = 0xFF90,
    kSod = 0xFF93,
    kEoc = 0xFFD9,
};

Status BadStream(const std::string& what) { return Status::Corrupt("JPEG 2000: " + what); }

Status IsHtj2k() {
    return Status::Unsupported("JPEG 2000: high-throughput code streams (HTJ2K) are unsupported");
}

// Reads big-endian numbers one after the other. After the end of the bytes all numbers are 0, and
// is_ok() is false.
class NumberReader {
  public:
    explicit NumberReader(ByteSpan bytes) : bytes_(bytes) {}

    std::uint32_t Read(std::size_t size) {
        is_ok_ = is_ok_ && bytes_.size - offset_ >= size;
        if (!is_ok_) return 0;
        std::uint32_t number = 0;
        for (std::size_t i = 0; i < size; ++i) number = number << 8 | bytes_.data[offset_++];
        return number;
    }
    bool is_ok() const { return is_ok_; }
    bool is_at_end() const { return offset_ == bytes_.size; }

  private:
    const ByteSpan bytes_;
    std::size_t offset_ = 0;
    bool is_ok_ = true;
};

// The size of an image and its tiles (segment SIZ).
struct StreamSize {
    ImageHead head;
    std::uint64_t tile_width = 0;
    std::uint64_t tile_height = 0;
    std::uint64_t tiles = 0;
};

Status ReadComponents(NumberReader& reader, ImageHead& head) {
    for (unsigned i = 0; i < head.samples; ++i) {
        const std::uint32_t depth = reader.Read(1);
        const bool is_subsampled = reader.Read(1) != 1 || reader.Read(1) != 1;
        if (!reader.is_ok()) return BadStream("segment SIZ is truncated");
        const unsigned bits = (depth & 0x7F) + 1;
        const bool is_signed = (depth & 0x80) != 0;
        if (is_subsampled)
            return Status::Unsupported("JPEG 2000: components with fewer pixels are unsupported");
        if (i > 0 && (bits != head.bits || is_signed != head.is_signed))
            return Status::Unsupported("JPEG 2000: components of several types are unsupported");
        head.bits = bits;
        head.is_signed = is_signed;
    }
    if (head.bits > 16 || head.bits < 2 || (head.is_signed && head.bits <= 8))
        return Status::Unsupported(std::string("JPEG 2000: ") +
                                   (head.is_signed ? "signed" : "unsigned") + " numbers of " +
                                   std::to_string(head.bits) + " bits are unsupported");
    return {};
}

Result<StreamSize> ReadSize(ByteSpan segment) {
    NumberReader reader(segment);
    if ((reader.Read(2) & 0x4000) != 0) return IsHtj2k();
    const std::uint64_t right = reader.Read(4);
    const std::uint64_t bottom = reader.Read(4);
    const std::uint64_t left = reader.Read(4);
    const std::uint64_t top = reader.Read(4);
    StreamSize size;
    size.tile_width = reader.Read(4);
    size.tile_height = reader.Read(4);
    const std::uint64_t tile_left = reader.Read(4);
    const std::uint64_t tile_top = reader.Read(4);
    size.head.samples = reader.Read(2);
    if (!reader.is_ok() || left >= right || top >= bottom || size.tile_width == 0 ||
        size.tile_height == 0 || tile_left > left || tile_top > top ||
        tile_left + size.tile_width <= left || tile_top + size.tile_height <= top)
        return BadStream("segment SIZ states an impossible size");
    if (size.head.samples < 1 || size.head.samples > 4)
        return Status::Unsupported("JPEG 2000: images of " + std::to_string(size.head.samples) +
                                   " components are unsupported");
    ZARR_RETURN_IF_ERROR(ReadComponents(reader, size.head));
    if (!reader.is_at_end()) return BadStream("segment SIZ has a wrong length");
    size.head.width = right - left;
    size.head.height = bottom - top;
    // GDAL allocates memory for a whole tile, also where it lies outside of the image.
    constexpr std::uint64_t kSmallTile = std::uint64_t{1} << 24;
    const std::uint64_t tile_pixels = zarr::SaturatingMul(size.tile_width, size.tile_height);
    if (tile_pixels >
        std::max(kSmallTile, zarr::SaturatingMul(4 * size.head.width, size.head.height)))
        return Status::Unsupported("JPEG 2000: tiles of " + std::to_string(size.tile_width) +
                                   " x " + std::to_string(size.tile_height) +
                                   " pixels are larger than the image");
    const std::uint64_t columns = (right - tile_left + size.tile_width - 1) / size.tile_width;
    const std::uint64_t rows = (bottom - tile_top + size.tile_height - 1) / size.tile_height;
    size.tiles = columns * rows;
    if (columns > 65535 || rows > 65535 || size.tiles > 65535)
        return BadStream("the image has over 65535 tiles");
    return size;
}

// Returns an error if precincts need much more memory than the pixels. OpenJPEG allocates memory
// for each precinct of each resolution, and a flag for each of its layers.
Status CheckPrecincts(NumberReader& reader, bool are_stated, unsigned levels, unsigned layers,
                      const StreamSize& size) {
    const std::uint64_t width = std::min(size.tile_width, size.head.width);
    const std::uint64_t height = std::min(size.tile_height, size.head.height);
    std::uint64_t precincts = 0;
    std::uint64_t most = 0;
    for (unsigned level = 0; level <= levels; ++level) {
        const unsigned exponents = are_stated ? reader.Read(1) : 0xFF;
        const unsigned x = exponents & 0xF;
        const unsigned y = exponents >> 4;
        if (level > 0 && (x == 0 || y == 0)) return BadStream("a precinct has no size");
        const std::uint64_t columns = (width >> (levels - level) >> x) + 2;
        const std::uint64_t rows = (height >> (levels - level) >> y) + 2;
        const std::uint64_t here = zarr::SaturatingMul(columns, rows);
        precincts = zarr::SaturatingAdd(precincts, here);
        most = std::max(most, here);
    }
    if (!reader.is_ok() || !reader.is_at_end()) return BadStream("a segment has a wrong length");
    const std::uint64_t pixels = width * height;
    const std::uint64_t flags = zarr::SaturatingMul(
        zarr::SaturatingMul(most, std::uint64_t{layers} * (levels + 1)), size.head.samples);
    if (precincts > pixels / 64 + 1024 || flags > pixels * 16 + (std::uint64_t{1} << 24))
        return Status::Unsupported("JPEG 2000: an image with " + std::to_string(precincts) +
                                   " precincts and " + std::to_string(layers) +
                                   " layers needs too much memory");
    return {};
}

// Checks how code blocks are coded: the end of the segments COD and COC.
Status CheckBlocks(NumberReader& reader, bool are_precincts_stated, unsigned layers,
                   const StreamSize& size) {
    const unsigned levels = reader.Read(1);
    const unsigned width = reader.Read(1) + 2;
    const unsigned height = reader.Read(1) + 2;
    const unsigned style = reader.Read(1);
    const unsigned wavelet = reader.Read(1);
    if ((style & 0x40) != 0) return IsHtj2k();
    if (!reader.is_ok() || levels > 32 || width > 10 || height > 10 || width + height > 12 ||
        style > 0x3F || wavelet > 1)
        return BadStream("segment COD or COC states impossible code blocks");
    return CheckPrecincts(reader, are_precincts_stated, levels, layers, size);
}

// A code stream whose marker segments are checked one after the other.
class StreamCheck {
  public:
    explicit StreamCheck(ByteSpan stream) : stream_(stream) {}

    Result<ImageHead> Run() {
        if (Number(0) != kSoc || Number(2) != kSiz) return BadStream("not a code stream");
        offset_ = 2;
        ZARR_RETURN_IF_ERROR(CheckSegments(kSot));
        while (Number(offset_) == kSot) ZARR_RETURN_IF_ERROR(CheckTilePart());
        if (Number(offset_) != kEoc) return BadStream("the code stream is truncated");
        size_->head.file = {stream_.data, offset_ + 2};
        return size_->head;
    }

  private:
    // Returns the two bytes at `offset`; 0 after the end.
    unsigned Number(std::size_t offset) const {
        if (offset > stream_.size || stream_.size - offset < 2) return 0;
        return zarr::LoadBig16(stream_.data + offset);
    }

    // Checks marker segments up to the marker `last`, at which the offset stays.
    Status CheckSegments(unsigned last) {
        for (unsigned marker = Number(offset_); marker != last; marker = Number(offset_)) {
            const std::size_t length = Number(offset_ + 2);
            if (marker < 0xFF50 || marker > 0xFF6F || length < 2 ||
                length > stream_.size - offset_ - 2)
                return BadStream("no valid marker at offset " + std::to_string(offset_));
            ZARR_RETURN_IF_ERROR(
                CheckSegment(marker, {stream_.data + offset_ + 4, length - std::size_t{2}}));
            offset_ += 2 + length;
        }
        return {};
    }

    Status CheckSegment(unsigned marker, ByteSpan segment) {
        if (marker == kCap) return IsHtj2k();
        if (marker == kSiz && size_) return BadStream("there are two segments SIZ");
        if (marker == kSiz) {
            ZARR_ASSIGN_OR_RETURN(size_, ReadSize(segment));
            return {};
        }
        NumberReader reader(segment);
        if (marker == kCod) {
            const unsigned style = reader.Read(1);
            const unsigned order = reader.Read(1);
            layers_ = reader.Read(2);
            const unsigned transform = reader.Read(1);
            if (style > 7 || order > 4 || layers_ == 0 || transform > 1 ||
                (transform == 1 && size_->head.samples < 3))
                return BadStream("segment COD is invalid");
            return CheckBlocks(reader, (style & 1) != 0, layers_, *size_);
        }
        if (marker == kCoc) {
            if (reader.Read(1) >= size_->head.samples)
                return BadStream("segment COC names a missing component");
            const unsigned style = reader.Read(1);
            return CheckBlocks(reader, (style & 1) != 0, std::max(layers_, 1U), *size_);
        }
        return {};
    }

    Status CheckTilePart() {
        const std::size_t begin = offset_;
        if (stream_.size - begin < 14 || Number(begin + 2) != 10 || layers_ == 0)
            return BadStream("a tile-part is invalid");
        NumberReader reader(stream_.From(begin + 4));
        const std::uint32_t tile = reader.Read(2);
        const std::uint64_t length = reader.Read(4);
        if (tile >= size_->tiles) return BadStream("a tile-part belongs to a missing tile");
        offset_ = begin + 12;
        ZARR_RETURN_IF_ERROR(CheckSegments(kSod));
        // Length 0 stands for all bytes up to the end of the stream, which has a marker itself.
        const std::size_t end = length == 0 ? stream_.size - 2 : begin + length;
        if (end < offset_ + 2 || end > stream_.size)
            return BadStream("a tile-part exceeds the code stream");
        offset_ = end;
        return {};
    }

    const ByteSpan stream_;
    std::size_t offset_ = 0;
    std::optional<StreamSize> size_;
    unsigned layers_ = 0;
};

// A box of a JP2 file.
struct Box {
    std::string_view type;
    ByteSpan content;
    std::size_t size = 0;  // with its header
};

Result<Box> ReadBox(ByteSpan bytes) {
    NumberReader reader(bytes);
    std::uint64_t size = reader.Read(4);
    std::size_t header = 8;
    reader.Read(4);
    if (size == 1) {
        size = std::uint64_t{reader.Read(4)} << 32;
        size |= reader.Read(4);
        header = 16;
    }
    if (size == 0) size = bytes.size;
    if (!reader.is_ok() || size < header || size > bytes.size)
        return Status::Corrupt("JP2: a box is truncated");
    return Box{bytes.text().substr(4, 4),
               {bytes.data + header, static_cast<std::size_t>(size) - header},
               static_cast<std::size_t>(size)};
}

// Returns an error if a JP2 file states that samples are no values of pixels, or colours that
// imagecodecs converts.
Status CheckColours(ByteSpan boxes) {
    while (boxes.size > 0) {
        ZARR_ASSIGN_OR_RETURN(const Box box, ReadBox(boxes));
        if (box.type == "pclr")
            return Status::Unsupported("JP2: images with a palette are unsupported");
        if (box.type == "colr") {
            NumberReader reader(box.content);
            const bool is_enumerated = reader.Read(1) == 1;
            reader.Read(2);
            const std::uint32_t colours = reader.Read(4);
            if (is_enumerated && colours != 16 && colours != 17)
                return Status::Unsupported("JP2: colours that are not grey or RGB are unsupported");
        }
        boxes = boxes.From(box.size);
    }
    return {};
}

}  // namespace

Result<ImageHead> ReadJpeg2000Head(ByteSpan file) {
    constexpr std::string_view kSignature("\0\0\0\x0CjP  \r\n\x87\n", 12);
    if (file.text().substr(0, 12) != kSignature) return StreamCheck(file).Run();
    for (ByteSpan rest = file; rest.size > 0;) {
        ZARR_ASSIGN_OR_RETURN(const Box box, ReadBox(rest));
        if (box.type == "jp2h") ZARR_RETURN_IF_ERROR(CheckColours(box.content));
        if (box.type == "jp2c") return StreamCheck(box.content).Run();
        rest = rest.From(box.size);
    }
    return Status::Corrupt("JP2: there is no code stream");
}

}  // namespace zarr_driver

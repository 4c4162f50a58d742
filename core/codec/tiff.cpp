// SPDX-License-Identifier: MIT
// imagecodecs' "imagecodecs_tiff", read-only: each chunk is a TIFF file. References made by
// tifffile and Kerchunk have such chunks. The pages of a chunk follow each other in C order.
// Numbers are decoded to the host's byte order.
//
// If samples are interleaved by pixel, the axes of a page are rows, columns and samples. Otherwise
// the axes are samples, rows and columns.
#include <tiffio.h>

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "core/base/checked.h"
#include "core/base/limits.h"
#include "core/codec/decode_only.h"
#include "core/codec/factories.h"
#include "core/json/value.h"

namespace zarr {

namespace {

// A file in memory for libtiff's callbacks, and the first error of libtiff.
struct Source {
    ByteSpan bytes;
    std::uint64_t position = 0;
    std::string error;
};

Source& SourceOf(thandle_t handle) { return *static_cast<Source*>(handle); }

tmsize_t ReadBytes(thandle_t handle, void* to, tmsize_t size) {
    Source& source = SourceOf(handle);
    const std::uint64_t at = std::min<std::uint64_t>(source.position, source.bytes.size);
    const std::size_t n = std::min(static_cast<std::size_t>(std::max<tmsize_t>(size, 0)),
                                   source.bytes.size - static_cast<std::size_t>(at));
    if (n != 0) std::memcpy(to, source.bytes.data + at, n);
    source.position = at + n;
    return static_cast<tmsize_t>(n);
}

tmsize_t WriteNothing(thandle_t /*handle*/, void* /*from*/, tmsize_t /*size*/) { return 0; }

toff_t Seek(thandle_t handle, toff_t offset, int whence) {
    Source& source = SourceOf(handle);
    if (whence == SEEK_CUR) offset += source.position;
    if (whence == SEEK_END) offset += source.bytes.size;
    return source.position = offset;
}

int CloseNothing(thandle_t /*handle*/) { return 0; }

toff_t SizeOf(thandle_t handle) { return SourceOf(handle).bytes.size; }

// libtiff takes a non-const pointer, but does not write to a file that is open for reading.
int Map(thandle_t handle, void** base, toff_t* size) {
    const ByteSpan bytes = SourceOf(handle).bytes;
    *base = const_cast<std::uint8_t*>(bytes.data);
    *size = bytes.size;
    return 1;
}

void UnmapNothing(thandle_t /*handle*/, void* /*base*/, toff_t /*size*/) {}

// Stores only the first error of libtiff, because later errors follow from it.
int KeepError(TIFF* /*tiff*/, void* user, const char* /*module*/, const char* format,
              va_list arguments) {
    std::string& error = static_cast<Source*>(user)->error;
    char text[512];
    if (error.empty() && std::vsnprintf(text, sizeof text, format, arguments) >= 0) error = text;
    return 1;
}

int DropWarning(TIFF* /*tiff*/, void* /*user*/, const char* /*module*/, const char* /*format*/,
                va_list /*arguments*/) {
    return 1;
}

struct CloseTiff {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
using TiffPtr = std::unique_ptr<TIFF, CloseTiff>;

Status Failed(const Source& source, const char* otherwise) {
    return Status::Corrupt("libtiff: " + (source.error.empty() ? otherwise : source.error));
}

// Opens a TIFF file. `source` must outlive the result. libtiff reads nothing outside of `source`,
// and no single allocation exceeds the maximum chunk size.
Result<TiffPtr> OpenTiff(Source& source) {
    struct FreeOptions {
        void operator()(TIFFOpenOptions* options) const { TIFFOpenOptionsFree(options); }
    };
    const std::unique_ptr<TIFFOpenOptions, FreeOptions> options(TIFFOpenOptionsAlloc());
    if (options == nullptr) return Status::OutOfMemory("libtiff is out of memory");
    TIFFOpenOptionsSetMaxSingleMemAlloc(
        options.get(),
        static_cast<tmsize_t>(std::min<std::uint64_t>(LimitOf(Limit::kChunkSize), INT64_MAX / 2)));
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), KeepError, &source);
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), DropWarning, nullptr);
    TiffPtr tiff(TIFFClientOpenExt("chunk", "r", &source, ReadBytes, WriteNothing, Seek,
                                   CloseNothing, SizeOf, Map, UnmapNothing, options.get()));
    if (tiff == nullptr) return Failed(source, "not a TIFF file");
    return tiff;
}

// Properties of a page that determine the layout of its pixels.
struct Page {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint16_t samples = 1;
    std::uint16_t bits = 1;  // bits of a sample
    std::uint16_t format = SAMPLEFORMAT_UINT;
    bool is_planar = false;  // true if each sample is a separate plane

    // True if `other` has the shape and type of this page, so that both can be in one series.
    bool IsLike(const Page& other) const {
        return width == other.width && height == other.height && samples == other.samples &&
               bits == other.bits && format == other.format && is_planar == other.is_planar;
    }
    std::size_t pixel_bytes() const { return std::size_t{bits} / 8 * (is_planar ? 1 : samples); }
    std::size_t row_bytes() const { return SaturatingMul(pixel_bytes(), width); }
    std::size_t plane_bytes() const { return SaturatingMul(row_bytes(), height); }
    unsigned planes() const { return is_planar ? samples : 1; }
    std::size_t bytes() const { return SaturatingMul(plane_bytes(), planes()); }
};

Result<Page> ReadPage(TIFF* tiff, const Source& source) {
    Page page;
    std::uint16_t planar = PLANARCONFIG_CONTIG;
    std::uint16_t photometric = PHOTOMETRIC_MINISBLACK;
    std::uint16_t compression = COMPRESSION_NONE;
    if (TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &page.width) == 0 ||
        TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &page.height) == 0)
        return Failed(source, "a page has no width or no length");
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &page.samples);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &page.bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &page.format);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric);
    page.is_planar = planar == PLANARCONFIG_SEPARATE && page.samples > 1;
    if (page.bits == 0 || page.bits % 8 != 0)
        return Status::Unsupported("samples of " + std::to_string(page.bits) +
                                   " bits are unsupported");
    if (compression == COMPRESSION_JPEG && photometric == PHOTOMETRIC_YCBCR)
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    return page;
}

Status ReadStrips(TIFF* tiff, const Page& page, std::uint8_t* to, const Source& source) {
    std::uint32_t rows = page.height;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &rows);
    rows = std::min(rows, page.height);
    if (rows == 0) return Status::Corrupt("a page has strips without rows");
    std::uint32_t strip = 0;
    for (unsigned plane = 0; plane < page.planes(); ++plane)
        for (std::uint32_t y = 0; y < page.height; ++strip) {
            const std::uint32_t n = std::min(rows, page.height - y);
            const auto size = static_cast<tmsize_t>(page.row_bytes() * n);
            if (TIFFReadEncodedStrip(tiff, strip, to, size) != size)
                return Failed(source, "a strip is incomplete");
            to += size;
            y += n;
        }
    return {};
}

Status ReadTiles(TIFF* tiff, const Page& page, std::uint8_t* to, const Source& source) {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_TILELENGTH, &height);
    const std::size_t row = SaturatingMul(page.pixel_bytes(), width);
    const std::size_t size = SaturatingMul(row, height);
    if (size == 0 || TIFFTileSize(tiff) != static_cast<tmsize_t>(size))
        return Failed(source, "the tile size of a page does not match its pixel type");
    if (size > LimitOf(Limit::kChunkSize))
        return OverLimit(Limit::kChunkSize, "a tile has " + std::to_string(size) + " bytes");
    Buffer tile;
    ZARR_RETURN_IF_ERROR(tile.Reset(size));
    for (unsigned plane = 0; plane < page.planes(); ++plane, to += page.plane_bytes())
        for (std::uint32_t y = 0; y < page.height; y += std::min(height, page.height - y))
            for (std::uint32_t x = 0; x < page.width; x += std::min(width, page.width - x)) {
                if (TIFFReadTile(tiff, tile.data(), x, y, 0, static_cast<std::uint16_t>(plane)) !=
                    static_cast<tmsize_t>(size))
                    return Failed(source, "a tile is incomplete");
                const std::size_t rows = std::min(height, page.height - y);
                const std::size_t bytes = std::min(width, page.width - x) * page.pixel_bytes();
                for (std::size_t i = 0; i < rows; ++i)
                    std::memcpy(to + (y + i) * page.row_bytes() + x * page.pixel_bytes(),
                                tile.data() + i * row, bytes);
            }
    return {};
}

Status ReadPixels(TIFF* tiff, const Page& page, std::uint8_t* to, const Source& source) {
    return TIFFIsTiled(tiff) != 0 ? ReadTiles(tiff, page, to, source)
                                  : ReadStrips(tiff, page, to, source);
}

bool IsLike(TIFF* tiff, const Page& first) {
    const auto page = ReadPage(tiff, {});
    return page.ok() && page->IsLike(first);
}

// Returns the count of consecutive pages with the shape and type of `first`, from the current page
// on; at most `most`.
std::size_t CountPages(TIFF* tiff, const Page& first, std::size_t most) {
    std::size_t count = 1;
    while (count < most && TIFFReadDirectory(tiff) != 0)
        if (IsLike(tiff, first)) ++count;
    return count;
}

class Tiff final : public DecodeOnly {
  public:
    // Decodes only page `index`. If `index` is nullopt, decodes every page that has the shape and
    // type of the first page.
    explicit Tiff(std::optional<std::uint32_t> index) : DecodeOnly("TIFF chunks"), index_(index) {}

    SizeBound EncodedSize(SizeBound decoded) const override {
        // The bound is at least the maximum chunk size, because a TIFF file may have metadata, and
        // more pages than the chunk needs.
        return {std::max<std::size_t>(decoded.max, LimitOf(Limit::kChunkSize)), false};
    }

    Status Decode(ByteSpan encoded, Output& decoded) const override {
        Source source;
        source.bytes = encoded;
        ZARR_ASSIGN_OR_RETURN(const TiffPtr tiff, OpenTiff(source));
        if (index_ && TIFFSetDirectory(tiff.get(), static_cast<tdir_t>(*index_)) == 0)
            return Status::Corrupt("index: there is no page " + std::to_string(*index_));
        ZARR_ASSIGN_OR_RETURN(const Page first, ReadPage(tiff.get(), source));
        const std::size_t pages = index_ ? 1 : CountPages(tiff.get(), first, encoded.size);
        ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room,
                              decoded.Prepare(SaturatingMul(first.bytes(), pages)));
        if (!index_ && TIFFSetDirectory(tiff.get(), 0) == 0)
            return Failed(source, "the first page cannot be read again");
        std::uint8_t* to = room.data;
        ZARR_RETURN_IF_ERROR(ReadPixels(tiff.get(), first, to, source));
        for (std::size_t i = 1; i < pages;) {
            if (TIFFReadDirectory(tiff.get()) == 0)
                return Failed(source, "a page cannot be read again");
            if (!IsLike(tiff.get(), first)) continue;
            to += first.bytes();
            ++i;
            ZARR_RETURN_IF_ERROR(ReadPixels(tiff.get(), first, to, source));
        }
        return {};
    }

  private:
    const std::optional<std::uint32_t> index_;
};

}  // namespace

CodecResult MakeTiff(const json::Value& config, const CodecContext& /*context*/) {
    const json::Value* const as_rgb = config.Find("asrgb");
    if (as_rgb != nullptr && as_rgb->as_bool() != nullptr && *as_rgb->as_bool())
        return Status::Unsupported("asrgb: conversion to RGB is unsupported");
    std::optional<std::uint32_t> index;
    if (const json::Value* const member = config.Find("index");
        member != nullptr && !member->is_null()) {
        std::uint64_t number = 0;
        if (!member->GetUint64(number) || number > UINT16_MAX)
            return json::Expected("index", "the number of a page, or null", *member);
        index = static_cast<std::uint32_t>(number);
    }
    return std::unique_ptr<Codec>(std::make_unique<Tiff>(index));
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
#include "driver/codec/image_codec.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/checked.h"
#include "core/base/endian.h"
#include "core/base/limits.h"
#include "driver/codec/image_encoding.h"
#include "driver/codec/image_formats.h"
#include "driver/codec/memory_image.h"

namespace zarr_driver {

namespace {

using zarr::ByteSpan;
using zarr::DataKind;
using zarr::Result;
using zarr::Status;
using Shape = std::vector<std::uint64_t>;

// Returns `shape` without dimensions of one element.
Shape Squeezed(Shape shape) {
    shape.erase(std::remove(shape.begin(), shape.end(), std::uint64_t{1}), shape.end());
    return shape;
}

// How the chunks of an array are written.
struct ChunkWriting {
    ImageShape shape;
    CPLStringList driver_options;
};

Result<ChunkWriting> PlanWriting(const ImageFormat& format, const zarr::json::Value& options,
                                 const zarr::CodecContext& context) {
    const ImageEncoding* const encoding = FindImageEncoding(format.id);
    if (encoding == nullptr)
        return Status::Unsupported(std::string("writing ") + format.name + " is unsupported");
    ZARR_RETURN_IF_ERROR(RequireWriters(format.driver));
    if (context.is_flat)
        return Status::Unsupported(std::string("writing ") + format.name +
                                   " is unsupported after a filter that changes the shape");
    if (context.dtype.kind != DataKind::kUint)
        return Status::Unsupported(std::string("writing ") + format.name +
                                   " is unsupported for numbers of type " +
                                   context.dtype.ToString());
    ChunkWriting writing;
    ZARR_ASSIGN_OR_RETURN(writing.shape, ShapeToWrite(format, *encoding, context.chunk_shape));
    ZARR_ASSIGN_OR_RETURN(writing.driver_options,
                          encoding->driver_options(options, writing.shape.samples));
    return writing;
}

// Each chunk is an image file of one format, which GDAL decodes to numbers in the host's byte
// order. The axes are rows, columns and samples, or samples, rows and columns.
class ImageCodec final : public zarr::Codec {
  public:
    ImageCodec(const ImageFormat& format, ImageSettings settings, const zarr::json::Value& options,
               zarr::CodecContext context)
        : format_(format),
          settings_(std::move(settings)),
          context_(std::move(context)),
          writing_(PlanWriting(format, options, context_)) {}

    zarr::SizeBound EncodedSize(zarr::SizeBound decoded) const override {
        // The bound is at least the maximum chunk size, because a file may have metadata.
        return {std::max<std::size_t>(decoded.max, zarr::LimitOf(zarr::Limit::kChunkSize)), false};
    }

    Status Decode(ByteSpan encoded, zarr::Output& decoded) const override {
        ZARR_ASSIGN_OR_RETURN(ImageHead head, format_.read_head(encoded));
        if (head.width != 0) ZARR_RETURN_IF_ERROR(CheckHead(head, decoded.limit()));
        zarr::Buffer complete;
        if (!settings_.jpeg_tables.empty() || (settings_.is_jpeg_rgb && head.samples == 3)) {
            ZARR_RETURN_IF_ERROR(CompleteJpeg(head.file, settings_, complete));
            head.file = std::as_const(complete).span();
        }
        ZARR_ASSIGN_OR_RETURN(const std::unique_ptr<MemoryImage> image,
                              MemoryImage::Open(head.file, format_.driver));
        ZARR_RETURN_IF_ERROR(CheckImage(image->dataset(), head, decoded.limit()));
        return Read(*image, head, decoded);
    }

    Status CheckWritable(zarr::SizeBound /*decoded*/) const override { return writing_.status(); }

    Status Encode(ByteSpan decoded, zarr::Buffer& encoded) const override {
        ZARR_RETURN_IF_ERROR(writing_.status());
        return WriteImage(format_.driver, writing_->driver_options, writing_->shape,
                          static_cast<unsigned>(context_.dtype.size), decoded, encoded);
    }

  private:
    // Returns the number of samples of the decoded image. If the options state an alpha channel, a
    // file without one is opaque.
    unsigned DecodedSamples(const ImageHead& head) const {
        if (!settings_.has_alpha) return head.samples;
        return *settings_.has_alpha ? 4 : 3;
    }

    // Checks that the decoded image has exactly the shape and type of the chunk.
    Status CheckHead(const ImageHead& head, std::size_t most) const {
        const DataKind kind = head.is_signed ? DataKind::kInt : DataKind::kUint;
        if (!context_.is_flat &&
            (context_.dtype.size != head.sample_bytes() || context_.dtype.kind != kind))
            return Status::Corrupt(std::string("the ") + format_.name + " image has " +
                                   (head.is_signed ? "signed" : "unsigned") + " samples of " +
                                   std::to_string(head.bits) + " bits, the array has the type " +
                                   context_.dtype.ToString());
        const unsigned samples = DecodedSamples(head);
        const Shape shape = settings_.is_planar ? Shape{samples, head.height, head.width}
                                                : Shape{head.height, head.width, samples};
        const std::size_t bytes = zarr::SaturatingMul(zarr::SaturatingMul(head.height, head.width),
                                                      std::uint64_t{samples} * head.sample_bytes());
        const bool fits =
            context_.is_flat ? bytes <= most : Squeezed(shape) == Squeezed(context_.chunk_shape);
        if (!fits || bytes > most || head.height > INT32_MAX || head.width > INT32_MAX)
            return Status::Corrupt(std::string("the ") + format_.name + " image has the shape " +
                                   ShapeText(shape) + ", the chunk " +
                                   ShapeText(context_.chunk_shape));
        return {};
    }

    // Checks that GDAL sees the image that `head` states. Completes a head without a size.
    Status CheckImage(GDALDataset& image, ImageHead& head, std::size_t most) const {
        const int bands = image.GetRasterCount();
        const GDALDataType type =
            bands > 0 ? image.GetRasterBand(1)->GetRasterDataType() : GDT_Unknown;
        ImageHead seen = head;
        seen.width = static_cast<std::uint64_t>(image.GetRasterXSize());
        seen.height = static_cast<std::uint64_t>(image.GetRasterYSize());
        seen.samples = static_cast<unsigned>(bands);
        if (head.width == 0) {
            if (type != GDT_Byte && type != GDT_UInt16)
                return Status::Unsupported("only images of 8 or 16 bits are supported");
            seen.bits = type == GDT_Byte ? 8 : 16;
            ZARR_RETURN_IF_ERROR(CheckHead(seen, most));
            head = seen;
        }
        if (seen.width != head.width || seen.height != head.height ||
            seen.samples != head.samples || type != TypeOf(head))
            return Status::Corrupt(std::string("GDAL's driver ") + format_.driver +
                                   " decodes another shape or type than the head of the image "
                                   "states");
        return {};
    }

    static GDALDataType TypeOf(const ImageHead& head) {
        if (head.sample_bytes() == 1) return GDT_Byte;
        return head.is_signed ? GDT_Int16 : GDT_UInt16;
    }

    Status Read(MemoryImage& image, const ImageHead& head, zarr::Output& decoded) const {
        const std::size_t sample = head.sample_bytes();
        const unsigned samples = DecodedSamples(head);
        const std::size_t plane = head.width * head.height * sample;
        ZARR_ASSIGN_OR_RETURN(const zarr::MutableByteSpan room, decoded.Prepare(plane * samples));
        const std::size_t pixel = settings_.is_planar ? sample : sample * samples;
        const std::size_t line = pixel * head.width;
        if (samples > head.samples) std::fill_n(room.data, room.size, std::uint8_t{0xFF});
        const auto bands = static_cast<int>(std::min(samples, head.samples));
        return image.Read(room.data, TypeOf(head), bands, static_cast<GSpacing>(pixel),
                          static_cast<GSpacing>(line),
                          static_cast<GSpacing>(settings_.is_planar ? plane : sample));
    }

    const ImageFormat& format_;
    const ImageSettings settings_;
    const zarr::CodecContext context_;
    const Result<ChunkWriting> writing_;
};

// Returns an error if no image has the type and layout of the items that `context` describes.
Status CheckItems(const ImageFormat& format, const zarr::CodecContext& context) {
    if (context.is_flat) return {};
    const zarr::DataType& type = context.dtype;
    const bool is_integer = type.kind == DataKind::kUint || type.kind == DataKind::kInt;
    if (!is_integer || type.size > format.max_sample_bytes ||
        type.narrow != zarr::NarrowType::kNone)
        return Status::Corrupt(std::string(format.name) + " images have no numbers of type " +
                               type.ToString());
    const bool is_big = type.order == zarr::ByteOrder::kBig;
    if (type.size > 1 && is_big == zarr::HostIsLittleEndian())
        return Status::Unsupported("images are decoded to the byte order of the computer, which " +
                                   type.ToString() + " is not");
    if (!context.axis_order.is_row_major(context.chunk_shape.size()))
        return Status::Unsupported("images are supported in the memory order C only");
    return {};
}

}  // namespace

Result<std::unique_ptr<zarr::Codec>> MakeImageCodec(std::string_view id,
                                                    const zarr::json::Value& options,
                                                    const zarr::CodecContext& context) {
    const ImageFormat& format = ImageFormatOf(id);
    ZARR_ASSIGN_OR_RETURN(ImageSettings settings, format.read_settings(options));
    ZARR_RETURN_IF_ERROR(CheckItems(format, context));
    ZARR_RETURN_IF_ERROR(RequireDriver(format.driver));
    return std::unique_ptr<zarr::Codec>(
        std::make_unique<ImageCodec>(format, std::move(settings), options, context));
}

}  // namespace zarr_driver

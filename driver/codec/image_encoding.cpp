// SPDX-License-Identifier: MIT
#include "driver/codec/image_encoding.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_vsi.h>
#include <gdal_priv.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "driver/codec/image_scope.h"

namespace zarr_driver {

namespace {

using zarr::ByteSpan;
using zarr::Result;
using zarr::Status;
using zarr::json::Value;

// Name of GDAL's driver for rasters in memory, from which other drivers write.
constexpr const char* kMemoryDriver = "MEM";

// Returns the number `key` of the options, or `preset` if it is not given.
Result<double> NumberToWrite(const Value& options, std::string_view key, double preset,
                             double least, double most) {
    const Value* const member = StatedMember(options, key);
    double number = preset;
    if (member != nullptr && (!member->GetDouble(number) || !(number >= least && number <= most)))
        return zarr::json::Expected(key, CPLSPrintf("a number from %g to %g, or null", least, most),
                                    *member);
    return number;
}

// Returns an error if the options have one of the members `names`, which change how pixels are
// stored in a way that GDAL's driver does not have.
Status ExpectNone(const Value& options, const std::vector<std::string_view>& names) {
    for (const std::string_view name : names) {
        const Value* const member = StatedMember(options, name);
        if (member == nullptr || (member->as_bool() != nullptr && !*member->as_bool())) continue;
        return Status::Unsupported("writing with the option " + std::string(name) +
                                   " is unsupported");
    }
    return {};
}

Result<CPLStringList> JpegDriverOptions(const Value& options, std::uint64_t samples) {
    ZARR_RETURN_IF_ERROR(ExpectNone(options, {"tables", "header", "lossless", "predictor",
                                              "smoothing", "colorspace_data", "colorspace_jpeg"}));
    // imagecodecs' default
    ZARR_ASSIGN_OR_RETURN(const double quality, NumberToWrite(options, "level", 95, 1, 100));
    const Value* const subsampling = StatedMember(options, "subsampling");
    const bool is_usual =
        subsampling == nullptr || samples == 1 ||
        (subsampling->as_string() != nullptr && *subsampling->as_string() == "420");
    if (!is_usual) return zarr::json::Expected("subsampling", "420 or null", *subsampling);
    CPLStringList list;
    list.SetNameValue("QUALITY", CPLSPrintf("%d", static_cast<int>(quality)));
    list.SetNameValue("INTERNAL_MASK", "NO");
    return list;
}

Result<CPLStringList> PngDriverOptions(const Value& options, std::uint64_t /*samples*/) {
    // zlib's default
    ZARR_ASSIGN_OR_RETURN(const double level, NumberToWrite(options, "level", 6, 0, 9));
    CPLStringList list;
    list.SetNameValue("ZLEVEL", CPLSPrintf("%d", std::max(1, static_cast<int>(level))));
    return list;
}

Result<CPLStringList> WebpDriverOptions(const Value& options, std::uint64_t samples) {
    ZARR_ASSIGN_OR_RETURN(const double quality, NumberToWrite(options, "level", 75, 0, 100));
    const Value* const lossless = StatedMember(options, "lossless");
    if (lossless != nullptr && lossless->as_bool() == nullptr)
        return zarr::json::Expected("lossless", "true, false or null", *lossless);
    // A file of opaque pixels states no alpha channel.
    const Value* const alpha = StatedMember(options, "hasalpha");
    const bool has_alpha = alpha != nullptr && alpha->as_bool() != nullptr && *alpha->as_bool();
    if (has_alpha != (samples == 4))
        return Status::Unsupported(std::string("hasalpha: images of ") + std::to_string(samples) +
                                   " samples are written only if it is " +
                                   (samples == 4 ? "true" : "not true"));
    CPLStringList list;
    list.SetNameValue("QUALITY", CPLSPrintf("%.17g", quality));
    // Without "lossless" imagecodecs writes lossless images. Colours stay where alpha is 0.
    if (lossless == nullptr || *lossless->as_bool()) {
        list.SetNameValue("LOSSLESS", "YES");
        list.SetNameValue("EXACT", "1");
    }
    return list;
}

constexpr ImageEncoding kEncodings[] = {
    {"imagecodecs_jpeg", "1 or 3", 65500, JpegDriverOptions},
    {"imagecodecs_png", "1, 2, 3 or 4", 1000000, PngDriverOptions},
    {"imagecodecs_webp", "3 or 4", 16383, WebpDriverOptions},
};

bool AllowsSamples(const ImageEncoding& encoding, std::uint64_t samples) {
    return samples < 10 &&
           std::strchr(encoding.samples, static_cast<int>('0' + samples)) != nullptr;
}

// Returns a raster of GDAL that shows `pixels`. Returns nullptr if GDAL cannot make it.
std::unique_ptr<GDALDataset> ShowPixels(const ImageShape& shape, unsigned sample_bytes,
                                        ByteSpan pixels) {
    GDALDriver* const driver = GetGDALDriverManager()->GetDriverByName(kMemoryDriver);
    if (driver == nullptr) return nullptr;
    const GDALDataType type = sample_bytes == 1 ? GDT_Byte : GDT_UInt16;
    std::unique_ptr<GDALDataset> shown(driver->Create(
        "", static_cast<int>(shape.columns), static_cast<int>(shape.rows), 0, type, nullptr));
    const std::uint64_t pixel_bytes = shape.samples * sample_bytes;
    for (std::uint64_t i = 0; shown != nullptr && i < shape.samples; ++i) {
        char address[64] = {};
        // GDAL takes a non-const pointer, but a copy only reads from it.
        auto* const first = const_cast<std::uint8_t*>(pixels.data) + i * sample_bytes;
        address[CPLPrintPointer(address, first, sizeof(address) - 1)] = '\0';
        CPLStringList band;
        band.SetNameValue("DATAPOINTER", address);
        band.SetNameValue("PIXELOFFSET", std::to_string(pixel_bytes).c_str());
        band.SetNameValue("LINEOFFSET", std::to_string(pixel_bytes * shape.columns).c_str());
        if (shown->AddBand(type, band.List()) != CE_None) return nullptr;
    }
    return shown;
}

}  // namespace

const ImageEncoding* FindImageEncoding(std::string_view id) {
    const auto* const found =
        std::find_if(std::begin(kEncodings), std::end(kEncodings),
                     [&](const ImageEncoding& encoding) { return encoding.id == id; });
    return found != std::end(kEncodings) ? found : nullptr;
}

Result<ImageShape> ShapeToWrite(const ImageFormat& format, const ImageEncoding& encoding,
                                const std::vector<std::uint64_t>& chunk_shape) {
    std::vector<std::uint64_t> sizes = chunk_shape;
    while (sizes.size() > 3 && sizes.front() == 1) sizes.erase(sizes.begin());
    if (sizes.size() != 3 || !AllowsSamples(encoding, sizes[2])) {
        sizes.erase(std::remove(sizes.begin(), sizes.end(), std::uint64_t{1}), sizes.end());
        while (sizes.size() < 2) sizes.insert(sizes.begin(), 1);
    }
    if (sizes.size() == 2) sizes.push_back(1);
    const std::string text = ShapeText(chunk_shape);
    if (sizes.size() != 3 || !AllowsSamples(encoding, sizes[2]))
        return Status::Unsupported(std::string(format.name) + " images have " + encoding.samples +
                                   " samples, which are the last dimension of a chunk; chunks of " +
                                   text + " do not fit");
    const ImageShape shape = {sizes[0], sizes[1], sizes[2]};
    if (std::max(shape.rows, shape.columns) > encoding.largest_side)
        return Status::Unsupported(std::string(format.name) + " images have at most " +
                                   std::to_string(encoding.largest_side) +
                                   " rows and columns; chunks of " + text + " do not fit");
    return shape;
}

Status RequireWriters(const char* driver) {
    for (const char* const name : {driver, kMemoryDriver}) {
        GDALDriver* const found = GetGDALDriverManager()->GetDriverByName(name);
        const bool is_writer =
            found != nullptr && (found->GetMetadataItem(GDAL_DCAP_CREATECOPY) != nullptr ||
                                 found->GetMetadataItem(GDAL_DCAP_CREATE) != nullptr);
        if (!is_writer)
            return Status::Unsupported(std::string("writing needs GDAL's driver ") + name +
                                       " with its writer, which this GDAL lacks or skips; install "
                                       "it, or remove it from GDAL_SKIP");
    }
    return {};
}

Status WriteImage(const char* driver, const CPLStringList& driver_options, const ImageShape& shape,
                  unsigned sample_bytes, ByteSpan pixels, zarr::Buffer& encoded) {
    ZARR_RETURN_IF_ERROR(RequireWriters(driver));
    if (pixels.size != shape.rows * shape.columns * shape.samples * sample_bytes)
        return Status::Corrupt("the chunk has another size than its image");
    const ImageScope scope(driver);
    const NoFlush no_flush;
    const std::unique_ptr<GDALDataset> shown = ShowPixels(shape, sample_bytes, pixels);
    if (shown == nullptr) return Status::OutOfMemory("GDAL's driver MEM cannot show the pixels");
    const std::string name = SecretImageName();
    CPLStringList options(driver_options);
    // Nothing has this name. Looking for a file to delete would ask all drivers of GDAL.
    options.SetNameValue("QUIET_DELETE_ON_CREATE_COPY", "NO");
    CPLErrorReset();
    std::unique_ptr<GDALDataset> written(
        GetGDALDriverManager()->GetDriverByName(driver)->CreateCopy(
            name.c_str(), shown.get(), FALSE, options.List(), GDALDummyProgress, nullptr));
    const bool is_written = written != nullptr;
    written.reset();
    vsi_l_offset size = 0;
    const std::unique_ptr<GByte, decltype(&VSIFree)> file(
        VSIGetMemFileBuffer(name.c_str(), &size, TRUE), VSIFree);
    if (!is_written || file == nullptr || CPLGetLastErrorType() == CE_Failure)
        return scope.Failed("it cannot write the image");
    return encoded.Assign({file.get(), static_cast<std::size_t>(size)});
}

}  // namespace zarr_driver

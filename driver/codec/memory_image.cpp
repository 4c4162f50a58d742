// SPDX-License-Identifier: MIT
#include "driver/codec/memory_image.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_vsi.h>

#include <array>
#include <cstdint>
#include <random>

namespace zarr_driver {

namespace {

struct OptionOfThread {
    const char* name;
    const char* value;
};

// Configuration options of GDAL that decoding needs. Chunks are decoded in parallel already. A
// damaged JPEG image is an error. GRIB values keep their units and their columns.
constexpr OptionOfThread kOptions[] = {
    {"GDAL_PAM_ENABLED", "NO"},
    {"GDAL_NUM_THREADS", "1"},
    {"GDAL_ERROR_ON_LIBJPEG_WARNING", "YES"},
    {"GDAL_JPEG_TO_RGB", "YES"},
    {"GRIB_NORMALIZE_UNITS", "NO"},
    {"GRIB_ADJUST_LONGITUDE_RANGE", "NO"},
};

// Returns a name of a file in memory that no other code of the process can guess.
std::string SecretName() {
    std::random_device random;
    std::string name = "/vsimem/zarr_chunk_";
    for (int i = 0; i < 4; ++i) name += CPLSPrintf("%08x", static_cast<unsigned>(random()));
    return name;
}

// Prevents that reading blocks of an image flushes changed blocks of other datasets. A flush would
// wait for a store that itself waits for this image.
class NoFlush {
  public:
    NoFlush() { GDALRasterBlock::EnterDisableDirtyBlockFlush(); }
    ~NoFlush() { GDALRasterBlock::LeaveDisableDirtyBlockFlush(); }
    NoFlush(const NoFlush&) = delete;
    NoFlush& operator=(const NoFlush&) = delete;
};

}  // namespace

zarr::Status RequireDriver(const char* driver) {
    GDALDriver* const found = GetGDALDriverManager()->GetDriverByName(driver);
    if (found != nullptr && found->GetMetadataItem(GDAL_DCAP_RASTER) != nullptr) return {};
    return zarr::Status::Unsupported(std::string("GDAL's driver ") + driver +
                                     " decodes it, which this GDAL lacks or skips; install it, or "
                                     "remove it from GDAL_SKIP");
}

MemoryImage::MemoryImage(const char* driver) : driver_(driver) {
    for (const OptionOfThread& option : kOptions)
        options_.push_back(
            std::make_unique<CPLConfigOptionSetter>(option.name, option.value, false));
}

MemoryImage::~MemoryImage() { dataset_.reset(); }

zarr::Status MemoryImage::Failed(const char* otherwise) const {
    const std::string message = QuietErrors::Message();
    return zarr::Status::Corrupt(std::string("GDAL's driver ") + driver_ + ": " +
                                 (message.empty() ? otherwise : message));
}

zarr::Result<std::unique_ptr<MemoryImage>> MemoryImage::Open(zarr::ByteSpan file,
                                                             const char* driver) {
    ZARR_RETURN_IF_ERROR(RequireDriver(driver));
    std::unique_ptr<MemoryImage> image(new MemoryImage(driver));
    const std::string name = SecretName();
    // GDAL takes a non-const pointer, but does not write to a file that is open for reading.
    VSILFILE* const opened = VSIFileFromMemBuffer(name.c_str(), const_cast<GByte*>(file.data),
                                                  static_cast<vsi_l_offset>(file.size), FALSE);
    if (opened == nullptr) return zarr::Status::OutOfMemory("no file in memory can be made");
    VSIFCloseL(opened);
    const std::array<const char*, 2> drivers = {driver, nullptr};
    const std::array<const char*, 1> siblings = {nullptr};
    image->dataset_.reset(GDALDataset::Open(name.c_str(),
                                            GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_INTERNAL,
                                            drivers.data(), nullptr, siblings.data()));
    // The open dataset keeps the bytes, whose name is not needed again.
    VSIUnlink(name.c_str());
    if (image->dataset_ == nullptr) return image->Failed("it rejects the file");
    return image;
}

zarr::Status MemoryImage::Read(std::uint8_t* to, GDALDataType type, GSpacing pixel_space,
                               GSpacing line_space, GSpacing band_space) {
    const NoFlush no_flush;
    CPLErrorReset();
    const int width = dataset_->GetRasterXSize();
    const int height = dataset_->GetRasterYSize();
    if (dataset_->RasterIO(GF_Read, 0, 0, width, height, to, width, height, type,
                           dataset_->GetRasterCount(), nullptr, pixel_space, line_space, band_space,
                           nullptr) != CE_None ||
        CPLGetLastErrorType() == CE_Failure)
        return Failed("it cannot decode the pixels");
    return {};
}

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#include "driver/codec/memory_image.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_vsi.h>

#include <array>
#include <cstdint>

namespace zarr_driver {

MemoryImage::MemoryImage(const char* driver) : scope_(driver) {}

zarr::Result<std::unique_ptr<MemoryImage>> MemoryImage::Open(zarr::ByteSpan file,
                                                             const char* driver) {
    ZARR_RETURN_IF_ERROR(RequireDriver(driver));
    std::unique_ptr<MemoryImage> image(new MemoryImage(driver));
    const std::string name = SecretImageName();
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
    if (image->dataset_ == nullptr) return image->scope_.Failed("it rejects the file");
    return image;
}

zarr::Status MemoryImage::Read(std::uint8_t* to, GDALDataType type, int bands, GSpacing pixel_space,
                               GSpacing line_space, GSpacing band_space) {
    const NoFlush no_flush;
    CPLErrorReset();
    const int width = dataset_->GetRasterXSize();
    const int height = dataset_->GetRasterYSize();
    if (dataset_->RasterIO(GF_Read, 0, 0, width, height, to, width, height, type, bands, nullptr,
                           pixel_space, line_space, band_space, nullptr) != CE_None ||
        CPLGetLastErrorType() == CE_Failure)
        return scope_.Failed("it cannot decode the pixels");
    return {};
}

}  // namespace zarr_driver

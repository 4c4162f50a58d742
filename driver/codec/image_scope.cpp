// SPDX-License-Identifier: MIT
#include "driver/codec/image_scope.h"

#include <gdal_priv.h>

#include <random>

namespace zarr_driver {

namespace {

struct OptionOfThread {
    const char* name;
    const char* value;
};

// Configuration options of GDAL that reading and writing images need. Chunks are handled in
// parallel already. A damaged JPEG image is an error. GRIB values keep their units and their
// columns.
constexpr OptionOfThread kOptions[] = {
    {"GDAL_PAM_ENABLED", "NO"},
    {"GDAL_NUM_THREADS", "1"},
    {"GDAL_ERROR_ON_LIBJPEG_WARNING", "YES"},
    {"GDAL_JPEG_TO_RGB", "YES"},
    {"GDAL_JPEG_MAX_ALLOWED_SCAN_NUMBER", "100"},
    {"OPJ_NUM_THREADS", "1"},
    {"GDAL_VALIDATE_CREATION_OPTIONS", "NO"},
    {"GRIB_NORMALIZE_UNITS", "NO"},
    {"GRIB_ADJUST_LONGITUDE_RANGE", "NO"},
};

}  // namespace

zarr::Status RequireDriver(const char* driver) {
    GDALDriver* const found = GetGDALDriverManager()->GetDriverByName(driver);
    if (found != nullptr && found->GetMetadataItem(GDAL_DCAP_RASTER) != nullptr) return {};
    return zarr::Status::Unsupported(std::string("GDAL's driver ") + driver +
                                     " decodes it, which this GDAL lacks or skips; install it, or "
                                     "remove it from GDAL_SKIP");
}

std::string SecretImageName() {
    std::random_device random;
    std::string name = "/vsimem/zarr_chunk_";
    for (int i = 0; i < 4; ++i) name += CPLSPrintf("%08x", static_cast<unsigned>(random()));
    return name;
}

ImageScope::ImageScope(const char* driver) : driver_(driver) {
    for (const OptionOfThread& option : kOptions)
        options_.push_back(
            std::make_unique<CPLConfigOptionSetter>(option.name, option.value, false));
}

zarr::Status ImageScope::Failed(const char* otherwise) const {
    const std::string message = QuietErrors::Message();
    return zarr::Status::Corrupt(std::string("GDAL's driver ") + driver_ + ": " +
                                 (message.empty() ? otherwise : message));
}

NoFlush::NoFlush() { GDALRasterBlock::EnterDisableDirtyBlockFlush(); }
NoFlush::~NoFlush() { GDALRasterBlock::LeaveDisableDirtyBlockFlush(); }

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <cstdint>
#include <optional>

#include "core/base/status.h"

namespace zarr_driver {

// Copies the pixels of a band to a band that may store the same values by another scale, offset,
// nodata value or type. Not thread-safe.
class PixelCopy {
  public:
    // Both bands have the same size, are borrowed and outlive this. Fails where their units differ,
    // and where 64-bit integers or complex numbers would have to be converted.
    static zarr::Result<PixelCopy> Between(GDALRasterBand& from, GDALRasterBand& to);

    // kCancelled where `progress` cancelled, or, without a message, where GDAL emitted an error.
    zarr::Status Run(GDALProgressFunc progress, void* progress_data);

    // True where pixels get other numbers, as the scale or the offset differs.
    bool rescales() const { return rescales_; }

    // Pixels that did not keep their meaning.
    struct Changed {
        std::uint64_t clamped = 0;  // beyond the range of the type
        std::uint64_t hidden = 0;   // values that are nodata in the array
        std::uint64_t shown = 0;    // nodata in the source, values in the array
    };
    const Changed& changed() const { return changed_; }

  private:
    // How a band stores values: value = number * scale + offset.
    struct Storage {
        GDALDataType type = GDT_Unknown;
        double scale = 1;
        double offset = 0;
        std::optional<double> nodata;

        explicit Storage(GDALRasterBand& band);
        bool IsNodata(double number) const;
    };

    PixelCopy(GDALRasterBand& from, GDALRasterBand& to);
    double Convert(double number);

    GDALRasterBand* from_;
    GDALRasterBand* to_;
    Storage source_;
    Storage target_;
    bool rescales_ = false;
    bool converts_ = false;
    Changed changed_;
};

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <cstdint>
#include <optional>

#include "core/base/status.h"

namespace zarr_driver {

// Copies the pixels of one band to another band. If the bands differ in scale, offset, nodata value
// or data type, converts the pixels. Not thread-safe.
class BandConversion {
  public:
    // Prepares the copy of the pixels of `from` to `to`. Both bands must have equal sizes and must
    // outlive this object. Fails if both bands have a unit and the units differ. Also fails if
    // 64-bit integers or complex numbers would need another scale, offset or nodata value.
    static zarr::Result<BandConversion> Between(GDALRasterBand& from, GDALRasterBand& to);

    // Copies all pixels. Returns kCancelled if `progress` cancels. If the status has no message,
    // GDAL has already emitted an error.
    zarr::Status Run(GDALProgressFunc progress, void* progress_data);

    // True if source and target differ in scale or offset, so that the copy stores other numbers
    // than the source has.
    bool rescales() const { return rescales_; }

    // Counts of pixels whose value or meaning was changed by the copy.
    struct Changed {
        std::uint64_t clamped = 0;    // outside of the range of the target's data type, so clamped
        std::uint64_t hidden = 0;     // valid in the source, but equal to the target's nodata value
        std::uint64_t shown = 0;      // nodata in the source, but valid in the target
        std::uint64_t imaginary = 0;  // complex in the source, but real in the target
    };
    const Changed& changed() const { return changed_; }

  private:
    // Describes how a band stores values: value = number * scale + offset.
    struct Storage {
        GDALDataType type = GDT_Unknown;
        double scale = 1;
        double offset = 0;
        std::optional<long double> nodata;  // long double, because it holds integers of 64 bits

        explicit Storage(GDALRasterBand& band);
        bool IsNodata(long double number) const;
        bool IsInteger() const;
    };

    BandConversion(GDALRasterBand& from, GDALRasterBand& to);
    // From and To are the types in which pixels are read and written: double, a 64-bit integer or
    // std::complex<double>.
    template <class From, class To>
    zarr::Status CopyRows(GDALProgressFunc progress, void* progress_data);
    template <class From>
    zarr::Status CopyRowsFrom(GDALProgressFunc progress, void* progress_data);
    template <class To, class From>
    To Convert(From pixel);

    GDALRasterBand* from_;
    GDALRasterBand* to_;
    Storage source_;
    Storage target_;
    bool rescales_ = false;
    bool converts_ = false;
    Changed changed_;
};

}  // namespace zarr_driver

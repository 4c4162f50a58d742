// SPDX-License-Identifier: MIT
#include "driver/raster/pixel_statistics.h"

#include <algorithm>
#include <cmath>

#include "driver/base/gdal_errors.h"

namespace zarr_driver {

// Adds a set of pixels, given by count, mean and sum of squared deviations. The formulas are by
// Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample
// variances" (1979).
void PixelStatistics::Merge(std::uint64_t count, double mean, double squares) {
    if (count == 0) return;
    const auto own = static_cast<double>(count_);
    const auto others = static_cast<double>(count);
    const double all = own + others;
    const double step = mean - mean_;
    mean_ += step * (others / all);
    squares_ += squares + step * step * (own / all) * others;
    count_ += count;
}

void PixelStatistics::Add(double value, std::uint64_t count) {
    if (count == 0) return;
    minimum_ = std::min(minimum_, value);
    maximum_ = std::max(maximum_, value);
    Merge(count, value, 0);
}

void PixelStatistics::Add(const double* pixels, std::size_t count, const double* nodata) {
    std::uint64_t valid = 0;
    double mean = 0;
    double squares = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double value = pixels[i];
        if (std::isnan(value) || (nodata != nullptr && value == *nodata)) continue;
        minimum_ = std::min(minimum_, value);
        maximum_ = std::max(maximum_, value);
        ++valid;
        const double step = value - mean;
        mean += step / static_cast<double>(valid);
        squares += step * (value - mean);
    }
    Merge(valid, mean, squares);
}

double PixelStatistics::standard_deviation() const {
    return count_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(count_));
}

void ComputeMissingStatistics(GDALDataset& dataset) {
    for (int i = 1; i <= dataset.GetRasterCount(); ++i) {
        GDALRasterBand& band = *dataset.GetRasterBand(i);
        const bool is_complex = GDALDataTypeIsComplex(band.GetRasterDataType()) != FALSE;
        if (is_complex || band.GetMetadataItem("STATISTICS_MEAN") != nullptr) continue;
        // GDAL's errors are hidden, because a band without valid pixels has no statistics, which is
        // not an error.
        const QuietErrors quiet;
        double minimum = 0;
        double maximum = 0;
        double mean = 0;
        double deviation = 0;
        static_cast<void>(
            band.ComputeStatistics(TRUE, &minimum, &maximum, &mean, &deviation, nullptr, nullptr));
        // More pixels of an overview are valid than of the raster, because averaging skips nodata.
        if (band.GetMetadataItem("STATISTICS_APPROXIMATE") != nullptr)
            band.SetMetadataItem("STATISTICS_VALID_PERCENT", nullptr);
    }
}

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_port.h>
#include <gdal_priv.h>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace zarr_driver {

// Minimum, maximum, mean and standard deviation of pixels. Pixels may be added in parts and in any
// order.
class PixelStatistics {
  public:
    // Adds `count` pixels that all equal `value`.
    void Add(double value, std::uint64_t count);
    // Adds `count` pixels, but skips NaN and pixels equal to `*nodata`, if `nodata` is not nullptr.
    void Add(const double* pixels, std::size_t count, const double* nodata);

    std::uint64_t count() const { return count_; }
    double minimum() const { return minimum_; }
    double maximum() const { return maximum_; }
    double mean() const { return mean_; }
    double standard_deviation() const;

  private:
    void Merge(std::uint64_t count, double mean, double squares);

    std::uint64_t count_ = 0;
    double minimum_ = std::numeric_limits<double>::infinity();
    double maximum_ = -std::numeric_limits<double>::infinity();
    double mean_ = 0;
    double squares_ = 0;  // sum of squared differences from the mean
};

// True if a metadata item, NAME=VALUE or NAME, is one of GDAL's band statistics.
inline bool IsStatistic(const char* item) { return STARTS_WITH_CI(item, "STATISTICS_"); }

// Computes statistics of all bands without statistics. Samples the overviews of large bands, as
// GDAL's programs do.
void ComputeMissingStatistics(GDALDataset& dataset);

}  // namespace zarr_driver

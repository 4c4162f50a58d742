// SPDX-License-Identifier: MIT
// Nodata values of bands of any data type.
#pragma once

#include <gdal_priv.h>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace zarr_driver {

// A nodata value. The type is a 64-bit integer for bands of 64-bit integers, and double for other
// bands.
using Nodata = std::variant<double, std::int64_t, std::uint64_t>;

// Returns the nodata value of a band; nullopt if the band has none.
std::optional<Nodata> NodataOf(GDALRasterBand& band);

CPLErr SetNodata(GDALRasterBand& band, double value);
CPLErr SetNodata(GDALRasterBand& band, std::int64_t value);
CPLErr SetNodata(GDALRasterBand& band, std::uint64_t value);

// Returns a text by which nodata values can be compared: texts are equal if the values are equal.
// Returns an empty text for nullopt.
std::string NodataText(const std::optional<Nodata>& nodata);

}  // namespace zarr_driver

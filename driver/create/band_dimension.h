// SPDX-License-Identifier: MIT
// The dimension of bands of a new raster, and its coordinates: creation options BAND_DIM and
// BAND_DIM_VALUES.
#pragma once

#include <gdal_priv.h>

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/conventions/time.h"
#include "core/dtype/data_type.h"
#include "core/json/value.h"

namespace zarr_driver {

// Name of the dimension of bands, with one coordinate for each band.
struct BandDimension {
    std::string name;
    // dtype of the coordinates: integers, floats, or strings of fixed length. Times are integers
    // with the attributes `units` and `calendar` of CF.
    zarr::DataType dtype;
    zarr::json::Object attributes;
    std::string elements;  // of all bands; empty if the dimension has no coordinates
};

// Makes the dimension `name` of `bands` bands. `values` has the coordinates, with commas between:
// numbers, ISO 8601 times or texts. If `values` is empty, metadata of the bands of `source` gives
// the coordinates; there are none if a band has no such metadata or `source` is nullptr. Errors
// name the option.
zarr::Result<BandDimension> MakeBandDimension(const std::string& name, const std::string& values,
                                              std::uint64_t bands, GDALDataset* source);

// Metadata by which GDAL's drivers state the coordinate of a band along a dimension. Members
// without a value are not stated.
struct StatedCoordinate {
    std::optional<std::string> time;   // ISO 8601, with the name of the calendar behind it
    std::optional<std::string> value;  // as stored, in `units`
    std::optional<std::string> units;
    bool is_netcdf = false;                // true if netCDF's metadata state the value
    std::optional<std::string> calendar;   // only in netCDF's metadata
    std::optional<std::string> tiff_time;  // time of the whole dataset, as ISO 8601
};

// Returns what metadata of `band` and `source` state about the dimension `name`.
StatedCoordinate StatedCoordinateOf(GDALDataset& source, GDALRasterBand& band,
                                    const std::string& name);

// Returns the time without the name of a calendar, which stands in parentheses behind it.
inline std::string WithoutCalendar(const std::string& time) {
    return time.substr(0, time.find(" ("));
}

// Converts a number of `units` to ISO 8601, without the name of the calendar. Returns nullopt if
// `units` are not units of time.
std::optional<std::string> TimeText(const std::string& value, const std::string& units,
                                    zarr::Calendar calendar);

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
// Creation options BAND_DIM and BAND_DIM_VALUES: the dimension of bands of a new raster, and the
// coordinates of this dimension.
#pragma once

#include <gdal_priv.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/cf/time.h"
#include "core/dtype/data_type.h"
#include "core/json/value.h"

namespace zarr_driver {

// A dimension of bands. If it has coordinates, each index has one.
struct BandDimension {
    std::string name;
    std::uint64_t size = 0;
    // dtype of the coordinates: integers, floats, or strings of fixed length. Times are integers
    // with the attributes `units` and `calendar` of CF.
    zarr::DataType dtype;
    zarr::json::Object attributes;
    std::string elements;  // coordinates of all indices; empty if the dimension has no coordinates
};

// Coordinates as texts: numbers, ISO 8601 times or other texts.
struct CoordinateTexts {
    std::vector<std::string> texts;
    // Name of the calendar in CF, for times. The default is the calendar of ISO 8601.
    std::string calendar = "proleptic_gregorian";
    // True makes the unit seconds or shorter if a coordinate states a time of day, even midnight.
    // Later appends can then add times that are not at midnight.
    bool keeps_time_of_day = false;
};

// Sets dtype, elements and attributes of `dimension`. Numbers stay numbers, times become numbers in
// units of CF, and other texts stay texts. Errors name the option BAND_DIM_VALUES.
zarr::Status SetCoordinates(const CoordinateTexts& stated, BandDimension& dimension);

// Encodes `values`, one for each index of the dimension, as elements of `dtype`. Sets
// `dimension.dtype` and `dimension.elements`.
zarr::Status SetElements(const zarr::DataType& dtype, const zarr::json::Array& values,
                         BandDimension& dimension);

bool IsNumber(const std::string& text);

// Returns the number in `text`, as an integer if possible.
zarr::json::Value NumberOf(const std::string& text);

// Makes the dimension `name` for `bands` bands. `given` is a list of coordinates (numbers, ISO 8601
// times or texts), separated by commas. It may also be a pattern for WithTimeOfFile().
//
// If `given` is empty, the coordinates are taken from the metadata of the bands of `source`. If a
// band has no such metadata, or if `source` is nullptr, the dimension has no coordinates. Errors
// name the option BAND_DIM_VALUES.
zarr::Result<BandDimension> MakeBandDimension(const std::string& name, const std::string& given,
                                              std::uint64_t bands, GDALDataset* source);

// Coordinate of a band along a dimension, as metadata items of GDAL's drivers state it. A member is
// nullopt if no item states it.
struct StatedCoordinate {
    std::optional<std::string> time;   // ISO 8601; " (CALENDAR)" may follow
    std::optional<std::string> value;  // number or text in `units`, without conversion
    std::optional<std::string> units;
    bool is_netcdf = false;                // true if `value` is from a NETCDF_DIM_ item
    std::optional<std::string> calendar;   // CF name, from the dataset's metadata NAME#calendar
    std::optional<std::string> tiff_time;  // TIFFTAG_DATETIME of the dataset, as ISO 8601
};

// Returns the coordinate of `band` along the dimension `name`, as metadata of `band` and `source`
// state it.
StatedCoordinate StatedCoordinateOf(GDALDataset& source, GDALRasterBand& band,
                                    const std::string& name);

// Returns the time without the name of a calendar, which follows the time in parentheses.
inline std::string WithoutCalendar(const std::string& time) {
    return time.substr(0, time.find(" ("));
}

// Returns the name of the calendar that follows a time in parentheses; nullopt if there is no name.
std::optional<std::string> NamedCalendar(const std::string& time);

// Converts a number of `units` to ISO 8601, without the name of the calendar. Returns nullopt if
// `units` are not units of time.
std::optional<std::string> TimeText(const std::string& value, const std::string& units,
                                    zarr::Calendar calendar);

}  // namespace zarr_driver

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

// Returns a metadata item of the default domain; nullptr if there is none.
inline const char* Item(GDALMajorObject& object, const std::string& name) {
    return object.GetMetadataItem(name.c_str());
}

// Converts a time in the form of TIFF, such as "2020:01:02 03:04:05", to ISO 8601.
std::string FromTiffTime(std::string text);

// Converts a number of `units` to ISO 8601, without the name of the calendar. Returns nullopt if
// `units` are not units of time.
std::optional<std::string> TimeText(const std::string& value, const char* units,
                                    zarr::Calendar calendar);

}  // namespace zarr_driver

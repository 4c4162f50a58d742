// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_port.h>
#include <gdal.h>

#include <cstdint>
#include <string>

#include "core/base/status.h"
#include "driver/array_creation_options.h"
#include "driver/overview_plan.h"

namespace zarr_driver {

enum class Georeferenced : std::uint8_t { kGdalAndCf, kGdal, kSpatialProj, kCf };

// The option GEOREFERENCING_CONVENTION, or `fallback` where it is not given.
zarr::Result<Georeferenced> ParseConvention(CSLConstList options, Georeferenced fallback);

// The dtype of rasters of a GDAL type. `pixel_type`, which may be nullptr, is the option PIXELTYPE
// or the item of metadata by which GDAL before 3.7 says that bytes are signed ones: SIGNEDBYTE.
zarr::Result<zarr::DataType> StoredTypeFor(GDALDataType type, const char* pixel_type);

// The creation options of the classic API, parsed. CreationOptionList() describes them to
// GDAL.
struct CreationOptions {
    ArrayCreationOptions array;
    std::string array_name;  // empty: by the file's name
    bool append_subdataset = false;
    std::string append_dim;         // name of a dimension; empty without
    std::string append_dim_values;  // its new coordinates, with commas between; may be empty
    bool single_array = true;
    bool interleave_pixel = false;
    bool may_split = true;  // no option asks for all bands in one array
    bool consolidate = true;
    std::string synchronizer;  // folder of lock files; empty: none
    Georeferenced georeferenced = Georeferenced::kGdalAndCf;
    OverviewPlan overviews;

    // `options` is GDAL's NULL-terminated list of NAME=VALUE; `dtype` is that of the
    // arrays. Errors name the option.
    static zarr::Result<CreationOptions> Parse(CSLConstList options, const zarr::DataType& dtype);
};

std::string CreationOptionList();

}  // namespace zarr_driver

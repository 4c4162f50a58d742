// SPDX-License-Identifier: MIT
#include "driver/creation_options.h"

#include <cpl_string.h>

#include "core/base/text.h"
#include "driver/gdal_compat.h"
#include "driver/gdal_types.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// clang-format off
const char* const kDatasetOptions =
    "  <Option name='ARRAY_NAME' type='string' description='Name of the array; the file`s by default'/>"
    "  <Option name='APPEND_SUBDATASET' type='boolean' description='Whether to add the array to an existing store' default='NO'/>"
    "  <Option name='APPEND_DIM' type='string' description='Dimension of an array of an existing store that grows by the source`s bands'/>"
    "  <Option name='APPEND_DIM_VALUES' type='string' description='Coordinates of the new slices along APPEND_DIM, with commas between: numbers, ISO 8601 times or texts; what the bands` metadata say by default'/>"
    "  <Option name='SINGLE_ARRAY' type='boolean' description='Whether several bands are one array of three dimensions or an array each' default='YES'/>"
    "  <Option name='INTERLEAVE' type='string-select' description='Place of the bands in a single array: slowest or fastest dimension' default='BAND'>"
    // CreateCopy() of GDAL passes on what a source has where a value is listed plainly. A store is
    // (band, y, x) unless somebody asks.
    "    <Value>BAND</Value><Value alias='PIXELS'>PIXEL</Value>"
    "  </Option>"
    "  <Option name='PIXELTYPE' type='string-select' description='Whether bytes are signed ones, as GDAL before 3.7 has them' default='DEFAULT'>"
    "    <Value>DEFAULT</Value><Value>SIGNEDBYTE</Value>"
    "  </Option>"
    "  <Option name='FORMAT' type='string-select' description='Version of Zarr; ZARR_V3 is written by GDAL`s built-in driver' default='ZARR_V2'>"
    "    <Value>ZARR_V2</Value><Value>ZARR_V3</Value>"
    "  </Option>"
    "  <Option name='CREATE_CONSOLIDATED_METADATA' alias='CREATE_ZMETADATA' type='boolean' description='Whether to write .zmetadata' default='YES'/>"
    "  <Option name='OVERVIEWS' type='string' description='Overviews that are built at the end: NONE, AUTO (halves, until both sides are at most 256) or factors such as 2,4,8' default='NONE'/>"
    "  <Option name='OVERVIEW_RESAMPLING' type='string' description='Resampling method of OVERVIEWS, one of those of gdaladdo' default='NEAREST'/>"
    "  <Option name='SYNCHRONIZER' type='string' description='Folder of lock files, as in the open option'/>"
    "  <Option name='GEOREFERENCING_CONVENTION' type='string-select' description='How CRS and geotransform are written; GDAL and CF both by default'>"
    "    <Value>GDAL</Value><Value>SPATIAL_PROJ</Value><Value>CF</Value>"
    "  </Option>";
// clang-format on

}  // namespace

std::string CreationOptionList() {
    return std::string("<CreationOptionList>") + kArrayOptions + kDatasetOptions +
           "</CreationOptionList>";
}

Result<Georeferenced> ParseConvention(CSLConstList options, Georeferenced fallback) {
    const char* convention = CSLFetchNameValue(options, "GEOREFERENCING_CONVENTION");
    if (convention == nullptr) return fallback;
    if (EQUAL(convention, "GDAL")) return Georeferenced::kGdal;
    if (EQUAL(convention, "SPATIAL_PROJ")) return Georeferenced::kSpatialProj;
    if (EQUAL(convention, "CF")) return Georeferenced::kCf;
    return RefuseOption("GEOREFERENCING_CONVENTION", "GDAL, SPATIAL_PROJ or CF", convention);
}

Result<zarr::DataType> StoredTypeFor(GDALDataType type, const char* pixel_type) {
    ZARR_ASSIGN_OR_RETURN(zarr::DataType dtype, StoredTypeOf(type));
    if (pixel_type == nullptr || EQUAL(pixel_type, "DEFAULT")) return dtype;
    const bool is_byte = type == GDT_Byte || type == kGdalInt8;
    if (!is_byte || !EQUAL(pixel_type, "SIGNEDBYTE"))
        return RefuseOption("PIXELTYPE", "SIGNEDBYTE, of data type Byte", pixel_type);
    return zarr::ParseTypestr("|i1");
}

Result<CreationOptions> CreationOptions::Parse(CSLConstList options, const zarr::DataType& dtype) {
    CreationOptions parsed;
    const char* format = CSLFetchNameValueDef(options, "FORMAT", "ZARR_V2");
    if (!EQUAL(format, "ZARR_V2")) return RefuseOption("FORMAT", "ZARR_V2 or ZARR_V3", format);
    ZARR_ASSIGN_OR_RETURN(parsed.array, ArrayCreationOptions::Parse(options, dtype));
    parsed.synchronizer = CSLFetchNameValueDef(options, "SYNCHRONIZER", "");
    parsed.array_name = CSLFetchNameValueDef(options, "ARRAY_NAME", "");
    parsed.append_subdataset = CPLFetchBool(options, "APPEND_SUBDATASET", false);
    parsed.append_dim = CSLFetchNameValueDef(options, "APPEND_DIM", "");
    parsed.append_dim_values = CSLFetchNameValueDef(options, "APPEND_DIM_VALUES", "");
    // GDAL from 3.13 on deletes what a copy is made in unless both are given.
    if (!parsed.append_dim.empty()) parsed.append_subdataset = false;
    parsed.single_array = CPLFetchBool(options, "SINGLE_ARRAY", true);
    const char* interleave = CSLFetchNameValueDef(options, "INTERLEAVE", "BAND");
    if (!EQUAL(interleave, "BAND") && !EQUAL(interleave, "PIXEL"))
        return RefuseOption("INTERLEAVE", "BAND or PIXEL", interleave);
    parsed.interleave_pixel = EQUAL(interleave, "PIXEL");
    // GDAL passes on INTERLEAVE=BAND of the source, which arrays for each band have, too.
    parsed.may_split = CSLFetchNameValue(options, "SINGLE_ARRAY") == nullptr &&
                       !parsed.interleave_pixel && parsed.array_name.empty() &&
                       parsed.array.chunks.size() <= 2;
    const bool consolidate = CPLFetchBool(options, "CREATE_ZMETADATA", true);
    parsed.consolidate = CPLFetchBool(options, "CREATE_CONSOLIDATED_METADATA", consolidate);
    ZARR_ASSIGN_OR_RETURN(parsed.overviews, OverviewPlan::Parse(options));
    if (!parsed.append_dim.empty() && !parsed.overviews.IsEmpty())
        return Status::Unsupported(
            "creation option OVERVIEWS: not with APPEND_DIM; gdaladdo builds them afterwards");
    ZARR_ASSIGN_OR_RETURN(parsed.georeferenced,
                          ParseConvention(options, Georeferenced::kGdalAndCf));
    return parsed;
}

}  // namespace zarr_driver

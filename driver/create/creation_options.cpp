// SPDX-License-Identifier: MIT
#include "driver/create/creation_options.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include "driver/base/gdal_compat.h"
#include "driver/base/gdal_types.h"
#include "driver/base/lock_timeout.h"
#include "driver/base/option_values.h"
#include "driver/base/reference_options.h"
#include "driver/create/profile.h"

namespace zarr_driver {

using zarr::Result;

namespace {

// clang-format off
const char* const kDatasetOptions =
    "  <Option name='ARRAY_NAME' type='string' description='Name of the array. By default the name of the store without .zarr'/>"
    "  <Option name='APPEND_SUBDATASET' type='boolean' description='Whether to add the array to an existing store' default='NO'/>"
    "  <Option name='APPEND_DIM' type='string' description='Dimension of an existing array that grows by the bands of the source. Give APPEND_SUBDATASET=YES, too'/>"
    "  <Option name='APPEND_DIM_VALUES' type='string' description='Coordinates of the new slices along APPEND_DIM, with commas between: numbers, ISO 8601 times or texts. By default the metadata of the source bands gives them'/>"
    "  <Option name='BAND_DIM' type='string' description='Name of the dimension of the bands of a new array, such as time. A single band gets the dimension, too. NONE makes one dimension called band, also if the bands are slices of a cube'/>"
    "  <Option name='BAND_DIM_VALUES' type='string' description='Coordinates of the bands along BAND_DIM, with commas between: numbers, ISO 8601 times or texts. By default the metadata of the bands gives them'/>"
    "  <Option name='BLOCKXSIZE' type='int' min='1' description='Columns of a chunk, if BLOCKSIZE is not given. Not used with TILED=NO'/>"
    "  <Option name='BLOCKYSIZE' type='int' min='1' description='Rows of a chunk, if BLOCKXSIZE is given. Not used with TILED=NO'/>"
    "  <Option name='TILED' type='boolean' description='NO says that BLOCKXSIZE and BLOCKYSIZE describe strips, which are not used. For programs such as rasterio, which pass on options of the source' default='YES'/>"
    "  <Option name='SINGLE_ARRAY' type='boolean' description='Whether several bands are stored as one array of three dimensions (YES) or as one array each (NO)' default='YES'/>"
    // The type of the option is string, because GDAL rejects unknown values of a string-select.
    // Programs pass on the INTERLEAVE of a GeoTIFF, which may be unknown here.
    "  <Option name='INTERLEAVE' type='string' description='Position of the bands in a single array: the slowest dimension (BAND) or the fastest (PIXEL)' default='BAND'>"
    // GDAL's CreateCopy() passes on the source's INTERLEAVE if it equals a listed value that has no
    // alias. PIXEL has an alias, so that it is used only if the user gives it.
    "    <Value>BAND</Value><Value alias='PIXELS'>PIXEL</Value>"
    "  </Option>"
    "  <Option name='PHOTOMETRIC' type='string-select' description='RGB and YCBCR say that the first three bands are red, green and blue, unless the source or a later call states other colours. This is the default of Create() for three or four bands of Byte. Other values say that the bands are no colours'>"
    "    <Value>MINISBLACK</Value><Value>MINISWHITE</Value><Value>RGB</Value><Value>YCBCR</Value><Value>PALETTE</Value><Value>CMYK</Value><Value>CIELAB</Value><Value>ICCLAB</Value><Value>ITULAB</Value>"
    "  </Option>"
    "  <Option name='ALPHA' type='string-select' description='Whether the first band after the colours is an alpha band. YES is the default of Create() for four bands of Byte without PHOTOMETRIC'>"
    "    <Value>YES</Value><Value>NON-PREMULTIPLIED</Value><Value>NO</Value>"
    "  </Option>"
    "  <Option name='PIXELTYPE' type='string-select' description='SIGNEDBYTE says that bytes are signed. Needed only for data type Byte of GDAL before 3.7' default='DEFAULT'>"
    "    <Value>DEFAULT</Value><Value>SIGNEDBYTE</Value>"
    "  </Option>"
    "  <Option name='FORMAT' type='string-select' description='Version of Zarr' default='" ZARR_FORMAT_BY_DEFAULT "'>"
    "    <Value>ZARR_V2</Value><Value>ZARR_V3</Value>"
    "  </Option>"
    "  <Option name='CREATE_CONSOLIDATED_METADATA' alias='CREATE_ZMETADATA' type='boolean' description='Whether to write consolidated metadata: in .zmetadata, or for Zarr v3 in zarr.json' default='YES'/>"
    "  <Option name='OVERVIEWS' type='string' description='Overviews that are built at the end: NONE, AUTO (halves, until both sides are at most 256) or factors such as 2,4,8' default='NONE'/>"
    "  <Option name='OVERVIEW_RESAMPLING' type='string' description='Resampling method of OVERVIEWS: one of the methods of gdaladdo' default='NEAREST'/>"
    "  <Option name='OVERVIEW_LAYOUT' type='string-select' description='Place of the array and its overviews. PARENT: the array in the parent of the overviews` groups, as in GDAL. GROUPS: each in a group of its own (0, 1, 2, ...), as in GeoZarr, so that xarray opens the store as a tree' default='PARENT'>"
    "    <Value>PARENT</Value><Value>GROUPS</Value>"
    "  </Option>"
    "  <Option name='RESUME' type='boolean' description='Whether CreateCopy() continues an unfinished copy of the same source. A copy that fails or is cancelled then leaves its unfinished store' default='NO'/>"
    "  <Option name='SYNCHRONIZER' type='string' description='Folder of lock files, as for the open option SYNCHRONIZER'/>"
    "  <Option name='LOCK_TIMEOUT' type='float' description='How many seconds to wait for another writer of the store' default='60'/>"
    "  <Option name='REQUIRE_LOCK' type='boolean' description='Whether a change of an existing store fails if the store cannot be locked against other processes' default='NO'/>"
    "  <Option name='GEOREFERENCING_CONVENTION' type='string-select' description='How CRS and geotransform are written: GDAL, SPATIAL_PROJ, CF, or ALL, which is the default with the attributes of SPATIAL_PROJ. By default as CF has them, and in the forms that GDAL of any version, xarray and rioxarray find'>"
    "    <Value>GDAL</Value><Value>SPATIAL_PROJ</Value><Value>CF</Value><Value>ALL</Value>"
    "  </Option>";
// clang-format on

// Returns the value of the option `name`, BLOCKXSIZE or BLOCKYSIZE. Returns 0 if the option is not
// given, or if TILED=NO says that it is the size of a GeoTIFF strip.
Result<std::uint64_t> ParseBlockSide(CSLConstList options, const char* name) {
    const char* const text = CSLFetchNameValue(options, name);
    if (text == nullptr || !CPLFetchBool(options, "TILED", true)) return std::uint64_t{0};
    const GIntBig size = CPLAtoGIntBig(text);
    if (size < 1 || CPLGetValueType(text) != CPL_VALUE_INTEGER)
        return RefuseOption(name, "a number >= 1", text);
    return static_cast<std::uint64_t>(size);
}

// Returns whether the first bands are red, green and blue; nullopt if no option says so.
std::optional<bool> ParseIsRgb(CSLConstList options) {
    const char* const text = CSLFetchNameValue(options, "PHOTOMETRIC");
    if (text == nullptr) return std::nullopt;
    return EQUAL(text, "RGB") || EQUAL(text, "YCBCR");
}

// Returns whether a band is an alpha band; nullopt if no option says so.
std::optional<bool> ParseHasAlpha(CSLConstList options) {
    const char* const text = CSLFetchNameValue(options, "ALPHA");
    if (text == nullptr) return std::nullopt;
    return EQUAL(text, "NON-PREMULTIPLIED") || CPLTestBool(text);
}

}  // namespace

std::string CreationOptionList() {
    return std::string("<CreationOptionList>") + ArrayOptions() + kDatasetOptions +
           ProfileOptionList() + kReferenceOptions + "</CreationOptionList>";
}

Result<zarr::DataType> StoredTypeFor(GDALDataType type, const char* pixel_type) {
    ZARR_ASSIGN_OR_RETURN(zarr::DataType dtype, StoredTypeOf(type));
    if (pixel_type == nullptr || EQUAL(pixel_type, "DEFAULT")) return dtype;
    const bool is_byte = type == GDT_Byte || type == kGdalInt8;
    if (!is_byte || !EQUAL(pixel_type, "SIGNEDBYTE"))
        return RefuseOption("PIXELTYPE", "SIGNEDBYTE, with data type Byte", pixel_type);
    return zarr::ParseTypestr("|i1");
}

Result<bool> WantsLevelGroups(CSLConstList options) {
    const char* const text = CSLFetchNameValueDef(options, "OVERVIEW_LAYOUT", "PARENT");
    if (EQUAL(text, "GROUPS")) return true;
    if (EQUAL(text, "PARENT")) return false;
    return RefuseOption("OVERVIEW_LAYOUT", "PARENT or GROUPS", text);
}

Result<CreationOptions> CreationOptions::Parse(CSLConstList options, const zarr::DataType& dtype) {
    CreationOptions parsed;
    ZARR_ASSIGN_OR_RETURN(parsed.format, ParseFormat(options));
    ZARR_ASSIGN_OR_RETURN(parsed.new_format, FormatOfNewStore(parsed.format));
    ZARR_ASSIGN_OR_RETURN(parsed.array, ArrayCreationOptions::Parse(options, dtype));
    parsed.synchronizer = CSLFetchNameValueDef(options, "SYNCHRONIZER", "");
    ZARR_ASSIGN_OR_RETURN(parsed.lock_wait, ParseLockWait(options));
    parsed.array_name = CSLFetchNameValueDef(options, "ARRAY_NAME", "");
    ZARR_ASSIGN_OR_RETURN(parsed.block_x, ParseBlockSide(options, "BLOCKXSIZE"));
    ZARR_ASSIGN_OR_RETURN(parsed.block_y, ParseBlockSide(options, "BLOCKYSIZE"));
    // rasterio passes the number of rows of a strip without the number of columns. Such a block
    // size is ignored.
    if (parsed.block_x == 0) parsed.block_y = 0;
    parsed.append_subdataset = CPLFetchBool(options, "APPEND_SUBDATASET", false);
    parsed.append_dim = CSLFetchNameValueDef(options, "APPEND_DIM", "");
    parsed.append_dim_values = CSLFetchNameValueDef(options, "APPEND_DIM_VALUES", "");
    parsed.band_dim = CSLFetchNameValueDef(options, "BAND_DIM", "");
    if (EQUAL(parsed.band_dim.c_str(), "NONE")) parsed.band_dim.clear();
    parsed.band_dim_values = CSLFetchNameValueDef(options, "BAND_DIM_VALUES", "");
    if (parsed.band_dim.empty() && !parsed.band_dim_values.empty())
        return RefuseOption("BAND_DIM", "a name, because BAND_DIM_VALUES is set", "");
    if (!parsed.band_dim.empty() && !parsed.append_dim.empty())
        return RefuseOption("BAND_DIM", "no value, because APPEND_DIM is set",
                            parsed.band_dim.c_str());
    // Programs give APPEND_SUBDATASET together with APPEND_DIM to say that the store stays. Only
    // APPEND_DIM is used here.
    if (!parsed.append_dim.empty()) parsed.append_subdataset = false;
    parsed.resume = CPLFetchBool(options, "RESUME", false);
    if (parsed.resume && !parsed.append_dim.empty())
        parsed.array.warnings.emplace_back(
            "creation option RESUME has no effect: slices are appended to an existing array");
    parsed.single_array = CPLFetchBool(options, "SINGLE_ARRAY", true);
    if (!parsed.single_array && !parsed.band_dim.empty())
        return RefuseOption("BAND_DIM", "no value, because SINGLE_ARRAY=NO is set",
                            parsed.band_dim.c_str());
    const char* interleave = CSLFetchNameValueDef(options, "INTERLEAVE", "BAND");
    if (EQUAL(interleave, "LINE") || EQUAL(interleave, "TILE"))
        parsed.array.warnings.push_back(UnknownToZarr("INTERLEAVE", interleave, "BAND"));
    else if (!EQUAL(interleave, "BAND") && !EQUAL(interleave, "PIXEL"))
        return RefuseOption("INTERLEAVE", "BAND or PIXEL", interleave);
    parsed.interleave_pixel = EQUAL(interleave, "PIXEL");
    parsed.is_rgb = ParseIsRgb(options);
    parsed.has_alpha = ParseHasAlpha(options);
    // INTERLEAVE=BAND does not mean that the user wants a single array, because GDAL also passes on
    // this value from the source.
    parsed.may_split = CSLFetchNameValue(options, "SINGLE_ARRAY") == nullptr &&
                       parsed.band_dim.empty() && !parsed.interleave_pixel &&
                       parsed.array_name.empty() && parsed.array.chunks.size() <= 2 &&
                       parsed.array.shard_chunks.size() <= 2;
    const bool consolidate = CPLFetchBool(options, "CREATE_ZMETADATA", true);
    parsed.consolidate = CPLFetchBool(options, "CREATE_CONSOLIDATED_METADATA", consolidate);
    ZARR_ASSIGN_OR_RETURN(parsed.overviews, OverviewPlan::Parse(options));
    ZARR_ASSIGN_OR_RETURN(parsed.has_level_groups, WantsLevelGroups(options));
    if (!parsed.append_dim.empty() && CSLFetchNameValue(options, "OVERVIEW_RESAMPLING") != nullptr)
        parsed.append_resampling = parsed.overviews.resampling;
    ZARR_ASSIGN_OR_RETURN(parsed.georeferenced,
                          ParseConvention(options, Georeferenced::kEveryReader));
    return parsed;
}

}  // namespace zarr_driver

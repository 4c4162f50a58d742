// SPDX-License-Identifier: MIT
#include "driver/create/creation_options.h"

#include <cpl_string.h>

#include "driver/base/gdal_compat.h"
#include "driver/base/gdal_types.h"
#include "driver/base/option_table.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

Result<bool> ReadIsRgb(const GivenOption& given) {
    return EQUAL(given.text, "RGB") || EQUAL(given.text, "YCBCR");
}

Status SetInterleave(CreationOptions& parsed, const GivenOption& given) {
    if (EQUAL(given.text, "LINE") || EQUAL(given.text, "TILE")) {
        parsed.array.warnings.push_back(UnknownToZarr("INTERLEAVE", given.text, "BAND"));
        return {};
    }
    ZARR_ASSIGN_OR_RETURN(parsed.interleave_pixel, (ReadOneOf<false, true>(given)));
    return {};
}

Result<std::optional<int>> ReadLevel(const GivenOption& given) {
    const int level = std::atoi(given.text);
    if (CPLGetValueType(given.text) != CPL_VALUE_INTEGER || level < 1 || level > 22)
        return given.Refuse("a number from 1 to 22");
    return std::optional(level);
}

Result<std::optional<std::string>> ReadRounding(const GivenOption& given) {
    if (EQUAL(given.text, "NO")) return std::optional<std::string>();
    if (EQUAL(given.text, "AUTO") || EQUAL(given.text, "YES"))
        return std::optional<std::string>("AUTO");
    if (CPLGetValueType(given.text) != CPL_VALUE_INTEGER || std::atoi(given.text) < 1)
        return given.Refuse("AUTO, NO or a number of bits >= 1");
    return std::optional<std::string>(given.text);
}

// clang-format off
constexpr OptionRow<CreationOptions> kRasterRows[] = {
    {{"ARRAY_NAME", "string", "", "Name of the array, or its path. By default the name of the store without `.zarr`. With `SINGLE_ARRAY=NO` the arrays are `NAME_band1`, `NAME_band2`, ...; by default they have the names of the bands, else `Band1`, `Band2`, ...\n. A name with \"/\" or with more than 200 bytes is no name of an array"}, Into<&CreationOptions::array_name, ReadText>},
    {{"BAND_DIM", "string", "", "Name of the dimension of the bands of a new array, such as `time`. A single band gets the dimension, too, so that `APPEND_DIM` can continue it. Without this option bands that are slices of a cube [keep its dimensions](guide.md#copies-of-cubes), and the dimension of other bands is called `band`. `NONE`: the dimension is called `band` also for a cube"}, Into<&CreationOptions::band_dim, ReadText>},
    {{"BAND_DIM_VALUES", "string", "", "Coordinates of the bands along `BAND_DIM`, with commas between: numbers, ISO 8601 times or texts. `20240501` [is a date](#dates-without-hyphens). By default metadata gives them: `DIM_{name}_TIME`, `DIM_{name}_VALUE`, `NETCDF_DIM_{name}`, `TIFFTAG_DATETIME` of a single band, or descriptions. `FILENAME:%Y%m%d` takes the time [from the file's name](#times-in-file-names)\n. Times are stored as CF has them: dates alone as days, times of day as seconds or less. A cube of days takes no times of day later; begin it with `2024-05-01T00:00:00`"}, Into<&CreationOptions::band_dim_values, ReadText>},
    {{"BLOCKXSIZE", "int min='1'", "", "Columns of a chunk, if `BLOCKSIZE` is not given\n. See [below](#blockxsize-and-blockysize)"}, Into<&CreationOptions::block_x, ReadCount>},
    {{"BLOCKYSIZE", "int min='1'", "", "Rows of a chunk, if `BLOCKXSIZE` is given"}, Into<&CreationOptions::block_y, ReadCount>},
    {{"TILED", "boolean", "YES", "`NO` says that `BLOCKXSIZE` and `BLOCKYSIZE` describe strips, which are not used"}, Into<&CreationOptions::tiled, ReadBool>},
    {{"APPEND_DIM_VALUES", "string", "", "Coordinates of the new slices along `APPEND_DIM`, with commas between: numbers, ISO 8601 times or texts. `20240501` [is a date](#dates-without-hyphens). By default the metadata of the source's bands gives them. `FILENAME:%Y%m%d` takes the time [from the file's name](#times-in-file-names)"}, Into<&CreationOptions::append_dim_values, ReadText>},
    {{"SINGLE_ARRAY", "boolean", "YES", "Whether several bands are one array of three dimensions (`YES`) or an array each (`NO`)"}, Into<&CreationOptions::wants_single_array, ReadBool>},
    // The type is string, because GDAL rejects unknown values of a string-select. Programs pass on
    // the INTERLEAVE of a GeoTIFF, which may be unknown here. GDAL's CreateCopy() passes on the
    // source's INTERLEAVE if it equals a listed value that has no alias. PIXEL has an alias, so that
    // it is used only if the user gives it.
    {{"INTERLEAVE", "string", "BAND", "Position of the bands in a single array: `BAND`, the slowest dimension, or `PIXEL`, the fastest. `LINE` and `TILE` of other formats give a warning, and the default is used", "BAND|PIXEL=PIXELS"}, SetInterleave},
    {{"ALPHA", "string-select", "", "`YES` (also `NON-PREMULTIPLIED`): the first band after the colours is an alpha band, which is band 4 with `PHOTOMETRIC=RGB` and else band 2. As in GeoTIFF this is the default of `Create()` with four bands of Byte and without `PHOTOMETRIC`. `NO`: no alpha band", "YES|NON-PREMULTIPLIED|NO"}, Into<&CreationOptions::has_alpha, ReadBool>},
    {{"PHOTOMETRIC", "string-select", "", "`RGB` or `YCBCR`: the first three bands are red, green and blue, unless the source or a later call gives bands a colour or a name. As in GeoTIFF this is the default of `Create()` with three or four bands of Byte. The other values of GeoTIFF say that the bands are no colours\n: `MINISBLACK`, `MINISWHITE`, `PALETTE`, `CMYK`, `CIELAB`, `ICCLAB`, `ITULAB`", "MINISBLACK|MINISWHITE|RGB|YCBCR|PALETTE|CMYK|CIELAB|ICCLAB|ITULAB"}, Into<&CreationOptions::is_rgb, ReadIsRgb>},
    {{"PIXELTYPE", "string-select", "DEFAULT", "`SIGNEDBYTE`: bytes are signed, with dtype `|i1`. Needed for data type Byte of GDAL before 3.7 only; a copy takes it from its source", "DEFAULT|SIGNEDBYTE"}, Into<&CreationOptions::pixel_type, ReadText>},
    {{"OVERVIEWS", "string", "NONE", "Overviews that are built at the end: `NONE`, `AUTO` (halves, until both sides are at most 256) or factors such as 2,4,8. With `APPEND_DIM` existing overviews always grow, and the option adds levels"}, Into<&CreationOptions::wants_overviews, ReadOverviews>},
    {{"OVERVIEW_RESAMPLING", "string", "NEAREST", "Resampling method of `OVERVIEWS`: NEAREST, AVERAGE, RMS, GAUSS, BILINEAR, CUBIC, CUBICSPLINE, LANCZOS, MODE. With `APPEND_DIM`, new slices of existing overviews get the method that the store states, unless this option is given"}, Into<&CreationOptions::overview_resampling, ReadResampling>},
    {{"OVERVIEW_LAYOUT", "string-select", "PARENT", "Place of the array and its overviews, also of overviews that are built later. `PARENT`: the array is in the parent of the overviews' groups, as GDAL's own driver has it. `GROUPS`: the array and each overview are [in a group of their own](guide.md#a-group-for-each-level), so that xarray opens the store as a tree. Not with `PROFILE=OME`. `APPEND_DIM` keeps the layout of the store", "PARENT|GROUPS"}, Into<&CreationOptions::has_level_groups, ReadOneOf<false, true>>},
    {{"RESUME", "boolean", "NO", "Whether `CreateCopy()` (`gdal_translate`) goes on with an unfinished copy of the same source with the same options. A copy that is cancelled or fails then leaves its unfinished store, `x.zarr.<32 digits>.partial`. In an object store the first copy needs the option, too. Chunks that are complete stay; masks, overviews and coordinates are made again"}, Into<&CreationOptions::resume, ReadBool>},
};
constexpr OptionRow<CreationOptions> kChosenProfileRows[] = {
    {{"PROFILE", "string-select", "NONE", "Set of options for a purpose: `NONE`, `CLOUD` or `OME`\n, see [PROFILE=CLOUD](#profilecloud) and [PROFILE=OME](#profileome). The configuration option `ZARR_DEFAULT_PROFILE` changes the default", "NONE|CLOUD|OME", "ZARR_DEFAULT_PROFILE"}, Into<&CreationOptions::profile, ReadOneOf<Profile::kNone, Profile::kCloud, Profile::kOme>>},
};
constexpr OptionRow<ProfileOptions> kProfileRows[] = {
    {{"LEVEL", "int min='1' max='22'", "6", "With `PROFILE`: level of the compressor, as in GDAL's COG driver"}, Into<&ProfileOptions::level, ReadLevel>},
    {{"PREDICTOR", "string", "YES", "With `PROFILE`: `YES` chooses shuffling or differences by samples of the source. `NO` uses neither, `STANDARD` uses differences, `FLOATING_POINT` uses shuffling", "YES=AUTO|NO=1|STANDARD=2|FLOATING_POINT=3"}, Into<&ProfileOptions::predictor, ReadOneOf<Predictor::kBySamples, Predictor::kNone, Predictor::kDelta, Predictor::kShuffle>>},
    {{"BITROUND", "string", "NO", "With `PROFILE`: number of mantissa bits that are kept of real numbers. `AUTO` keeps the bits that hold 99 % of the information of samples, as xbitinfo does. The nodata value stays exact, and no other number becomes nodata or infinite: such a number is rounded to its other neighbour. Pixels change.\n The codec `bitround` in the metadata states the number"}, Into<&ProfileOptions::bit_rounding, ReadRounding>},
    {{"RESAMPLING", "string", "", "With `PROFILE`: resampling method of overviews, if `OVERVIEW_RESAMPLING` is not given"}, Into<&ProfileOptions::resampling, ReadResampling>},
    {{"STATISTICS", "boolean", "YES", "With `PROFILE`: whether to store statistics of the bands. They come from overviews. After `gdalwarp` and `Create()` they are computed when the dataset is closed"}, Into<&ProfileOptions::statistics, ReadBool>},
    {{"OME_VERSION", "string-select", "0.5", "With `PROFILE=OME`: version of OME-Zarr, `0.5` or `0.6`. In Zarr v2 the version is `0.4`", "0.4|0.5|0.6"}, Into<&ProfileOptions::ome_version, ReadText>},
};
// clang-format on

}  // namespace

std::string CreationOptionList() {
    return "<CreationOptionList>" + ArrayOptionList() + ListOf(kRasterRows) + AppendOptionList() +
           StoreOptionList() + ListOf(kConventionRows) + ListOf(kChosenProfileRows) +
           ListOf(kProfileRows) + "</CreationOptionList>";
}

Result<zarr::DataType> StoredTypeFor(GDALDataType type, const std::string& pixel_type) {
    ZARR_ASSIGN_OR_RETURN(zarr::DataType dtype, StoredTypeOf(type));
    if (pixel_type.empty() || EQUAL(pixel_type.c_str(), "DEFAULT")) return dtype;
    const bool is_byte = type == GDT_Byte || type == kGdalInt8;
    if (!is_byte || !EQUAL(pixel_type.c_str(), "SIGNEDBYTE"))
        return RefuseOption("PIXELTYPE", "SIGNEDBYTE, with data type Byte", pixel_type.c_str());
    return zarr::ParseTypestr("|i1");
}

Result<CreationOptions> CreationOptions::Parse(CSLConstList options) {
    CreationOptions parsed;
    ZARR_ASSIGN_OR_RETURN(static_cast<StoreOptions&>(parsed), StoreOptions::Parse(options));
    ZARR_ASSIGN_OR_RETURN(parsed.array, ArrayCreationOptions::Parse(options));
    ZARR_RETURN_IF_ERROR(ParseOptions(kCreationOption, options, kRasterRows, parsed));
    ZARR_RETURN_IF_ERROR(
        ParseOptions(kCreationOption, options, kConventionRows, parsed.georeferenced));
    ZARR_RETURN_IF_ERROR(ParseOptions(kCreationOption, options, kChosenProfileRows, parsed));
    ZARR_RETURN_IF_ERROR(ParseOptions(kCreationOption, options, kProfileRows, parsed.of_profile));
    for (const auto& row : kProfileRows)
        if (FindOption("", options, row.text)) parsed.of_profile.given.emplace_back(row.text.names);
    // A block size with TILED=NO is that of a strip. rasterio passes the number of rows of a strip
    // without the number of columns. Such block sizes are ignored.
    if (!parsed.tiled) parsed.block_x = 0;
    if (parsed.block_x == 0) parsed.block_y = 0;
    parsed.may_be_cube = parsed.band_dim.empty() && parsed.append_dim.empty() &&
                         parsed.wants_single_array.value_or(true);
    if (EQUAL(parsed.band_dim.c_str(), "NONE")) parsed.band_dim.clear();
    return parsed;
}

Status CreationOptions::Complete(const zarr::DataType& dtype) {
    ZARR_ASSIGN_OR_RETURN(new_format, FormatOfNewStore());
    ZARR_RETURN_IF_ERROR(array.Complete(dtype));
    single_array = wants_single_array.value_or(true);
    if (band_dim.empty() && !band_dim_values.empty())
        return RefuseOption("BAND_DIM", "a name, because BAND_DIM_VALUES is set", "");
    if (!band_dim.empty() && !append_dim.empty())
        return RefuseOption("BAND_DIM", "no value, because APPEND_DIM is set", band_dim.c_str());
    if (!band_dim.empty() && !single_array)
        return RefuseOption("BAND_DIM", "no value, because SINGLE_ARRAY=NO is set",
                            band_dim.c_str());
    // Programs give APPEND_SUBDATASET together with APPEND_DIM to say that the store stays. Only
    // APPEND_DIM is used here.
    if (!append_dim.empty()) append_subdataset = false;
    if (resume && !append_dim.empty())
        array.warnings.emplace_back(
            "creation option RESUME has no effect: slices are appended to an existing array");
    // INTERLEAVE=BAND does not mean that the user wants a single array, because GDAL also passes on
    // this value from the source.
    may_split = !wants_single_array && band_dim.empty() && !interleave_pixel &&
                array_name.empty() && array.chunks.size() <= 2 && array.shard_chunks.size() <= 2;
    overviews = wants_overviews.value_or(OverviewPlan());
    overviews.resampling = overview_resampling.value_or(overviews.resampling);
    if (!append_dim.empty()) append_resampling = overview_resampling.value_or("");
    return {};
}

}  // namespace zarr_driver

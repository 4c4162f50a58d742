// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_port.h>
#include <gdal.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/attributes/fingerprint.h"
#include "core/dtype/data_type.h"
#include "core/metadata/array_metadata.h"
#include "driver/base/array_options.h"
#include "driver/base/store_options.h"
#include "driver/georef/georeferencing_form.h"
#include "driver/overviews/overview_plan.h"

namespace zarr_driver {

// Returns the dtype of an array for rasters of a GDAL type. `pixel_type` is the value of the option
// or metadata item PIXELTYPE, and may be empty. GDAL before 3.7 marks signed bytes by the value
// SIGNEDBYTE.
zarr::Result<zarr::DataType> StoredTypeFor(GDALDataType type, const std::string& pixel_type);

enum class Profile : std::uint8_t { kNone, kCloud, kOme };

// Values of the creation option PREDICTOR, with the names that GDAL's COG driver has.
enum class Predictor : std::uint8_t { kBySamples, kNone, kDelta, kShuffle };

// Parsed values of the creation options that only profiles use (driver/create/profile.h).
struct ProfileOptions {
    std::optional<int> level;
    std::optional<Predictor> predictor;
    std::optional<std::string> bit_rounding;  // BITROUND, if it is not NO
    std::optional<std::string> resampling;
    bool statistics = true;
    std::string ome_version;         // empty if not given
    std::vector<std::string> given;  // names of those that are given
};

// Parsed values of the creation options of the raster API.
struct CreationOptions : StoreOptions {
    ArrayCreationOptions array;
    Profile profile = Profile::kNone;
    ProfileOptions of_profile;
    zarr::Format new_format = zarr::Format::kV2;  // format of a new store
    // ARRAY_NAME; if empty, the array is named like the file.
    std::string array_name;
    // Path in the store of the new array, or of the group of new arrays. The user gives this path
    // in the name of the target. Empty if the target's name is the name of a store.
    std::string node;
    bool keeps_nodes = false;  // true if an option says that all in the store is kept
    // Size of a chunk in pixels, from the options BLOCKXSIZE and BLOCKYSIZE. 0 means the default
    // size. If block_x is 0, block_y is 0, too.
    std::uint64_t block_x = 0;
    std::uint64_t block_y = 0;
    bool tiled = true;  // false: BLOCKXSIZE and BLOCKYSIZE describe strips of a GeoTIFF
    // APPEND_DIM_VALUES: new coordinates, separated by commas; may be empty
    std::string append_dim_values;
    // OVERVIEW_RESAMPLING of an append: the method to fill existing overviews. If empty, each
    // overview is filled with the method with which it was built.
    std::string append_resampling;
    std::string band_dim;  // BAND_DIM: name of the dimension of bands; empty if not given
    // BAND_DIM_VALUES: coordinates of the dimension of bands, separated by commas; may be empty
    std::string band_dim_values;
    std::optional<bool> wants_single_array;  // SINGLE_ARRAY
    bool single_array = true;
    // True if the dimensions of a cube whose slices are the bands may become those of the array.
    bool may_be_cube = true;
    bool interleave_pixel = false;
    std::optional<bool> is_rgb;  // PHOTOMETRIC: whether the first bands are red, green and blue
    // ALPHA: whether the first band after the colours is an alpha band
    std::optional<bool> has_alpha;
    bool may_split = true;   // true: bands that differ may become separate arrays
    bool resume = false;     // RESUME: an unfinished copy is continued
    std::string pixel_type;  // PIXELTYPE; empty if not given
    GeoreferencingForm georeferenced = GeoreferencingForm::kEveryReader;
    std::optional<OverviewPlan> wants_overviews;  // OVERVIEWS
    std::optional<std::string> overview_resampling;
    OverviewPlan overviews;
    // OVERVIEW_LAYOUT=GROUPS: each level of the pyramid gets a group
    bool has_level_groups = false;
    bool wants_statistics = false;  // PROFILE: statistics of the bands are stored
    // Samples of the pixels that overviews and statistics record. PROFILE sets kNone, so that
    // opening the store over a network reads no chunk.
    zarr::BaseSamples samples = zarr::BaseSamples::kSome;
    std::string ome_version;  // PROFILE=OME: version of OME-Zarr; "" with other profiles

    // Parses `options`, GDAL's NULL-terminated list of NAME=VALUE. Errors name the option.
    static zarr::Result<CreationOptions> Parse(CSLConstList options);

    // Sets the members that follow from others, for arrays of `dtype`, when no option changes any
    // more. Fails if options contradict each other.
    zarr::Status Complete(const zarr::DataType& dtype);
};

// Returns the creation options of the raster API, as an XML list for GDAL.
std::string CreationOptionList();

}  // namespace zarr_driver

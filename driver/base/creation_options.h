// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_port.h>
#include <gdal.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/codec/codec_spec.h"
#include "core/dtype/data_type.h"
#include "core/metadata/array_metadata.h"

namespace zarr_driver {

// How the chunks of a new array are encoded and laid out: the creation options that the classic and
// the multidimensional API share. ArrayOptionList() describes them to GDAL.
struct ArrayCreationOptions {
    std::vector<zarr::CodecSpec> codecs;  // filters, then the compressor
    std::vector<std::uint64_t> chunks;  // of BLOCKSIZE, slowest dimension first; empty: by default
    bool fortran_order = false;
    std::optional<zarr::ByteOrder> byte_order;  // without: that of the dtype
    std::optional<char> dimension_separator;    // without: as is usual in the format
    // Of Zarr v3. With `shard_chunks` of SHARD_CHUNK_SHAPE `chunks` are the shards.
    std::optional<bool> has_key_prefix;
    bool is_sharded = false;
    std::vector<std::uint64_t> shard_chunks;
    // Values of options that other drivers have and Zarr does not, and what is used instead; for
    // the caller to emit.
    std::vector<std::string> warnings;

    // `options` is GDAL's NULL-terminated list of NAME=VALUE, `dtype` that of the array. Errors
    // name the option. Whether codecs take the dtype is checked where the array is made.
    static zarr::Result<ArrayCreationOptions> Parse(CSLConstList options,
                                                    const zarr::DataType& dtype);
};

// The metadata of a new array. `spec` has its format, shape, dtype and default chunks; `options`
// add to them, with a BLOCKSIZE of one number for each dimension. Shards whose shape is not given
// have as many chunks as fit kDefaultShardBytes. Fails where they do not fit each other, or chunks
// could not be encoded.
inline constexpr std::uint64_t kDefaultShardBytes = std::uint64_t{64} << 20;
zarr::Result<zarr::ArrayMetadata> NewArrayMetadata(zarr::ArraySpec spec,
                                                   const ArrayCreationOptions& options);

// The option FORMAT; none where it is not given.
zarr::Result<std::optional<zarr::Format>> ParseFormat(CSLConstList options);

// The format of a new store: `stated`, else that of the configuration option ZARR_DEFAULT_FORMAT,
// else v2.
zarr::Result<zarr::Format> FormatOfNewStore(std::optional<zarr::Format> stated);

// Returns <Option> elements, without the list around them and without codecs that this build lacks.
std::string ArrayOptionList();

// "creation option NAME: expected ..., got ...".
zarr::Status RefuseOption(const char* name, const std::string& expected, const char* got);

// The creation options OVERVIEWS and OVERVIEW_RESAMPLING.
struct OverviewPlan {
    bool is_automatic = false;
    std::vector<int> factors;
    std::string resampling = "NEAREST";

    // `options` is GDAL's NULL-terminated list of NAME=VALUE. Errors name the option.
    static zarr::Result<OverviewPlan> Parse(CSLConstList options);

    bool IsEmpty() const { return !is_automatic && factors.empty(); }
    // The factors for a raster of this size; those of AUTO are the ones that gdaladdo chooses.
    std::vector<int> FactorsFor(int width, int height) const;
};

// True for the methods of resampling that GDAL builds overviews with, and for NONE.
bool IsOverviewResampling(const std::string& method);

// The size of an overview: pixels at the edge count, however many they stand for.
inline int Reduced(int size, int factor) { return size / factor + (size % factor != 0 ? 1 : 0); }

// How CRS and geotransform are written. kEveryReader is CF's way, with what xarray, rioxarray and
// GDAL's built-in driver of any version need to find it.
enum class Georeferenced : std::uint8_t { kEveryReader, kGdal, kSpatialProj, kCf };

// The option GEOREFERENCING_CONVENTION, or `fallback` where it is not given.
zarr::Result<Georeferenced> ParseConvention(CSLConstList options, Georeferenced fallback);

// The dtype of rasters of a GDAL type. `pixel_type`, which may be nullptr, is the option PIXELTYPE
// or the item of metadata by which GDAL before 3.7 says that bytes are signed ones: SIGNEDBYTE.
zarr::Result<zarr::DataType> StoredTypeFor(GDALDataType type, const char* pixel_type);

// The creation options of the classic API, parsed. CreationOptionList() describes them to
// GDAL.
struct CreationOptions {
    ArrayCreationOptions array;
    std::optional<zarr::Format>
        format;  // as FORMAT states it; a store that is added to has its own
    zarr::Format new_format = zarr::Format::kV2;  // of a new store
    std::string array_name;                       // empty: by the file's name
    // Path of the array, or of the group of the arrays, that the name of the target says; empty
    // where the target is a store.
    std::string node;
    // The size of a chunk in pixels, by BLOCKXSIZE and BLOCKYSIZE. 0 means the default, and so do
    // rows without columns.
    std::uint64_t block_x = 0;
    std::uint64_t block_y = 0;
    bool append_subdataset = false;
    std::string append_dim;         // name of a dimension; empty without
    std::string append_dim_values;  // its new coordinates, with commas between; may be empty
    bool single_array = true;
    bool interleave_pixel = false;
    std::optional<bool> is_rgb;  // whether the first bands are red, green and blue, by PHOTOMETRIC
    bool may_split = true;       // no option asks for all bands in one array
    bool consolidate = true;
    std::string synchronizer;  // folder of lock files; empty: none
    Georeferenced georeferenced = Georeferenced::kEveryReader;
    OverviewPlan overviews;

    // `options` is GDAL's NULL-terminated list of NAME=VALUE; `dtype` is that of the
    // arrays. Errors name the option.
    static zarr::Result<CreationOptions> Parse(CSLConstList options, const zarr::DataType& dtype);
};

std::string CreationOptionList();

// The codecs that FILTER, a list of names in encoding order, COMPRESS and their options ask for;
// with the codec of objects in front where `dtype` needs one. Errors name the option.
zarr::Result<std::vector<zarr::CodecSpec>> MakeCodecSpecs(CSLConstList options,
                                                          const zarr::DataType& dtype);

}  // namespace zarr_driver

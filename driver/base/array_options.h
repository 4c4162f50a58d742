// SPDX-License-Identifier: MIT
// Creation options of arrays, shared by the raster API and the multidimensional API.
#pragma once

#include <cpl_port.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/codec/codec_spec.h"
#include "core/dtype/data_type.h"
#include "core/metadata/array_metadata.h"

namespace zarr_driver {

// Creation options that say how the chunks of a new array are laid out and encoded.
struct ArrayCreationOptions {
    std::vector<zarr::CodecSpec> codecs;  // filters, then the compressor
    std::vector<std::uint64_t> chunks;    // BLOCKSIZE, slowest dimension first; empty by default
    bool fortran_order = false;
    // byte order of the elements; nullopt: that of the dtype
    std::optional<zarr::ByteOrder> byte_order;
    std::optional<char> dimension_separator;  // nullopt: the format's default separator
    // True if chunk keys start with "c"; nullopt means the format's default. Only for Zarr v3.
    std::optional<bool> has_key_prefix;
    bool is_sharded = false;
    std::vector<std::uint64_t> shard_chunks;
    // Warnings about option values that GDAL's other drivers have and Zarr lacks. Each text names
    // the value that is used instead. The caller emits the warnings.
    std::vector<std::string> warnings;

    // Parses `options`, GDAL's NULL-terminated list of NAME=VALUE. `dtype` is the data type of the
    // array. Errors name the option. Does not check whether the codecs support `dtype`.
    static zarr::Result<ArrayCreationOptions> Parse(CSLConstList options,
                                                    const zarr::DataType& dtype);
};

// Returns the numbers in the option `name`, slowest dimension first. Returns an empty list if the
// option is not given. Fails unless all are whole numbers from 1 on.
zarr::Result<std::vector<std::uint64_t>> ParseSizes(CSLConstList options, const char* name);

// Returns the <Option> elements that describe ArrayCreationOptions to GDAL, without an enclosing
// list element.
std::string ArrayOptions();

// Returns the metadata of a new array. `spec` states format, shape, dtype and default chunk shape,
// to which `options` are applied. BLOCKSIZE must have a number for each dimension. Fails if `spec`
// and `options` contradict each other, or if chunks could not be encoded.
zarr::Result<zarr::ArrayMetadata> NewArrayMetadata(zarr::ArraySpec spec,
                                                   const ArrayCreationOptions& options);

// Parses the option FORMAT. Returns nullopt if the option is not given.
zarr::Result<std::optional<zarr::Format>> ParseFormat(CSLConstList options);

// Returns the format of a new store: `stated` if given, else the value of the configuration option
// ZARR_DEFAULT_FORMAT, else v2.
zarr::Result<zarr::Format> FormatOfNewStore(std::optional<zarr::Format> stated);

}  // namespace zarr_driver

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
#include "driver/base/codec_options.h"

namespace zarr_driver {

// Creation options that say how the chunks of a new array are laid out and encoded.
struct ArrayCreationOptions {
    CodecChoice codec;
    std::vector<zarr::CodecSpec> codecs;  // filters, then the compressor; made by Complete()
    std::vector<std::uint64_t> chunks;    // BLOCKSIZE, slowest dimension first; empty by default
    bool fortran_order = false;
    // byte order of the elements; nullopt: that of the dtype
    std::optional<zarr::ByteOrder> byte_order;
    std::optional<char> dimension_separator;  // nullopt: the format's default separator
    // True if chunk keys start with "c"; nullopt means the format's default. Only for Zarr v3.
    std::optional<bool> has_key_prefix;
    std::optional<bool> shard;
    std::vector<std::uint64_t> shard_chunks;
    // Warnings about option values that GDAL's other drivers have and Zarr lacks. Each text names
    // the value that is used instead. The caller emits the warnings.
    std::vector<std::string> warnings;

    // Parses `options`, GDAL's NULL-terminated list of NAME=VALUE. Errors name the option.
    static zarr::Result<ArrayCreationOptions> Parse(CSLConstList options);

    // Makes `codecs` for an array of `dtype`, when no option changes any more. Adds warnings about
    // them. Fails if options contradict each other. Does not check whether the codecs support
    // `dtype`.
    zarr::Status Complete(const zarr::DataType& dtype);
    // True if chunks are stored in shards.
    bool IsSharded() const { return shard.value_or(!shard_chunks.empty()); }
};

// Returns the <Option> elements that describe ArrayCreationOptions to GDAL, without an enclosing
// list element.
std::string ArrayOptionList();

// Returns the metadata of a new array. `spec` states format, shape, dtype and default chunk shape,
// to which `options` are applied. BLOCKSIZE must have a number for each dimension. Fails if `spec`
// and `options` contradict each other, or if chunks could not be encoded.
zarr::Result<zarr::ArrayMetadata> NewArrayMetadata(zarr::ArraySpec spec,
                                                   const ArrayCreationOptions& options);

}  // namespace zarr_driver

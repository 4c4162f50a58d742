// SPDX-License-Identifier: MIT
// Creation options of arrays that the classic and the multidimensional API share.
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

// How the chunks of a new array are encoded and laid out.
struct ArrayCreationOptions {
    std::vector<zarr::CodecSpec> codecs;  // filters, then the compressor
    std::vector<std::uint64_t> chunks;    // BLOCKSIZE, slowest dimension first; empty by default
    bool fortran_order = false;
    std::optional<zarr::ByteOrder> byte_order;  // by default the dtype's
    std::optional<char> dimension_separator;    // by default the format's
    // Zarr v3 only. With SHARD_CHUNK_SHAPE, `chunks` is the shape of the shards.
    std::optional<bool> has_key_prefix;
    bool is_sharded = false;
    std::vector<std::uint64_t> shard_chunks;
    // Values of options that other drivers have and Zarr does not, and what replaces them. The
    // caller emits them.
    std::vector<std::string> warnings;

    // `options` is GDAL's NULL-terminated list of NAME=VALUE, `dtype` the data type of the array.
    // Errors name the option. Whether the codecs take `dtype` is not checked.
    static zarr::Result<ArrayCreationOptions> Parse(CSLConstList options,
                                                    const zarr::DataType& dtype);
};

// <Option> elements of ArrayCreationOptions, without the list around them.
std::string ArrayOptions();

// The metadata of a new array. `spec` has its format, shape, dtype and default chunks; `options`
// add to them, with a BLOCKSIZE of one number for each dimension. Fails if they do not fit each
// other, or if chunks could not be encoded.
zarr::Result<zarr::ArrayMetadata> NewArrayMetadata(zarr::ArraySpec spec,
                                                   const ArrayCreationOptions& options);

// The option FORMAT; nullopt if it is not given.
zarr::Result<std::optional<zarr::Format>> ParseFormat(CSLConstList options);

// The format of a new store: `stated`, else the configuration option ZARR_DEFAULT_FORMAT, else v2.
zarr::Result<zarr::Format> FormatOfNewStore(std::optional<zarr::Format> stated);

}  // namespace zarr_driver

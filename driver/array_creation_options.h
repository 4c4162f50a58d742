// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_port.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/dtype/data_type.h"
#include "core/json/value.h"
#include "core/metadata/array_spec.h"

namespace zarr_driver {

// How the chunks of a new array are encoded and laid out: the creation options that the classic and
// the multidimensional API share. `kArrayOptions` describes them to GDAL.
struct ArrayCreationOptions {
    zarr::json::Value compressor;       // of `.zarray`; null for none
    zarr::json::Value filters;          // likewise; holds the codec of objects where they need one
    std::vector<std::uint64_t> chunks;  // of BLOCKSIZE, slowest dimension first; empty: by default
    bool fortran_order = false;
    char dimension_separator = '.';

    // `options` is GDAL's NULL-terminated list of NAME=VALUE, `dtype` that of the array. Errors
    // name the option. Whether codecs take the dtype is checked where the array is made.
    static zarr::Result<ArrayCreationOptions> Parse(CSLConstList options,
                                                    const zarr::DataType& dtype);
};

// The `.zarray` of an array that `options` shape further: `spec` has its shape, dtype and the
// chunks that it has by default. Fails where they do not fit, or what is written could not be
// encoded.
zarr::Result<zarr::json::Object> MakeDocument(zarr::ArraySpec spec,
                                              const ArrayCreationOptions& options);

// <Option> elements, without the list around them.
extern const char* const kArrayOptions;

// "creation option NAME: expected ..., got ...".
zarr::Status RefuseOption(const char* name, const std::string& expected, const char* got);

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_port.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/json/value.h"

namespace zarr_driver {

// How chunks are encoded and laid out.
struct ArrayCreationOptions {
    zarr::json::Value compressor;       // of `.zarray`; null for none
    zarr::json::Value filters;          // likewise
    std::vector<std::uint64_t> chunks;  // of BLOCKSIZE, slowest dimension first; empty: by default
    bool fortran_order = false;
    char dimension_separator = '.';
};

enum class Georeferenced : std::uint8_t { kGdalAndCf, kGdal, kSpatialProj, kCf };

// The creation options of the classic API, parsed. `kCreationOptionList` describes them to GDAL.
struct CreationOptions {
    ArrayCreationOptions array;
    std::string array_name;  // empty: by the file's name
    bool is_v3 = false;      // FORMAT=ZARR_V3: for GDAL's built-in driver
    bool append_subdataset = false;
    bool single_array = true;
    bool interleave_pixel = false;
    bool consolidate = true;
    Georeferenced georeferenced = Georeferenced::kGdalAndCf;

    // `options` is GDAL's NULL-terminated list of NAME=VALUE; `typestr` is the dtype of the
    // elements, for filters that need it. Errors name the option.
    static zarr::Result<CreationOptions> Parse(CSLConstList options, const std::string& typestr);
};

extern const char* const kCreationOptionList;

}  // namespace zarr_driver

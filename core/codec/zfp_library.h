// SPDX-License-Identifier: MIT
// Functions of libzfp. On Linux, libzfp is loaded when a chunk first needs it, in a way that keeps
// other libraries from replacing its functions: cfitsio has functions stream_open, stream_close,
// stream_size and stream_flush too, and programs that link GDAL also link cfitsio. If the plugin
// were linked to libzfp, libzfp would call cfitsio's functions in gdalinfo and QGIS, and crash.
#pragma once

#include <zfp.h>

#include "core/base/status.h"

// Calls member(name) for each function and constant of libzfp that this project uses.
// clang-format off
#define ZARR_FOR_EACH_ZFP_FUNCTION(member) \
    member(stream_close) \
    member(stream_open) \
    member(stream_word_bits) \
    member(zfp_compress) \
    member(zfp_decompress) \
    member(zfp_field_alloc) \
    member(zfp_field_dimensionality) \
    member(zfp_field_free) \
    member(zfp_read_header) \
    member(zfp_stream_close) \
    member(zfp_stream_maximum_size) \
    member(zfp_stream_open) \
    member(zfp_stream_rewind) \
    member(zfp_stream_set_accuracy) \
    member(zfp_stream_set_bit_stream) \
    member(zfp_stream_set_params) \
    member(zfp_stream_set_precision) \
    member(zfp_stream_set_rate) \
    member(zfp_stream_set_reversible) \
    member(zfp_type_size) \
    member(zfp_write_header)
// clang-format on

namespace zarr {

// Each member points to the function or constant of libzfp with its name.
struct ZfpFunctions {
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define ZARR_ZFP_MEMBER(name) decltype(&::name) name = nullptr;
    ZARR_FOR_EACH_ZFP_FUNCTION(ZARR_ZFP_MEMBER)
#undef ZARR_ZFP_MEMBER
};

// Loads libzfp at the first call. Returns kUnsupported if the library is not installed, or if
// another library replaces its functions; every later call then returns that error too.
// Thread-safe.
Status LoadLibzfp();

// Returns the functions of libzfp. They may only be called after LoadLibzfp() has succeeded.
// Thread-safe.
const ZfpFunctions& Libzfp();

}  // namespace zarr

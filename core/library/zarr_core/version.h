// SPDX-License-Identifier: MIT
// Version of the library, and the codecs that it was built without.
#pragma once

#include <string>
#include <vector>

#include "zarr_core/export.h"

// Version of these headers: major.minor.patch.
#define ZARR_CORE_VERSION_MAJOR 0
#define ZARR_CORE_VERSION_MINOR 1
#define ZARR_CORE_VERSION_PATCH 0

namespace zarr_core {

// Returns the version of the library that is loaded at run time, such as "0.1.0". The string is
// static. Thread-safe.
ZARR_CORE_EXPORT const char* Version() noexcept;

// A codec that the library was built without.
struct MissingCodec {
    std::string codec;    // the codec's name in Zarr v2 or v3, such as "zfpy"
    std::string library;  // the library that the codec needs, such as "libzfp"
    std::string option;   // the CMake option that excluded the codec, such as "ZARR_WITH_ZFP"
};

// Returns the codecs that this build was configured without; empty by default. Opening an array
// with such a codec fails with StatusCode::kUnsupported. The message names the library and the
// option. Thread-safe.
ZARR_CORE_EXPORT std::vector<MissingCodec> MissingCodecs();

}  // namespace zarr_core

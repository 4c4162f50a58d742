// SPDX-License-Identifier: MIT
// The version of the library, and which codecs it was built without.
#pragma once

#include <string>
#include <vector>

#include "zarr_core/export.h"

// The version of these headers: major.minor.patch.
#define ZARR_CORE_VERSION_MAJOR 0
#define ZARR_CORE_VERSION_MINOR 1
#define ZARR_CORE_VERSION_PATCH 0

namespace zarr_core {

// Returns the version of the library that the program runs with, such as "0.1.0". The text is never
// freed. Thread-safe.
ZARR_CORE_EXPORT const char* Version() noexcept;

// A codec that the library was built without.
struct MissingCodec {
    std::string codec;    // its name in Zarr v2 or v3, such as "zfpy"
    std::string library;  // the library that it needs, such as "libzfp"
    std::string option;   // the CMake option that left it out, such as "ZARR_WITH_ZFP"
};

// Returns the codecs that this build lacks; none by default. Arrays with these codecs can be opened
// and described only as far as Hierarchy says; opening one fails with StatusCode::kUnsupported and
// names the library. Thread-safe.
ZARR_CORE_EXPORT std::vector<MissingCodec> MissingCodecs();

}  // namespace zarr_core

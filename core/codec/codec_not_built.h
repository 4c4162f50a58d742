// SPDX-License-Identifier: MIT
// Codecs that this build lacks, because their CMake option ZARR_WITH_... is OFF.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/status.h"

namespace zarr {

struct LeftOutCodec {
    std::string_view name;     // numcodecs' id, or the name of Zarr v3 without "numcodecs."
    std::string_view library;  // the library that the codec needs
    std::string_view option;   // the CMake option that is OFF and leaves the codec out
};

// Returns the codecs that this build lacks; none by default. Thread-safe.
const std::vector<LeftOutCodec>& LeftOutCodecs();

// True if this build lacks the codec `name`. Thread-safe.
bool IsLeftOut(std::string_view name);

// Returns kUnsupported if this build lacks the codec `name`. The message names the missing library
// and the CMake option. Thread-safe.
Status CheckBuilt(std::string_view name);

}  // namespace zarr

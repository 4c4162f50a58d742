// SPDX-License-Identifier: MIT
// Error and warning messages about the values of creation options.
#pragma once

#include <string>

#include "core/base/status.h"
#include "core/base/text.h"

namespace zarr_driver {

// Returns the error "creation option NAME: expected ..., got ...".
inline zarr::Status RefuseOption(const char* name, const std::string& expected, const char* got) {
    return zarr::Status::Invalid(std::string("creation option ") + name + ": expected " + expected +
                                 ", got " + zarr::Quoted(got));
}

// Returns a warning that Zarr does not have the option value `value` of other drivers, and that the
// default `used` replaces it.
inline std::string UnknownToZarr(const char* option, const char* value, const char* used) {
    return std::string("creation option ") + option + ": Zarr has no " + value + "; the default " +
           used + " is used";
}

}  // namespace zarr_driver

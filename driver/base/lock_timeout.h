// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

#include "core/base/status.h"

namespace zarr_driver {

// Returns how long a writer waits for another one: the option LOCK_TIMEOUT in GDAL's
// NULL-terminated list of NAME=VALUE, else the configuration option ZARR_LOCK_TIMEOUT, else 60 s.
// Fails if the value is not a number of seconds from 0 on.
zarr::Result<std::chrono::milliseconds> ParseLockTimeout(const char* const* options);

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/status.h"
#include "core/store/store_lock.h"

namespace zarr_driver {

// Returns how a writer waits for another one. LOCK_TIMEOUT in GDAL's NULL-terminated list of
// NAME=VALUE, else the configuration option ZARR_LOCK_TIMEOUT, is the number of seconds, by default
// 60. REQUIRE_LOCK, else ZARR_REQUIRE_LOCK, says whether the store must have a lock. Fails if a
// value is not a number of seconds from 0 on.
zarr::Result<zarr::LockWait> ParseLockWait(const char* const* options);

}  // namespace zarr_driver

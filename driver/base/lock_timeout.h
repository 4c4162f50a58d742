// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "core/base/status.h"

namespace zarr_driver {

// Returns how long a writer waits for another one: the option LOCK_TIMEOUT in GDAL's
// NULL-terminated list of NAME=VALUE, else the configuration option ZARR_LOCK_TIMEOUT, else 60 s.
// Fails if the value is not a number of seconds from 0 on.
zarr::Result<std::chrono::milliseconds> ParseLockTimeout(const char* const* options);

// Makes the option LOCK_TIMEOUT of a list the default for everything that this thread opens or
// begins during the lifetime of this object. A list without the option changes nothing.
class LockTimeoutScope {
  public:
    explicit LockTimeoutScope(const char* const* options);
    ~LockTimeoutScope();
    LockTimeoutScope(const LockTimeoutScope&) = delete;
    LockTimeoutScope& operator=(const LockTimeoutScope&) = delete;

  private:
    bool is_set_;
    std::optional<std::string> before_;  // the thread's own value of the configuration option
};

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_port.h>

#include <string>

#include "core/base/fork.h"
#include "driver/base/report.h"

namespace zarr_driver {

// While it lives GDAL's file systems are asked something: what they would print is kept. Where they
// answer soon, as local ones do, a process that forks waits for it, so that a child does not find
// locks of theirs that another thread held.
class QuietCall {
  public:
    explicit QuietCall(const std::string& path)
        : is_soon_answered_(!STARTS_WITH(path.c_str(), "/vsi") ||
                            STARTS_WITH(path.c_str(), "/vsimem/")) {
        if (is_soon_answered_) zarr::EnterForkSafeSection();
    }
    ~QuietCall() {
        if (is_soon_answered_) zarr::LeaveForkSafeSection();
    }
    QuietCall(const QuietCall&) = delete;
    QuietCall& operator=(const QuietCall&) = delete;

  private:
    const bool is_soon_answered_;
    const QuietErrors quiet_;
};

}  // namespace zarr_driver

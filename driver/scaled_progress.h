// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_progress.h>

namespace zarr_driver {

// A part of somebody's progress, as one of its own from 0 to 1.
class ScaledProgress {
  public:
    // `progress` may be nullptr.
    ScaledProgress(double from, double to, GDALProgressFunc progress, void* data)
        : data_(GDALCreateScaledProgress(
              from, to, progress != nullptr ? progress : GDALDummyProgress, data)) {}
    ~ScaledProgress() { GDALDestroyScaledProgress(data_); }
    ScaledProgress(const ScaledProgress&) = delete;
    ScaledProgress& operator=(const ScaledProgress&) = delete;

    // The function and data to hand on.
    static int CPL_STDCALL Report(double complete, const char* message, void* data) {
        return data != nullptr ? GDALScaledProgress(complete, message, data) : TRUE;
    }
    void* data() const { return data_; }

  private:
    void* const data_;  // nullptr where nobody is to be told
};

}  // namespace zarr_driver

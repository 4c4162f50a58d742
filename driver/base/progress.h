// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_progress.h>

namespace zarr_driver {

// Wraps a progress function and remembers whether it asked to cancel, because GDAL sometimes
// ignores this. For one job on one thread.
class WatchedProgress {
  public:
    // `progress` is the caller's progress function and may be nullptr.
    WatchedProgress(GDALProgressFunc progress, void* data) : progress_(progress), data_(data) {}
    ~WatchedProgress() = default;
    WatchedProgress(const WatchedProgress&) = delete;
    WatchedProgress& operator=(const WatchedProgress&) = delete;

    // Progress function for GDAL, to be passed with this object as `data`.
    static int CPL_STDCALL Report(double complete, const char* message, void* data) {
        auto* watched = static_cast<WatchedProgress*>(data);
        if (watched->progress_ != nullptr && !watched->progress_(complete, message, watched->data_))
            watched->is_cancelled_ = true;
        return watched->is_cancelled_ ? FALSE : TRUE;
    }

    bool IsCancelled() const { return is_cancelled_; }

  private:
    GDALProgressFunc const progress_;
    void* const data_;
    bool is_cancelled_ = false;
};

// Reports the progress of one part of a job. The caller sees this part's progress, from 0 to 1, as
// progress between `from` and `to`.
class ScaledProgress {
  public:
    // `progress` is the caller's progress function and may be nullptr.
    ScaledProgress(double from, double to, GDALProgressFunc progress, void* data)
        : data_(GDALCreateScaledProgress(
              from, to, progress != nullptr ? progress : GDALDummyProgress, data)) {}
    ~ScaledProgress() { GDALDestroyScaledProgress(data_); }
    ScaledProgress(const ScaledProgress&) = delete;
    ScaledProgress& operator=(const ScaledProgress&) = delete;

    // Progress function for GDAL, to be passed with data().
    static int CPL_STDCALL Report(double complete, const char* message, void* data) {
        return data != nullptr ? GDALScaledProgress(complete, message, data) : TRUE;
    }
    void* data() const { return data_; }

  private:
    void* const data_;  // nullptr if the caller passed no progress function
};

}  // namespace zarr_driver

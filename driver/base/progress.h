// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_progress.h>

namespace zarr_driver {

// A caller's progress function for a job that changes a store. It keeps in mind that the job was
// cancelled: GDAL looks at the answer now and then only, and not at the last one. For one job of
// one thread.
class WatchedProgress {
  public:
    // `progress` may be nullptr.
    WatchedProgress(GDALProgressFunc progress, void* data) : progress_(progress), data_(data) {}
    ~WatchedProgress() = default;
    WatchedProgress(const WatchedProgress&) = delete;
    WatchedProgress& operator=(const WatchedProgress&) = delete;

    // The function to hand on, with this object as its data.
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

// A part of a caller's progress, as one of its own from 0 to 1.
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
    void* const data_;  // nullptr where nothing is to be reported
};

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_progress.h>

namespace zarr_driver {

// Somebody's progress function for a job that changes a store. It keeps in mind that the job was
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

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_progress.h>

#include "driver/interrupt.h"

namespace zarr_driver {

// Somebody's progress for a job that changes a store, which a signal cancels as well, and which
// keeps in mind that it was cancelled: GDAL looks at the answer now and then only, and not at the
// last one. For one job, and to be made before what is undone where that fails.
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
            watched->is_refused_ = true;
        return watched->IsCancelled() ? FALSE : TRUE;
    }

    bool IsCancelled() const { return is_refused_ || InterruptScope::IsRequested(); }

  private:
    const InterruptScope scope_;
    GDALProgressFunc const progress_;
    void* const data_;
    bool is_refused_ = false;
};

}  // namespace zarr_driver

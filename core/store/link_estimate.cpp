// SPDX-License-Identifier: MIT
#include "core/store/link_estimate.h"

#include <algorithm>
#include <mutex>

#include "core/base/tuning.h"

namespace zarr {

namespace {

constexpr double kSecond = 1e9;  // one second in nanoseconds

}  // namespace

void LinkEstimate::Note(std::uint64_t bytes, std::uint64_t nanoseconds) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (bytes <= tuning::kLatencyBytes) {
        // A faster response sets the latency at once; a slower response raises the latency only a
        // little, because its cause is mostly a new connection or a busy client.
        const auto known = static_cast<double>(latency_);
        const auto seen = static_cast<double>(nanoseconds);
        latency_ =
            !has_latency_ || seen < known
                ? nanoseconds
                : static_cast<std::uint64_t>(known + (seen - known) * tuning::kSlowResponseWeight);
        has_latency_ = true;
    } else if (bytes >= tuning::kRateBytes) {
        const std::uint64_t waited = std::min(latency_, nanoseconds / 2);
        const double seconds =
            static_cast<double>(std::max<std::uint64_t>(nanoseconds - waited, 1)) / kSecond;
        const double seen = static_cast<double>(bytes) / seconds;
        rate_ =
            has_rate_ ? rate_ * tuning::kOldRateShare + seen * (1 - tuning::kOldRateShare) : seen;
        has_rate_ = true;
    }
}

std::uint64_t LinkEstimate::latency() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return latency_;
}

double LinkEstimate::rate() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return rate_;
}

ReadCost LinkEstimate::Cost() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const double bytes = static_cast<double>(latency_) / kSecond * rate_;
    const auto gap = bytes < static_cast<double>(tuning::kMaxGap)
                         ? static_cast<std::uint64_t>(bytes)
                         : tuning::kMaxGap;
    return {std::max(gap, tuning::kMinGap), tuning::kRequestBytes, tuning::kWasteShare,
            tuning::kFreeGap};
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

namespace zarr {

// What `work()` returns; gives the nanoseconds that it took to `add`, a function of std::uint64_t.
template <class Work, class Add>
auto Timed(Work&& work, Add&& add) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    auto result = work();
    const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start);
    add(static_cast<std::uint64_t>(time.count()));
    return result;
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
#pragma once

namespace zarr {

// Runs what may fail without harm, as where memory runs out in a destructor, which may not throw.
template <class Work>
void NoThrow(Work&& work) noexcept {
    try {
        work();
    } catch (...) {  // NOLINT(bugprone-empty-catch): as said above
    }
}

}  // namespace zarr

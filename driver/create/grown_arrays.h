// SPDX-License-Identifier: MIT
// Values of arrays that grow because an append extends one of their dimensions, but that get no
// values from the source.
#pragma once

#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/hierarchy/hierarchy.h"
#include "driver/create/growing_coordinates.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

// Fills the added elements of grown arrays. Not thread-safe.
class GrownArrays {
  public:
    // `before` shows the arrays with their old sizes, `grown` with their new sizes. The references
    // must outlive this object. `threads` is the number of threads that encode chunks.
    GrownArrays(const zarr::Hierarchy& before, const zarr::Hierarchy& grown, StoreUpdate& update,
                std::size_t threads)
        : before_(before), grown_(grown), update_(update), threads_(threads) {}

    // Gives the added elements of the array at `path` its missing value: the nodata value, else NaN
    // or NaT, else zero. Stores no chunk whose elements readers already take for missing.
    zarr::Status FillMissing(const std::string& path);

    // Writes the bounds of the coordinates `added`, each as an element of the coordinate array, if
    // the bounds in the array at `path` continue by a plain rule. Returns false if no rule is
    // plain; the added bounds are then unchanged.
    zarr::Result<bool> ContinueBounds(const std::string& path,
                                      const GrowingCoordinates& coordinates,
                                      const std::vector<std::string>& added);

    // Returns the paths of filled arrays that have no missing value, so that their added elements
    // look like valid zeros.
    const std::vector<std::string>& zeros() const { return zeros_; }

  private:
    const zarr::Hierarchy& before_;
    const zarr::Hierarchy& grown_;
    StoreUpdate& update_;
    const std::size_t threads_;
    std::vector<std::string> zeros_;
};

}  // namespace zarr_driver

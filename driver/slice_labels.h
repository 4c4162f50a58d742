// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_string.h>

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "driver/raster_layout.h"

namespace zarr_driver {

// What tells the slices of an array apart: the coordinates along its extra dimensions. They are
// read once, when first asked for. Thread-safe.
class SliceLabels {
  public:
    // `layout` is borrowed.
    SliceLabels(std::shared_ptr<const zarr::Hierarchy> hierarchy, const RasterLayout& layout,
                std::string store_path);

    // Adds DIM_{name}_INDEX, and where there are coordinates DIM_{name}_VALUE and DIM_{name}_UNIT,
    // for each extra dimension.
    void AddMetadata(std::uint64_t slice, CPLStringList& list);

    // "time=3, level=850": the coordinates, or the indices of dimensions without any; empty where
    // the array has no extra dimensions.
    std::string Description(std::uint64_t slice);

  private:
    struct Axis {
        bool loaded = false;
        std::vector<std::string> values;  // empty where there are none
        std::string units;
    };

    const Axis& Load(std::size_t index);
    zarr::Result<std::vector<std::string>> ReadValues(const std::string& path) const;

    const std::shared_ptr<const zarr::Hierarchy> hierarchy_;
    const RasterLayout& layout_;
    const std::string store_path_;
    std::mutex mutex_;
    std::vector<Axis> axes_;  // one for each of layout_.other_axes
};

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/conventions/multiscales.h"
#include "core/dtype/fill_value.h"
#include "core/json/value.h"
#include "driver/base/debug_log.h"
#include "driver/georef/raster_layout.h"
#include "driver/raster/ome.h"
#include "driver/raster/slice_labels.h"

namespace zarr_driver {

// An array that gives a dataset some or all of its bands.
struct BandArray {
    RasterLayout layout;
    zarr::LevelListing listing;  // as a level of an OME image or of ndpyramid
    OmeChannels channels;
    std::unique_ptr<SliceLabels> labels;
    std::unique_ptr<ArrayActivity> activity;
    std::optional<zarr::FillValue> nodata;  // an element of the array, as it was read
    bool attributes_changed = false;        // since they were written
    zarr::json::Value attributes_before;    // as they were when read or written last
};

// The arrays of a dataset, in the order of its bands. They lie in one group, and share their
// dimensions.
using BandArrays = std::vector<std::unique_ptr<BandArray>>;

inline std::set<std::string> PathsOf(const BandArrays& arrays) {
    std::set<std::string> paths;
    for (const auto& array : arrays) paths.insert(array->layout.facts.path);
    return paths;
}

}  // namespace zarr_driver

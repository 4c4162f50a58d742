// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_string.h>

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "core/base/turn.h"
#include "core/conventions/coordinates.h"
#include "driver/georef/raster_layout.h"
#include "driver/raster/ome.h"

namespace zarr_driver {

// What tells the slices of an array apart: the coordinates along its extra dimensions. They are
// read once, when first asked for, and for no longer than the open option
// LOAD_EXTRA_DIM_METADATA_DELAY allows; what is not read by then has no coordinates. Thread-safe.
class SliceLabels {
  public:
    // `layout`, `channels`, `options` and `listing`, the array's as a level of an image, are
    // borrowed.
    SliceLabels(std::shared_ptr<const zarr::Hierarchy> hierarchy, const RasterLayout& layout,
                const OmeChannels& channels, const zarr::LevelListing& listing,
                std::string store_path, const OpenOptions& options);

    // Adds for each extra dimension DIM_{name}_INDEX, and where there are coordinates
    // DIM_{name}_VALUE as stored, DIM_{name}_UNIT, and DIM_{name}_TIME for a time, in the form of
    // zarr::DateTimeText().
    void AddMetadata(std::uint64_t slice, CPLStringList& list);

    // "time=2020-01-02T00:00:00Z, level=850 hPa": the coordinates, or the indices of dimensions
    // without any; "red" where strings or names of channels along one dimension say it all, as
    // others have but one index and nothing to say; empty where the array has no extra dimensions,
    // or only one called band, without coordinates.
    std::string Description(std::uint64_t slice);

    // True where descriptions may be names: some coordinates are strings. Reads no coordinates.
    bool AreNames() const;

  private:
    struct Axis {
        std::uint64_t first = 0;        // index of the first label
        zarr::CoordinateLabels labels;  // no items where there are none
    };

    const Axis& Load(std::size_t index) const;
    Axis ReadLabels(std::size_t index) const;
    // Of a dimension of an OME image, by its scale and translation.
    Axis ImageLabels(std::size_t index) const;
    // The label at an index; nullptr where there is none.
    static const zarr::CoordinateLabel* Find(const Axis& axis, std::uint64_t index);

    const std::shared_ptr<const zarr::Hierarchy> hierarchy_;
    const RasterLayout& layout_;
    const OmeChannels& channels_;
    const zarr::LevelListing& listing_;
    const std::string store_path_;
    const OpenOptions& options_;
    std::vector<zarr::Lazy<Axis>> axes_;    // one for each of layout_.other_axes
    mutable std::atomic<double> spent_{0};  // seconds
    mutable std::atomic<bool> gave_up_{false};
};

}  // namespace zarr_driver

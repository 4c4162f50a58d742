// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_string.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/base/completion.h"
#include "core/conventions/cf/coordinates.h"
#include "driver/georef/raster_layout.h"
#include "driver/raster/ome_channels.h"

namespace zarr_driver {

// Labels the slices of an array by the coordinates along its extra dimensions (all except X and Y),
// which are read on first use. Reading stops after the time in the open option
// LOAD_EXTRA_DIM_METADATA_DELAY; dimensions that are not read yet get no labels. Thread-safe.
class SliceLabels {
  public:
    // `layout`, `channels`, `listing` and `options` must outlive this object. `listing` describes
    // the image of which the array is a level.
    SliceLabels(std::shared_ptr<const zarr::Hierarchy> hierarchy, const RasterLayout& layout,
                const OmeChannels& channels, const zarr::LevelListing& listing,
                std::string store_path, const OpenOptions& options);

    // Name of a band along an axis of the array, from a list of names. Without an axis, the name of
    // the whole array.
    struct Name {
        std::optional<std::size_t> axis;
        std::string text;
    };

    // Adds metadata items for a slice to `list`. Each extra dimension gets DIM_{name}_INDEX. A
    // dimension with coordinates also gets DIM_{name}_VALUE as stored, and DIM_{name}_UNIT. Times
    // get DIM_{name}_TIME in the form of zarr::DateTimeText().
    //
    // Scalar coordinates, which the attribute `coordinates` of the array or its group names, get
    // the items except DIM_{name}_INDEX. An example is the time of an array without that dimension.
    //
    // A single extra dimension "band" gets no items if its coordinates are absent, texts, or the
    // numbers 1, 2, 3 and so on: such bands form no cube.
    void AddMetadata(std::uint64_t slice, CPLStringList& list);

    // Returns a description such as "time=2020-01-02T00:00:00Z, level=850 hPa". A dimension without
    // coordinates is described by its index. If only one dimension has several slices, its text
    // coordinate or channel name alone is returned, such as "red". Empty if the array has no extra
    // dimension, or only a dimension "band" without coordinates.
    //
    // `name` describes the slice along an axis without text coordinates.
    std::string Description(std::uint64_t slice, const std::optional<Name>& name);

    // True if some coordinates are text, so that descriptions may be names of bands. Does not read
    // coordinates.
    bool AreNames() const;

  private:
    // True if the extra dimension at `index` is the only one and is called "band".
    bool IsPlainBand(std::size_t index) const;
    struct Axis {
        std::uint64_t first = 0;        // index along the axis at which `labels` begin
        zarr::CoordinateLabels labels;  // empty if the labels are unknown
    };

    // True if the labels are the numbers of the bands: 1, 2, 3, ...
    static bool AreNumbersOfBands(const Axis& axis);
    const Axis& Load(std::size_t index) const;
    Axis ReadLabels(std::size_t index) const;
    // Reads the coordinates of a dimension within the time that is left. Warns on failure.
    std::optional<zarr::CoordinateLabels> ReadInTime(const zarr::Dimension& dimension,
                                                     zarr::LabelRange range) const;
    struct Scalar {
        std::string name;
        zarr::CoordinateLabels labels;
    };
    const std::vector<Scalar>& LoadScalars() const;
    std::vector<Scalar> ReadScalars() const;
    // Computes the labels of a dimension of an OME image from its scale and translation.
    Axis ImageLabels(std::size_t index) const;
    // Returns the label at `index` along an axis, or nullptr if the axis has no label there.
    static const zarr::CoordinateLabel* Find(const Axis& axis, std::uint64_t index);

    const std::shared_ptr<const zarr::Hierarchy> hierarchy_;
    const RasterLayout& layout_;
    const OmeChannels& channels_;
    const zarr::LevelListing& listing_;
    const std::string store_path_;
    const OpenOptions& options_;
    std::vector<zarr::Lazy<Axis>> axes_;  // labels of each of layout_.other_axes
    zarr::Lazy<std::vector<Scalar>> scalars_;
    mutable std::atomic<double> spent_{0};  // seconds spent on reading coordinates
    mutable std::atomic<bool> has_timed_out_{false};
};

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/facts/array_facts.h"
#include "core/conventions/group/multiscales.h"
#include "core/grid/region.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// Unpacked values of a coordinate array, in row-major order.
struct Coordinates {
    std::vector<double> values;
    // Index of each of `values` in the array, if only a part of the array was read. The indices are
    // ascending and include the first and last element. Empty if all values were read.
    std::vector<std::uint64_t> places;
    // Maximum rounding error of a stored value, relative to the value. For float32 the error is
    // half a unit in the last place, for other types 0.
    double relative_noise = 0;

    // Returns the index in the array of the value at `i`.
    double PlaceOf(std::size_t i) const {
        return static_cast<double>(places.empty() ? i : places[i]);
    }
};

// Reads a whole numeric array of any rank and unpacks the values. Returns kLimit if the array has
// more than Limit::kCoordinates elements, kCorrupt if the elements are not numbers.
Result<Coordinates> ReadCoordinates(const Hierarchy& hierarchy, const std::string& path,
                                    const json::Value& attributes, std::size_t threads);

// Reads and unpacks `count` elements of a 1-D array from index `first` on. Returns kLimit if
// `count` is too large, kCorrupt if the elements are not numbers. Returns kInvalidArgument if the
// range exceeds the array.
Result<Coordinates> ReadCoordinates(const Hierarchy& hierarchy, const std::string& path,
                                    const json::Value& attributes, std::uint64_t first,
                                    std::uint64_t count, std::size_t threads);

// Reads and unpacks the elements of `region` in an array of any rank. Returns kLimit if `region`
// has too many elements, kCorrupt if the elements are not numbers.
Result<Coordinates> ReadCoordinates(const Hierarchy& hierarchy, const std::string& path,
                                    const json::Value& attributes, const Region& region,
                                    std::size_t threads);

// Maximum number of chunks of an axis that ReadAxis() reads.
inline constexpr std::uint64_t kMaxAxisChunks = 64;
// Reads a 1-D array, or a sample that suffices to find out whether the values are regular. An axis
// of more than kMaxAxisChunks chunks is sampled: the chunks at both ends and evenly spaced chunks
// between.
Result<Coordinates> ReadAxis(const Hierarchy& hierarchy, const std::string& path,
                             const json::Value& attributes, std::size_t threads);

// Appends to `keys` the keys of the chunks that ReadAxis() reads of the array at `path`. Appends
// nothing if the array is sharded or not 1-D, or if `path` is empty.
void AddAxisKeys(const Hierarchy& hierarchy, const std::string& path,
                 std::vector<std::string>& keys);

// Prefetches, in one call of Store::Prefetch(), the chunks that ReadAxis() will read of the
// coordinate arrays of all `dimensions`.
void PrefetchAxes(const Hierarchy& hierarchy, const std::vector<const Dimension*>& dimensions);
// Regular coordinates: the centre of the first cell, and the signed distance between cells.
struct RegularAxis {
    double start = 0;
    double spacing = 0;
};

// Returns the axis between the first and last value if the coordinates are regular. Each value may
// differ from its regular position by a thousandth of the spacing, or by rounding if stored as
// float32. Values that are rounded to decimals may differ by half a unit of their last digit.
// Returns nullopt if the values are irregular. Also returns nullopt for fewer than two values,
// which do not give a spacing. NaN and constant coordinates give a warning that starts with `name`.
Fact<std::optional<RegularAxis>> FitRegularAxis(const Coordinates& coordinates,
                                                const std::string& name);

// Maximum number of coordinates that are read as labels, and maximum size of their elements in the
// store.
inline constexpr std::uint64_t kMaxLabels = 65536;
inline constexpr std::size_t kMaxLabelBytes = std::size_t{64} << 20;
// Maximum number of bytes of the units in a label; longer units are truncated.
inline constexpr std::size_t kMaxUnitBytes = 255;

// A coordinate as text, for display.
struct CoordinateLabel {
    std::string value;  // the stored element as text: a string, or ElementText()
    std::string label;  // for example "2020-01-02T00:00:00Z", "850 hPa", "6 hours" or "red"
    // Equal to `label` if the coordinate is a time; empty for all others and for missing times.
    std::string time;
};

// Labels of consecutive coordinates of a dimension.
struct CoordinateLabels {
    std::vector<CoordinateLabel> items;
    std::string units;     // attribute `units`, else units of the NumPy time type; may be empty
    bool is_text = false;  // true if the array stores strings
};

// The range of coordinates to read, and the deadline for reading them.
struct LabelRange {
    using Clock = std::chrono::steady_clock;

    std::uint64_t first = 0;
    std::uint64_t count = 0;
    std::size_t threads = 1;
    std::optional<Clock::time_point> deadline;  // nullopt if there is no time limit
};

// Reads coordinates of a dimension and converts them to labels; chunks are read in parallel. Times
// are decoded by the CF units and calendar, or by the NumPy type. Other numbers are unpacked and
// get their units.
//
// Returns kCancelled if the deadline passes; chunks that have started are finished. Returns kLimit
// above kMaxLabels or kMaxLabelBytes. An invalid attribute gives a warning that names the array,
// and is ignored. `dimension` must have a coordinate array: of one dimension, or a scalar whose
// only element is 0.
Fact<Result<CoordinateLabels>> ReadCoordinateLabels(const Hierarchy& hierarchy,
                                                    const Dimension& dimension,
                                                    const LabelRange& range);

// Returns the coordinates of `count` elements from index `first` on along dimension `axis`, with
// their unit, as the image states them. `rank` is the rank of the array. Returns nullopt if `axis`
// is a channel axis, if the image states no coordinates, or if `count` exceeds kMaxLabels.
std::optional<CoordinateLabels> ImageCoordinates(const LevelListing& listing, std::size_t rank,
                                                 std::size_t axis, std::uint64_t first,
                                                 std::uint64_t count);

}  // namespace zarr

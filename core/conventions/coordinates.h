// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/array_facts.h"
#include "core/conventions/attributes.h"
#include "core/grid/region.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// Values of a coordinate array, unpacked, in row-major order.
struct Coordinates {
    std::vector<double> values;
    // Their indices, ascending, where they are some of the array's, its ends among them; empty
    // where they are all.
    std::vector<std::uint64_t> places;
    // How far a value may be off for its storage alone: half a unit in the last place of float32,
    // relative to the value; 0 for other types.
    double relative_noise = 0;
};

// Reads a whole numeric array of any rank. kLimit where it is longer than Limit::kCoordinates,
// kCorrupt where it does not hold numbers.
Result<Coordinates> ReadCoordinates(const Hierarchy& hierarchy, const std::string& path,
                                    const json::Value& attributes, std::size_t threads);

// Reads `count` of an array of one dimension from `first` on, as ReadCoordinates() does.
Result<Coordinates> ReadCoordinates(const Hierarchy& hierarchy, const std::string& path,
                                    const json::Value& attributes, std::uint64_t first,
                                    std::uint64_t count, std::size_t threads);

// Reads a part of an array of any rank, as ReadCoordinates() does the whole.
Result<Coordinates> ReadCoordinates(const Hierarchy& hierarchy, const std::string& path,
                                    const json::Value& attributes, const Region& region,
                                    std::size_t threads);

// Reads as much of an array of one dimension as tells whether it is regular: all of it, or of one
// in more than kMostAxisChunks chunks those at its ends, and others between that lie evenly.
inline constexpr std::uint64_t kMostAxisChunks = 64;
Result<Coordinates> ReadAxis(const Hierarchy& hierarchy, const std::string& path,
                             const json::Value& attributes, std::size_t threads);

// Appends the keys of the values that ReadAxis() reads whole of an array; none of one that is no
// axis, or of an empty path.
void AddAxisKeys(const Hierarchy& hierarchy, const std::string& path,
                 std::vector<std::string>& keys);
// Asks for what ReadAxis() reads of the dimensions' coordinate arrays ahead, together; see
// Store::Prefetch().
void PrefetchAxes(const Hierarchy& hierarchy, const std::vector<const Dimension*>& dimensions);

// Centre of the first cell and distance between cells of regular coordinates.
struct RegularAxis {
    double start = 0;
    double spacing = 0;
};

// Whether coordinates are regular: each within a thousandth of the spacing of its place, or within
// float32's rounding where they are stored as that. nullopt where they are not, or where fewer than
// two leave the spacing unknown. NaN and constant coordinates give a warning that starts with
// `name`.
std::optional<RegularAxis> FitRegularAxis(const Coordinates& coordinates, const std::string& name,
                                          Warnings& warnings);

// Most coordinates that are read as labels, and most bytes of memory for them.
inline constexpr std::uint64_t kMaxLabels = 65536;
inline constexpr std::size_t kMaxLabelBytes = std::size_t{64} << 20;
// Most bytes of their units, which stand beside each; longer ones are cut.
inline constexpr std::size_t kMaxUnitBytes = 255;

// One coordinate as text.
struct CoordinateLabel {
    std::string value;  // as stored: ElementText(), or the string itself
    std::string label;  // "2020-01-02T00:00:00Z", "850 hPa", "6 hours", "red"
    std::string time;   // the label of a time; empty for anything else and for missing times
};

// A run of a dimension's coordinates.
struct CoordinateLabels {
    std::vector<CoordinateLabel> items;
    std::string units;     // the attribute, else what a NumPy time type says; may be empty
    bool is_text = false;  // the array holds strings
};

// Which coordinates are read, and how.
struct LabelRange {
    using Clock = std::chrono::steady_clock;

    std::uint64_t first = 0;
    std::uint64_t count = 0;
    std::size_t threads = 1;
    std::optional<Clock::time_point> deadline;  // none: as long as it takes
};

// Reads coordinates of a dimension that has an array of them, chunk by chunk in parallel, and makes
// labels of them: times by CF's units and calendar or by NumPy's type, other numbers unpacked and
// with their units. kCancelled where the deadline passes; no chunk is begun after it. kLimit above
// kMaxLabels or kMaxLabelBytes. Attributes that are broken give a warning that names the array, and
// the label goes without.
Result<CoordinateLabels> ReadCoordinateLabels(const Hierarchy& hierarchy,
                                              const Dimension& dimension, const LabelRange& range,
                                              Warnings& warnings);

}  // namespace zarr

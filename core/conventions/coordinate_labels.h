// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/array_facts.h"

namespace zarr {

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

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/conventions/attributes.h"
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
// kCorrupt where it is no numbers.
Result<Coordinates> ReadCoordinates(const Hierarchy& hierarchy, const std::string& path,
                                    const json::Value& attributes, std::size_t threads);

// Reads `count` of an array of one dimension from `first` on, as ReadCoordinates() does.
Result<Coordinates> ReadCoordinates(const Hierarchy& hierarchy, const std::string& path,
                                    const json::Value& attributes, std::uint64_t first,
                                    std::uint64_t count, std::size_t threads);

// Reads as much of an array of one dimension as tells whether it is regular: all of it, or of one
// in more than kMostAxisChunks chunks those at its ends, and others between that lie evenly.
inline constexpr std::uint64_t kMostAxisChunks = 64;
Result<Coordinates> ReadAxis(const Hierarchy& hierarchy, const std::string& path,
                             const json::Value& attributes, std::size_t threads);

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

}  // namespace zarr

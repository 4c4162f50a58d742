// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "core/hierarchy/hierarchy.h"
#include "core/metadata/array_metadata.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

// The hierarchy of a store that is being written, as it is now.
zarr::Result<std::shared_ptr<const zarr::Hierarchy>> CurrentHierarchy(
    const std::shared_ptr<const zarr::Store>& store);

// The names and sizes of dimensions that arrays in `group` use; the coordinate arrays of these,
// with their own.
std::set<std::string> DimensionsInUse(const zarr::Hierarchy& hierarchy, const std::string& group);

// Numbers that are made when they are asked for, as there may be many.
struct NumberSeries {
    std::uint64_t count = 0;
    std::function<double(std::uint64_t)> at;  // by index
};

// True where a 1-D array holds these numbers, to the last bits.
bool HoldsNumbers(const zarr::Hierarchy& hierarchy, const std::string& path,
                  const NumberSeries& numbers);

// The small arrays beside rasters that say where these lie. What other arrays of the store refer to
// is theirs too, and is never changed.
class CoordinateArrays {
  public:
    // `rasters` are the paths of the arrays that are being written.
    CoordinateArrays(StoreUpdate& update, std::set<std::string> rasters)
        : update_(update), rasters_(std::move(rasters)) {}

    // True where an array may be written at `path`: nothing is there, or it was made by the same
    // update, or no array but the rasters refers to it.
    zarr::Result<bool> IsFree(const std::string& path) const;

    // Writes an array of one uncompressed chunk, of elements in the order of `spec`'s dtype.
    zarr::Status Write(const std::string& path, const zarr::ArraySpec& spec,
                       const zarr::json::Object& attributes, const std::string& chunk) const;

    // Writes numbers as a coordinate array, a chunk of at most 8 MB after the other, or
    // leaves one that holds them already. False, with nothing written, where another is there and
    // is not free.
    zarr::Result<bool> WriteNumbers(const std::string& path, const NumberSeries& numbers,
                                    const zarr::json::Object& attributes) const;

  private:
    StoreUpdate& update_;
    const std::set<std::string> rasters_;
};

}  // namespace zarr_driver

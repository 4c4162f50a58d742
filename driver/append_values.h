// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/array_facts.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr_driver {

// The coordinate array of a dimension that grows: what it holds, and what texts mean in it.
class GrowingCoordinates {
  public:
    // Reads the first `count` elements; fewer where there are fewer. Fails where coordinates are
    // neither numbers nor times nor strings of fixed length.
    static zarr::Result<GrowingCoordinates> Read(const zarr::Hierarchy& hierarchy,
                                                 const zarr::Dimension& dimension,
                                                 std::uint64_t count);

    // The element that a text stands for: a number, a time as ISO 8601 where the coordinates are
    // times, or a string. Errors say what is wrong with it.
    zarr::Result<std::string> ElementOf(const std::string& text) const;

    // What the metadata of a band, as GDAL's drivers leave it, say of its place along the
    // dimension: a text for ElementOf(). None where they say nothing.
    std::optional<std::string> TextOf(GDALDataset& source, GDALRasterBand& band) const;

    // The index of an element among those that were read.
    std::optional<std::uint64_t> Find(const std::string& element) const;

    const std::string& path() const { return dimension_.coordinate_path; }
    const zarr::DataType& dtype() const { return dtype_; }

  private:
    bool AreTimes() const;

    zarr::Dimension dimension_;
    zarr::DataType dtype_;  // in the host's byte order
    std::vector<std::string> elements_;
};

}  // namespace zarr_driver

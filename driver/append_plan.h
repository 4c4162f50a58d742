// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/append_values.h"
#include "driver/creation_options.h"
#include "driver/raster_layout.h"

namespace zarr_driver {

// Which array grows, where along its dimension the bands of a source go, and what every array that
// has the dimension will be.
class AppendPlan {
  public:
    // `source` and `options` are borrowed. Errors say what does not fit.
    static zarr::Result<AppendPlan> Make(std::shared_ptr<const zarr::Hierarchy> hierarchy,
                                         GDALDataset& source, const CreationOptions& options);

    // The array as it is.
    const RasterLayout& layout() const { return layout_; }
    const std::string& path() const { return layout_.facts.path; }
    // The dimension as it is.
    const zarr::Dimension& dimension() const { return layout_.facts.dimensions[axis_]; }
    // The coordinates as they are; none where the dimension has none.
    const std::optional<GrowingCoordinates>& coordinates() const { return coordinates_; }
    // The elements that come after them.
    const std::vector<std::string>& new_elements() const { return new_elements_; }
    // `.zarray` of every array that grows, by its path; empty where all slices are there already.
    const std::map<std::string, zarr::json::Object>& documents() const { return documents_; }

    // The band of the grown array, from 1, for the source's band `number`, from 0.
    std::uint64_t TargetBand(std::uint64_t number) const;

  private:
    AppendPlan(std::shared_ptr<const zarr::Hierarchy> hierarchy, GDALDataset& source,
               const CreationOptions& options)
        : hierarchy_(std::move(hierarchy)), source_(&source), options_(&options) {}

    zarr::Status FindArray();
    zarr::Result<std::vector<std::string>> Candidates() const;
    zarr::Status CountSlices();
    zarr::Status FindIndices();
    zarr::Status PlanGrowth();
    std::uint64_t FirstBandOf(std::uint64_t slice) const;
    zarr::Result<std::vector<std::string>> Texts() const;
    bool IsTheDimension(const zarr::Dimension& other) const;

    std::shared_ptr<const zarr::Hierarchy> hierarchy_;
    GDALDataset* source_;
    const CreationOptions* options_;
    RasterLayout layout_;
    std::size_t axis_ = 0;                // of the dimension
    std::uint64_t slices_ = 0;            // of the source along the dimension
    std::vector<std::uint64_t> indices_;  // of these
    std::uint64_t new_size_ = 0;
    std::optional<GrowingCoordinates> coordinates_;
    std::vector<std::string> new_elements_;
    std::map<std::string, zarr::json::Object> documents_;
};

}  // namespace zarr_driver

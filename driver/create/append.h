// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/facts/array_facts.h"
#include "core/hierarchy/hierarchy.h"
#include "driver/create/append_overviews.h"
#include "driver/create/creation_options.h"
#include "driver/create/growing_coordinates.h"
#include "driver/georef/raster_layout.h"
#include "driver/raster/dataset.h"

namespace zarr_driver {

// Writes the bands of `source` as slices of an existing array, along the dimension in the creation
// option APPEND_DIM. A slice whose coordinate already exists is overwritten. Other slices extend
// the dimension in every array that has it, coordinate arrays and overviews included. Overviews are
// filled for the written slices.
//
// The new array sizes and the metadata are written last, as one change. Until then, and after a
// failure, readers see the former slices; overwritten slices may hold some new pixels.
//
// Returns the array in update mode. The status of a failure or cancellation has no message if GDAL
// has emitted the error.
zarr::Result<std::unique_ptr<ZarrDataset>> AppendAlong(const std::string& name, GDALDataset& source,
                                                       const CreationOptions& options,
                                                       GDALProgressFunc progress,
                                                       void* progress_data);

// Plan of an append. Says which array is extended, which slice each source band becomes, and the
// new metadata of each array that has the extended dimension.
class AppendPlan {
  public:
    // `source` and `options` must outlive the plan. Fails if the source cannot be appended to the
    // array.
    static zarr::Result<AppendPlan> Make(std::shared_ptr<const zarr::Hierarchy> hierarchy,
                                         GDALDataset& source, const CreationOptions& options);

    // Returns the store as it was before the append.
    const zarr::Hierarchy& hierarchy() const { return *hierarchy_; }
    // Returns the layout that the extended array had before the append.
    const RasterLayout& layout() const { return layout_; }
    const std::string& path() const { return layout_.facts.path; }
    // Returns the extended dimension, with its size from before the append.
    const zarr::Dimension& dimension() const { return layout_.facts.dimensions[axis_]; }
    // Returns the coordinates of the extended dimension from before the append. Returns nullopt if
    // the dimension has no coordinates.
    const std::optional<GrowingCoordinates>& coordinates() const { return coordinates_; }
    // Returns the elements that the append adds to the coordinate array.
    const std::vector<std::string>& new_elements() const { return new_elements_; }
    // Returns the text of the first coordinate that the append puts out of order. Returns an empty
    // text if the coordinates stay in order, or were in no order before.
    const std::string& disordered() const { return disordered_; }
    // Returns the new metadata of the arrays that the append resizes, by path. Empty if all slices
    // already exist.
    const std::map<std::string, zarr::ArrayMetadata>& grown() const { return grown_; }

    // Returns the smaller levels of the extended array's pyramid. The append extends these levels,
    // too.
    const GrowingPyramid& pyramid() const { return pyramid_; }
    // Returns the paths of the coordinate arrays in the groups of the pyramid's levels. The append
    // extends these arrays, too.
    const std::vector<std::string>& level_coordinates() const { return level_coordinates_; }
    // Returns the numbers, from 1, of the bands whose overviews must be filled: the bands that this
    // append writes, and older bands whose overviews are missing or outdated.
    std::vector<int> BandsForOverviews() const;

    // Returns the number, from 1, of the extended array's band that gets the pixels of source band
    // `number`, from 0.
    std::uint64_t TargetBand(std::uint64_t number) const;

  private:
    AppendPlan(std::shared_ptr<const zarr::Hierarchy> hierarchy, GDALDataset& source,
               const CreationOptions& options)
        : hierarchy_(std::move(hierarchy)), source_(&source), options_(&options) {}

    zarr::Status FindArray();
    zarr::Result<std::vector<std::string>> Candidates(std::vector<std::string>& others) const;
    zarr::Status CountSlices();
    zarr::Result<zarr::Dimension> DimensionWithCoordinates() const;
    zarr::Status FindIndices();
    zarr::Status CheckOtherCoordinates() const;
    zarr::Status PlanGrowth();
    zarr::Status PlanGrowthAlong(const zarr::Dimension& extended);
    zarr::Status PlanLevels();
    zarr::Status PlanAlongLevel(const std::string& level, const zarr::Dimension& of_level);
    zarr::Status PlanArrayGrowth(const std::string& path, const std::string& name);
    // Plans to resize axis `axis` of an array to the new size of the extended dimension.
    zarr::Status PlanAxisGrowth(const zarr::ArrayFacts& facts, std::size_t axis);
    std::uint64_t FirstBandOf(std::uint64_t slice) const;
    zarr::Result<std::vector<std::string>> Texts() const;

    std::shared_ptr<const zarr::Hierarchy> hierarchy_;
    GDALDataset* source_;
    const CreationOptions* options_;
    RasterLayout layout_;
    std::size_t axis_ = 0;                // index of the extended dimension in the array
    std::uint64_t slices_ = 0;            // number of slices in the source
    std::vector<std::uint64_t> indices_;  // index along axis_ for each source slice
    std::uint64_t new_size_ = 0;
    std::optional<GrowingCoordinates> coordinates_;
    std::vector<std::string> new_elements_;
    std::string disordered_;
    std::map<std::string, zarr::ArrayMetadata> grown_;
    GrowingPyramid pyramid_;
    std::vector<std::string> level_coordinates_;
};

}  // namespace zarr_driver

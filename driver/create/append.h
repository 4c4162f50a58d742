// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/array_facts.h"
#include "core/hierarchy/hierarchy.h"
#include "driver/create/creation_options.h"
#include "driver/georef/raster_layout.h"
#include "driver/raster/dataset.h"

namespace zarr_driver {

// Writes the bands of `source` as slices of an array that is there, along the dimension that
// `options` name. A slice whose coordinate is there already is written anew; others make the
// dimension grow, in every array that has it, coordinates included. The new sizes are written when
// all else has been, so that a reader meanwhile, or after a fault, finds the store as it was.
//
// Returns the array, open for update. After a failure or cancellation, which the status or, where
// it was GDAL that failed, an emitted error tells, the chunks beyond the array's end are removed,
// but those of slices that were there may hold some new pixels.
zarr::Result<std::unique_ptr<ZarrDataset>> AppendAlong(const std::string& name, GDALDataset& source,
                                                       const CreationOptions& options,
                                                       GDALProgressFunc progress,
                                                       void* progress_data);

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

    // True for numbers and times; false for strings.
    bool AreNumbers() const { return dtype_.kind != zarr::DataKind::kUnicode; }

    // True where ElementOf(text) is the element `index`, for floats to six digits.
    bool IsAt(std::uint64_t index, const std::string& text) const;

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
    // An array that grows, before and after.
    struct Growth {
        zarr::ArrayMetadata before;
        zarr::ArrayMetadata after;
    };
    // Of every array that grows, by its path; empty where all slices are there already.
    const std::map<std::string, Growth>& growth() const { return growth_; }

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
    zarr::Status CheckOtherCoordinates() const;
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
    std::map<std::string, Growth> growth_;
};

}  // namespace zarr_driver

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

// Writes the bands of `source` as slices of an existing array, along the dimension in creation
// option APPEND_DIM. A slice whose coordinate exists is overwritten. Other slices extend the
// dimension in every array that has the dimension, including coordinates. New array sizes are
// written last, so that readers see the former slices until then, even after a failure.
//
// Returns the array in update mode. A failure or cancellation gives a status; the status has no
// message if GDAL has emitted the error. After a failure the chunks beyond the array's former end
// are removed, but overwritten slices may hold some new pixels.
zarr::Result<std::unique_ptr<ZarrDataset>> AppendAlong(const std::string& name, GDALDataset& source,
                                                       const CreationOptions& options,
                                                       GDALProgressFunc progress,
                                                       void* progress_data);

// Coordinates of a dimension that is extended. Converts texts to elements of the coordinate array.
class GrowingCoordinates {
  public:
    // Reads the first `count` coordinates, or all if fewer exist. Fails if the coordinates are
    // neither numbers nor times nor strings of fixed length.
    static zarr::Result<GrowingCoordinates> Read(const zarr::Hierarchy& hierarchy,
                                                 const zarr::Dimension& dimension,
                                                 std::uint64_t count);

    // Returns the element for a text: a number, an ISO 8601 time if the coordinates are times, or a
    // string. Errors say what is wrong with the text.
    zarr::Result<std::string> ElementOf(const std::string& text) const;

    // Returns a band's coordinate along the dimension as a text for ElementOf(); nullopt if
    // unknown. Reads the metadata items that GDAL's drivers set on bands and datasets.
    std::optional<std::string> TextOf(GDALDataset& source, GDALRasterBand& band) const;

    // True if the coordinates are numbers or times; false for strings.
    bool AreNumbers() const { return dtype_.kind != zarr::DataKind::kUnicode; }

    // True if ElementOf(text) equals the element at `index`. Floats may differ by a relative 1e-6.
    bool IsAt(std::uint64_t index, const std::string& text) const;

    // Returns the index of an element among the coordinates that were read; nullopt if missing.
    std::optional<std::uint64_t> Find(const std::string& element) const;

    const std::string& path() const { return dimension_.coordinate_path; }
    const zarr::DataType& dtype() const { return dtype_; }

  private:
    bool AreTimes() const;

    zarr::Dimension dimension_;
    zarr::DataType dtype_;  // in native byte order
    std::vector<std::string> elements_;
};

// Plan of an append: the array to extend, the slice for each source band, and the new metadata of
// every array that has the dimension.
class AppendPlan {
  public:
    // `source` and `options` must outlive the plan. Fails if the source does not fit the array.
    static zarr::Result<AppendPlan> Make(std::shared_ptr<const zarr::Hierarchy> hierarchy,
                                         GDALDataset& source, const CreationOptions& options);

    // Layout of the array before the append.
    const RasterLayout& layout() const { return layout_; }
    const std::string& path() const { return layout_.facts.path; }
    // The dimension before the append.
    const zarr::Dimension& dimension() const { return layout_.facts.dimensions[axis_]; }
    // Coordinates before the append; nullopt if the dimension has no coordinates.
    const std::optional<GrowingCoordinates>& coordinates() const { return coordinates_; }
    // Coordinate elements that the append adds.
    const std::vector<std::string>& new_elements() const { return new_elements_; }
    // Metadata of an array before and after the append.
    struct Growth {
        zarr::ArrayMetadata before;
        zarr::ArrayMetadata after;
    };
    // Arrays that are extended, by path; empty if all slices exist already.
    const std::map<std::string, Growth>& growth() const { return growth_; }

    // Returns the band of the extended array, from 1, for the source's band `number`, from 0.
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
    std::size_t axis_ = 0;                // of the extended dimension
    std::uint64_t slices_ = 0;            // of the source, along the dimension
    std::vector<std::uint64_t> indices_;  // of the source's slices
    std::uint64_t new_size_ = 0;
    std::optional<GrowingCoordinates> coordinates_;
    std::vector<std::string> new_elements_;
    std::map<std::string, Growth> growth_;
};

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
// Maps the dimensions of an array to the bands, rows and columns of a raster.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/array/array.h"
#include "core/conventions/facts/array_facts.h"
#include "driver/base/open_options.h"

namespace zarr_driver {

// Maximum number of bands of a dataset. An array with more slices is opened slice by slice.
inline constexpr std::uint64_t kMaxBands = 65536;

// Attribute with the number, from 1, of the band that the array forms in the raster of its group.
// Without this attribute, bands would have no fixed order.
inline constexpr const char* kBandNumber = "band_number";

// A number within an array's elements: the whole element, or a field of a structured element.
struct ScalarField {
    std::string name;  // name of the field, such as "outer.inner[2]"; empty for the whole element
    std::size_t offset = 0;
    zarr::DataType type;  // dtype of the stored number
};

// Returns the fields of `type` for which GDAL has a raster type, sorted by byte offset.
std::vector<ScalarField> ScalarFields(const zarr::DataType& type);

// An opened array, and the roles of its dimensions as rows, columns and bands. Bands are numbered
// slice by slice; the index along the slowest dimension changes last. If elements are structures,
// each slice has one band per field.
struct RasterLayout {
    zarr::ArrayFacts facts;
    std::shared_ptr<const zarr::Array> array;
    std::optional<zarr::ChunkListing> listing;  // chunk listing, if an open option requests it
    std::optional<std::size_t> x_axis;
    std::optional<std::size_t> y_axis;
    // True if DIM_X or DIM_Y chose other axes than the metadata.
    bool are_axes_chosen = false;
    std::vector<std::size_t> other_axes;  // indices of all dimensions except X and Y, slowest first
    // Index of the only slice that the raster shows along each of other_axes; nullopt along axes
    // whose slices are all shown.
    std::vector<std::optional<std::uint64_t>> fixed;
    // Number of slices along each of other_axes that the raster shows. A smaller level of a pyramid
    // shows as many slices as the base, even if the level's array has fewer slices.
    std::vector<std::uint64_t> shown;
    std::vector<ScalarField> fields;
    std::uint64_t slices = 1;  // number of slices along the axes that are not fixed

    int Width() const;
    int Height() const;
    std::uint64_t BandCount() const { return slices * fields.size(); }
    bool HasFixedAxis() const;
    // True if several slices of the raster read the same slice of the array.
    bool RepeatsSlices() const;
    // Returns the index along each of other_axes for slice number `slice` of the raster.
    std::vector<std::uint64_t> SliceIndices(std::uint64_t slice) const;
    // Returns the colour of a slice of a colour image: 0 to 3 for red, green, blue and alpha.
    // Returns nullopt if the array is no colour image. `indices` are the indices along other_axes.
    std::optional<std::uint64_t> ColourOf(const std::vector<std::uint64_t>& indices) const;
};

// Opens an array and assigns roles to its dimensions. `indices` are the indices of the raster's
// slice along the first dimensions, X and Y not counted. The open option SELECT may fix more
// dimensions. Returns an error if elements are not numbers, a dimension is empty, or a dimension is
// too long for GDAL.
zarr::Result<RasterLayout> MakeRasterLayout(const zarr::Hierarchy& hierarchy,
                                            const std::string& path, const OpenOptions& options,
                                            const std::vector<std::uint64_t>& indices);

// Opens a smaller level of a pyramid so that it shows as many slices as `base`, the largest level.
// If the level has fewer slices, each slice of `base` gets the nearest slice. A level without
// dimension names gets the axes of `base`, because the shape of a small image may not show its
// axes.
zarr::Result<RasterLayout> MakeLevelLayout(const zarr::Hierarchy& hierarchy,
                                           const std::string& path, const OpenOptions& options,
                                           const RasterLayout& base);

}  // namespace zarr_driver

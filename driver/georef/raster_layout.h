// SPDX-License-Identifier: MIT
// How an array becomes bands.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/array/array.h"
#include "core/conventions/array_facts.h"
#include "driver/base/open_options.h"

namespace zarr_driver {

// Most bands of a dataset; an array with more slices is opened slice by slice.
inline constexpr std::uint64_t kMaxBands = 65536;

// The attribute of an array that tells which band of the dataset it is, from 1; arrays of a group
// have no order of their own.
inline constexpr const char* kBandNumber = "band_number";

// A scalar of an array's elements: the element itself, or a field of a structured one.
struct ScalarField {
    std::string name;  // "outer.inner[2]"; empty for the element itself
    std::size_t offset = 0;
    zarr::DataType type;  // as stored
};

// The scalars of `type` that GDAL has a raster type for, in the order of their offsets.
std::vector<ScalarField> ScalarFields(const zarr::DataType& type);

// An opened array with the roles of its dimensions. Bands are numbered by slice, slowest dimension
// first, and within a slice by field.
struct RasterLayout {
    zarr::ArrayFacts facts;
    std::shared_ptr<const zarr::Array> array;
    std::optional<zarr::ChunkListing> listing;  // where it was asked for
    std::optional<std::size_t> x_axis;
    std::optional<std::size_t> y_axis;
    bool are_axes_chosen = false;         // X or Y is another dimension by DIM_X or DIM_Y
    std::vector<std::size_t> other_axes;  // slowest first
    // The index along each of other_axes where it is fixed.
    std::vector<std::optional<std::uint64_t>> fixed;
    // Slices along each of other_axes that is not fixed: its size; or of a smaller level of a
    // pyramid, which may have fewer, the base's.
    std::vector<std::uint64_t> shown;
    std::vector<ScalarField> fields;
    std::uint64_t slices = 1;  // along the other axes that are not fixed

    int Width() const;
    int Height() const;
    std::uint64_t BandCount() const { return slices * fields.size(); }
    bool HasFixed() const;
    // True where slices of the raster are the same ones of the array.
    bool RepeatsSlices() const;
    // The index along each of other_axes of a slice.
    std::vector<std::uint64_t> SliceIndices(std::uint64_t slice) const;
    // Of an image in colours, which of red, green, blue and alpha the slice of these indices is,
    // from 0 on; nullopt for other arrays.
    std::optional<std::uint64_t> ColourOf(const std::vector<std::uint64_t>& indices) const;
};

// Opens an array and lays its dimensions out. `indices` fix its first extra dimensions, and the
// open option SELECT others. Fails where its elements are no numbers, it has no elements, or a
// dimension is too long for GDAL.
zarr::Result<RasterLayout> MakeRasterLayout(const zarr::Hierarchy& hierarchy,
                                            const std::string& path, const OpenOptions& options,
                                            const std::vector<std::uint64_t>& indices);

// The same of a smaller level of a pyramid, of which the slices are those of `base`: where the
// level has fewer, the nearest. It is laid out as `base` where the store does not name its
// dimensions: a small image does not show by its shape that it is one.
zarr::Result<RasterLayout> MakeLevelLayout(const zarr::Hierarchy& hierarchy,
                                           const std::string& path, const OpenOptions& options,
                                           const RasterLayout& base);

}  // namespace zarr_driver

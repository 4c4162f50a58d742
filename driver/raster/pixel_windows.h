// SPDX-License-Identifier: MIT
#pragma once

#include <gdal.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/array/array.h"
#include "core/array/array_writer.h"
#include "core/base/status.h"
#include "driver/base/gdal_types.h"
#include "driver/georef/raster_layout.h"

namespace zarr_driver {

struct BandArray;
class ZarrDataset;

// Pixels of a band at full resolution, by columns and rows of the raster; or those of
// `slice_count` bands, the first of them this one, that differ in their index along
// other_axes[axis] by `slice_step`.
struct PixelWindow {
    int x_off, y_off, x_size, y_size;
    std::uint64_t slice_count = 1;
    std::size_t axis = 0;
    std::int64_t slice_step = 1;
    zarr::CachePolicy keep = zarr::CachePolicy::kAllIfSmall;
    zarr::WholeChunks whole_chunks = zarr::WholeChunks::kAtOnce;
};

// How a caller's memory holds a window: from one value to the next along each axis, in bytes.
struct BufferLayout {
    GDALDataType type;
    GSpacing pixel_space;
    GSpacing line_space;
    GSpacing band_space;
};

// The pixels of a band, which are a slice of an array or of one field of it. Reads go from the
// array's own cache of decoded chunks to the caller's memory, and writes to its pending chunks:
// past the blocks that GDAL may hold, and without a word to GDAL. So any thread may read, write
// and load, where it may use the dataset.
class PixelWindows {
  public:
    // All outlive it.
    PixelWindows(ZarrDataset& dataset, const BandArray& array, std::uint64_t slice,
                 const ScalarField& field);
    ~PixelWindows() = default;
    PixelWindows(const PixelWindows&) = delete;
    PixelWindows& operator=(const PixelWindows&) = delete;

    // Windows lie inside of the raster. Of one whose rows are turned (NORTH_UP) or columns rolled
    // (WRAP_LONGITUDE), Read() finds out where in the array they lie. Write() does not: such a
    // dataset is for reading.
    zarr::Status Read(const PixelWindow& window, void* data, const BufferLayout& buffer) const;
    zarr::Status Write(const PixelWindow& window, const void* data,
                       const BufferLayout& buffer) const;

    // The rest is for rasters that are neither turned nor rolled.

    // Begins to load what a window needs of the store, where each request takes a while; see
    // zarr::ReadAhead.
    zarr::Status LoadAhead(const PixelWindow& window) const;
    // Loads the chunks of a window into the cache, all at a time.
    zarr::Status Preload(const PixelWindow& window) const;
    // True where loading a window would push out of the cache what it has just loaded.
    bool IsTooLargeToPreload(const PixelWindow& window) const;

    // What is written as Byte are from now on the bits of signed bytes.
    void TakeBytesAsSigned() { bytes_are_signed_ = true; }
    bool bytes_are_signed() const { return bytes_are_signed_; }

    // Where the slice lies along the layout's other axes.
    const std::vector<std::uint64_t>& indices() const { return indices_; }

    // How many of `count` bands, from the first on, are slices of one array at a constant step
    // along one dimension, so that one read of the first serves them all. At least 1. Sets what a
    // window of the first needs for it.
    static int CountRun(const PixelWindows* const* bands, int count, PixelWindow& window);

  private:
    // What a window is of the array, and of the caller's memory.
    struct Selection {
        zarr::Region region;
        zarr::Strides strides;
    };
    Selection Select(const PixelWindow& window, const BufferLayout& buffer) const;
    zarr::Region RegionOf(const PixelWindow& window) const;
    // Read() in rows of the array.
    zarr::Status ReadRolled(const PixelWindow& window, std::uint8_t* data,
                            const BufferLayout& buffer) const;
    // The same in columns of the array, too.
    zarr::Status ReadArray(const PixelWindow& window, std::uint8_t* data,
                           const BufferLayout& buffer) const;

    ZarrDataset& dataset_;
    const BandArray& array_;
    const ScalarField& field_;
    const std::vector<std::uint64_t> indices_;
    const GDALDataType type_;
    const BufferConverter native_op_;  // to type_
    bool bytes_are_signed_ = false;
};

}  // namespace zarr_driver

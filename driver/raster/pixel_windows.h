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

// A window at full resolution, in columns and rows of the raster. With `slice_count` above 1 the
// window spans several bands, the first of which is this one. The indices of neighbouring bands
// along other_axes[axis] differ by `slice_step`.
struct PixelWindow {
    int x_off, y_off, x_size, y_size;
    std::uint64_t slice_count = 1;
    std::size_t axis = 0;
    std::int64_t slice_step = 1;
    zarr::CachePolicy keep = zarr::CachePolicy::kAllIfSmall;
    zarr::WholeChunks whole_chunks = zarr::WholeChunks::kAtOnce;
};

// Layout of a caller's buffer: the data type, and the distances between pixels, lines and bands in
// bytes.
struct BufferLayout {
    GDALDataType type;
    GSpacing pixel_space;
    GSpacing line_space;
    GSpacing band_space;
};

// Reads and writes the pixels of a band, which is a slice of an array or one field of a slice.
// Reads use the array's cache of decoded chunks, and writes go to the array's pending chunks.
// GDAL's block cache is bypassed. Any thread that may use the dataset may call the methods.
class PixelWindows {
  public:
    // All arguments must outlive this object.
    PixelWindows(ZarrDataset& dataset, const BandArray& array, std::uint64_t slice,
                 const ScalarField& field);
    ~PixelWindows() = default;
    PixelWindows(const PixelWindows&) = delete;
    PixelWindows& operator=(const PixelWindows&) = delete;

    // Read() and Write() need a window inside of the raster. Read() maps windows of rasters with
    // reversed rows (NORTH_UP) or rolled columns (WRAP_LONGITUDE). Write() does not, because such
    // datasets are read-only.
    zarr::Status Read(const PixelWindow& window, void* data, const BufferLayout& buffer) const;
    zarr::Status Write(const PixelWindow& window, const void* data,
                       const BufferLayout& buffer) const;

    // The methods below need a raster without NORTH_UP and WRAP_LONGITUDE.

    // Starts to load the chunks of a window from a remote store; see zarr::ReadAhead.
    zarr::Status LoadAhead(const PixelWindow& window) const;
    // Loads all chunks of a window into the cache in parallel.
    zarr::Status Preload(const PixelWindow& window) const;
    // True if the chunks of a window take more than half of the cache, so that preloading could
    // evict them.
    bool IsTooLargeToPreload(const PixelWindow& window) const;

    // From now on, bytes that are written as GDT_Byte are bit patterns of signed bytes.
    void TreatBytesAsSigned() { bytes_are_signed_ = true; }
    bool bytes_are_signed() const { return bytes_are_signed_; }

    // Returns the slice's index along each of the layout's other axes.
    const std::vector<std::uint64_t>& indices() const { return indices_; }

    // Returns the number of leading bands, of `count` bands, that one read can serve; at least 1.
    // All of them are slices of one array at a constant step along one dimension. Sets slice_count,
    // axis and slice_step of `window` accordingly.
    static int CountRun(const PixelWindows* const* bands, int count, PixelWindow& window);

  private:
    // The array's region for a window, and the strides of the caller's buffer in bytes.
    struct Selection {
        zarr::Region region;
        zarr::Strides strides;
    };
    Selection Select(const PixelWindow& window, const BufferLayout& buffer) const;
    zarr::Region RegionOf(const PixelWindow& window) const;
    // Reads a window whose rows are rows of the array.
    zarr::Status ReadRolled(const PixelWindow& window, std::uint8_t* data,
                            const BufferLayout& buffer) const;
    // Reads a window whose rows and columns are rows and columns of the array.
    zarr::Status ReadArray(const PixelWindow& window, std::uint8_t* data,
                           const BufferLayout& buffer) const;

    ZarrDataset& dataset_;
    const BandArray& array_;
    const ScalarField& field_;
    const std::vector<std::uint64_t> indices_;
    const GDALDataType type_;
    const BufferConverter native_op_;  // converts to type_
    bool bytes_are_signed_ = false;
};

}  // namespace zarr_driver

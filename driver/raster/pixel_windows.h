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

// A window of the raster at full resolution, in columns and rows. If `slice_count` is above 1, the
// window covers several bands, starting with the band that is read. From band to band, the array
// index along the axis RasterLayout::other_axes[axis] changes by `slice_step`.
struct PixelWindow {
    int x_off, y_off, x_size, y_size;
    std::uint64_t slice_count = 1;
    std::size_t axis = 0;
    std::int64_t slice_step = 1;
    zarr::CachePolicy keep = zarr::CachePolicy::kAllIfSmall;
    zarr::WholeChunks whole_chunks = zarr::WholeChunks::kAtOnce;
};

// Layout of a caller's buffer: the data type, and the distances in bytes between pixels, lines and
// bands.
struct BufferLayout {
    GDALDataType type;
    GSpacing pixel_space;
    GSpacing line_space;
    GSpacing band_space;
};

// Reads and writes the pixels of a band, which is a slice of an array or one field of a slice.
// Reads use the array's cache of decoded chunks, and writes make chunks pending. GDAL's block cache
// is not used. The methods may be called by any thread that may use the dataset.
class PixelWindows {
  public:
    // `dataset`, `array` and `field` must outlive this object.
    PixelWindows(ZarrDataset& dataset, const BandArray& array, std::uint64_t slice,
                 const ScalarField& field);
    ~PixelWindows() = default;
    PixelWindows(const PixelWindows&) = delete;
    PixelWindows& operator=(const PixelWindows&) = delete;

    // Reads or writes a window, which must lie inside of the raster. Read() supports rasters with
    // reversed rows (NORTH_UP) or rotated columns (WRAP_LONGITUDE). Datasets with these options are
    // read-only, so Write() need not support them.
    zarr::Status Read(const PixelWindow& window, void* data, const BufferLayout& buffer) const;
    zarr::Status Write(const PixelWindow& window, const void* data,
                       const BufferLayout& buffer) const;

    // The functions LoadAhead(), Preload() and IsTooLargeToPreload() must not be called with
    // NORTH_UP or WRAP_LONGITUDE.

    // Starts to load the chunks of a window from a remote store, so that a later read is fast. See
    // zarr::ReadAhead.
    zarr::Status LoadAhead(const PixelWindow& window) const;
    // Loads all chunks of a window into the cache of decoded chunks, in parallel.
    zarr::Status Preload(const PixelWindow& window) const;
    // True if the chunks of a window take more than half of the cache, so that preloading could
    // evict chunks before they are read.
    bool IsTooLargeToPreload(const PixelWindow& window) const;

    // After this call, a write of GDT_Byte data interprets its bytes as signed, with an unchanged
    // bit pattern.
    void TreatBytesAsSigned() { bytes_are_signed_ = true; }
    bool bytes_are_signed() const { return bytes_are_signed_; }

    // Returns the index of the band's slice along each of RasterLayout::other_axes.
    const std::vector<std::uint64_t>& indices() const { return indices_; }
    // Sets the index of the band's slice, after the array's dimensions have changed.
    void SetIndices(std::vector<std::uint64_t> indices) { indices_ = std::move(indices); }

    // Returns how many of the `count` bands, from the first on, can be read together; at least 1.
    // Such bands are slices of one array, at a constant step along one dimension. Sets slice_count,
    // axis and slice_step of `window` to describe these bands.
    static int CountRun(const PixelWindows* const* bands, int count, PixelWindow& window);

  private:
    // The region of the array that a window covers, and the strides of the caller's buffer in
    // bytes.
    struct Selection {
        zarr::Region region;
        zarr::Strides strides;
    };
    Selection Select(const PixelWindow& window, const BufferLayout& buffer) const;
    zarr::Region RegionOf(const PixelWindow& window) const;
    // Reads a window of a raster without reversed rows. Columns may be rotated (WRAP_LONGITUDE).
    zarr::Status ReadRolled(const PixelWindow& window, std::uint8_t* data,
                            const BufferLayout& buffer) const;
    // Reads a window of a raster whose rows and columns are in the order of the array.
    zarr::Status ReadArray(const PixelWindow& window, std::uint8_t* data,
                           const BufferLayout& buffer) const;

    ZarrDataset& dataset_;
    const BandArray& array_;
    const ScalarField& field_;
    std::vector<std::uint64_t> indices_;
    const GDALDataType type_;
    const BufferConverter native_op_;  // converts elements of field_ to type_
    bool bytes_are_signed_ = false;
};

}  // namespace zarr_driver

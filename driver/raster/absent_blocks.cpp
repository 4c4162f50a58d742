// SPDX-License-Identifier: MIT
#include "driver/raster/absent_blocks.h"

#include <gdal_priv.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "driver/raster/band.h"
#include "driver/raster/dataset.h"
#include "driver/raster/nodata_element.h"

namespace zarr_driver {

using zarr::Status;

bool AbsentBlocks::CanListWithoutRequests() {
    ZarrDataset& dataset = *band_.dataset();
    if (dataset.options().wrap_longitude || dataset.options().north_up) return false;
    if (dataset.update() != nullptr && !dataset.Flush()) return false;
    const zarr::Array& array = *band_.array().elements();
    // The chunks are listed only if that costs no requests, as in a local store.
    return array.AreChunksListed() || !array.store()->Traits().remote;
}

bool AbsentBlocks::EnsureListed() {
    if (!CanListWithoutRequests()) return false;
    const zarr::Array& array = *band_.array().elements();
    return array.AreChunksListed() || array.ListChunks().ok();
}

bool AbsentBlocks::IsAbsent(int block_x, int block_y) const {
    const RasterLayout& layout = band_.array().layout();
    const std::vector<std::uint64_t>& indices = band_.indices();
    const std::vector<zarr::GridAxis>& grid = layout.array->layouts().grid();
    zarr::DimVector<std::uint64_t> chunk(grid.size(), 0);
    for (std::size_t i = 0; i < indices.size(); ++i)
        chunk[layout.other_axes[i]] = grid[layout.other_axes[i]].ChunkOf(indices[i]);
    // The block may overlap several chunks, if the array has a rectilinear chunk grid. In a regular
    // grid, the block is one chunk.
    const PixelWindow block = band_.BlockWindow(block_x, block_y);
    const ChunkRange columns = ChunksOf(layout.x_axis, block.x_off, block.x_size);
    const ChunkRange rows = ChunksOf(layout.y_axis, block.y_off, block.y_size);
    for (std::uint64_t y = rows.first; y <= rows.last; ++y) {
        for (std::uint64_t x = columns.first; x <= columns.last; ++x) {
            if (layout.x_axis) chunk[*layout.x_axis] = x;
            if (layout.y_axis) chunk[*layout.y_axis] = y;
            if (!layout.array->IsKnownAbsent(chunk)) return false;
        }
    }
    return true;
}

AbsentBlocks::ChunkRange AbsentBlocks::ChunksOf(const std::optional<std::size_t>& axis, int offset,
                                                int size) const {
    if (!axis) return {0, 0};
    const zarr::GridAxis& along = band_.array().elements()->layouts().grid()[*axis];
    const auto first = static_cast<std::uint64_t>(offset);
    return {along.ChunkOf(first), along.ChunkOf(first + static_cast<std::uint64_t>(size) - 1)};
}

double AbsentBlocks::FillNumber() const {
    const ScalarField& field = band_.field();
    return NumberInElement<double>(
        band_.array().facts().metadata.fill_value.Part(field.offset, field.type.size),
        field.type.Native());
}

bool AbsentBlocks::IsNodata(double value) {
    int is_known = FALSE;
    const double nodata = band_.GetNoDataValue(&is_known);
    return std::isnan(value) || (is_known != FALSE && value == nodata);
}

std::optional<AbsentBlocks::Coverage> AbsentBlocks::CoverageOf(const PixelWindow& window,
                                                               int stop_at) {
    const double fill = FillNumber();
    int has_nodata = FALSE;
    band_.GetNoDataValue(&has_nodata);
    // Absent chunks count as empty if their fill value is nodata, or if it is 0 and the band has no
    // nodata value.
    if (!(IsNodata(fill) || (fill == 0 && has_nodata == FALSE)) || !EnsureListed())
        return std::nullopt;
    const ZarrRasterBand::BlockRange blocks = band_.BlocksOf(window);
    int status = 0;
    double data = 0;
    for (int y = blocks.top; y <= blocks.bottom; ++y) {
        for (int x = blocks.left; x <= blocks.right; ++x) {
            const bool is_absent = IsAbsent(x, y);
            status |= is_absent ? GDAL_DATA_COVERAGE_STATUS_EMPTY : GDAL_DATA_COVERAGE_STATUS_DATA;
            if ((status & stop_at) != 0) return Coverage{status, -1};
            if (is_absent) continue;
            const PixelWindow block = band_.BlockWindow(x, y);
            const int width = std::min(window.x_off + window.x_size, block.x_off + block.x_size) -
                              std::max(window.x_off, block.x_off);
            const int height = std::min(window.y_off + window.y_size, block.y_off + block.y_size) -
                               std::max(window.y_off, block.y_off);
            data += double{1} * width * height;
        }
    }
    return Coverage{status, 100 * data / (double{1} * window.x_size * window.y_size)};
}

bool AbsentBlocks::SaveMostReads() {
    constexpr std::uint64_t kFewChunks = 64;
    const zarr::Array& array = *band_.array().elements();
    const GDALDataType type = band_.GetRasterDataType();
    const int flags = band_.GetMaskFlags();
    const bool is_real =
        GDALDataTypeIsComplex(type) == FALSE && type != GDT_Int64 && type != GDT_UInt64;
    if (!is_real || array.chunk_count() < kFewChunks ||
        (flags != GMF_ALL_VALID && flags != GMF_NODATA) || !CanListWithoutRequests())
        return false;
    const auto listing = array.ListChunks();
    return listing.ok() && listing->chunks < array.chunk_count() / 2;
}

Status AbsentBlocks::AddPixels(PixelStatistics& statistics, GDALProgressFunc progress,
                               void* progress_data) {
    const double fill = FillNumber();
    int has_nodata = FALSE;
    const double nodata = band_.GetNoDataValue(&has_nodata);
    std::uint64_t absent = 0;
    std::vector<double> pixels;
    const ZarrRasterBand::BlockRange blocks =
        band_.BlocksOf({0, 0, band_.GetXSize(), band_.GetYSize()});
    for (int y = 0; y <= blocks.bottom; ++y) {
        for (int x = 0; x <= blocks.right; ++x) {
            const PixelWindow window = band_.BlockWindow(x, y);
            const std::size_t count =
                static_cast<std::size_t>(window.x_size) * static_cast<std::size_t>(window.y_size);
            if (IsAbsent(x, y)) {
                absent += count;
                continue;
            }
            pixels.resize(count);
            const GSpacing size = sizeof(double);
            ZARR_RETURN_IF_ERROR(band_.pixels().Read(window, pixels.data(),
                                                     {GDT_Float64, size, size * window.x_size, 0}));
            statistics.Add(pixels.data(), count, has_nodata != FALSE ? &nodata : nullptr);
        }
        if (progress != nullptr && !progress((y + 1.0) / (blocks.bottom + 1), "", progress_data))
            return {zarr::StatusCode::kCancelled, "the statistics were cancelled"};
    }
    if (!IsNodata(fill)) statistics.Add(fill, absent);
    return {};
}

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#include "driver/raster/pixel_windows.h"

#include <algorithm>
#include <new>
#include <optional>

#include "driver/raster/dataset.h"

namespace zarr_driver {

using zarr::Status;

PixelWindows::PixelWindows(ZarrDataset& dataset, const BandArray& array, std::uint64_t slice,
                           const ScalarField& field)
    : dataset_(dataset),
      array_(array),
      field_(field),
      indices_(array.layout().SliceIndices(slice)),
      type_(GdalTypeOf(field.type)),
      native_op_(field.type, type_) {}

int PixelWindows::CountRun(const PixelWindows* const* bands, int count, PixelWindow& window) {
    window.slice_count = 1;
    const PixelWindows& first = *bands[0];
    for (int i = 1; i < count; ++i) {
        const PixelWindows& next = *bands[i];
        const PixelWindows& last = *bands[i - 1];
        if (&next.array_ != &first.array_ || &next.field_ != &first.field_) break;
        std::size_t differing = 0;
        for (std::size_t axis = 0; axis < next.indices_.size(); ++axis) {
            if (next.indices_[axis] == last.indices_[axis]) continue;
            const auto step = static_cast<std::int64_t>(next.indices_[axis]) -
                              static_cast<std::int64_t>(last.indices_[axis]);
            ++differing;
            if (i == 1) {
                window.axis = axis;
                window.slice_step = step;
            } else if (axis != window.axis || step != window.slice_step) {
                ++differing;
            }
        }
        if (differing != 1) break;
        ++window.slice_count;
    }
    return static_cast<int>(window.slice_count);
}

PixelWindows::Selection PixelWindows::Select(const PixelWindow& window,
                                             const BufferLayout& buffer) const {
    const RasterLayout& layout = array_.layout();
    const std::size_t rank = layout.facts.metadata.rank();
    Selection selection;
    zarr::Region& region = selection.region;
    region.start = zarr::DimVector<std::uint64_t>(rank, 0);
    region.count = zarr::DimVector<std::uint64_t>(rank, 1);
    region.step = zarr::DimVector<std::int64_t>(rank, 1);
    selection.strides = zarr::Strides(rank, 0);
    for (std::size_t i = 0; i < indices_.size(); ++i)
        region.start[layout.other_axes[i]] = indices_[i];
    const auto set = [&](std::size_t axis, std::uint64_t start, std::uint64_t count,
                         GSpacing spacing) {
        region.start[axis] = start;
        region.count[axis] = count;
        selection.strides[axis] = static_cast<std::ptrdiff_t>(spacing);
    };
    if (layout.x_axis)
        set(*layout.x_axis, static_cast<std::uint64_t>(window.x_off),
            static_cast<std::uint64_t>(window.x_size), buffer.pixel_space);
    if (layout.y_axis)
        set(*layout.y_axis, static_cast<std::uint64_t>(window.y_off),
            static_cast<std::uint64_t>(window.y_size), buffer.line_space);
    if (window.slice_count > 1) {
        set(layout.other_axes[window.axis], indices_[window.axis], window.slice_count,
            buffer.band_space);
        region.step[layout.other_axes[window.axis]] = window.slice_step;
    }
    return selection;
}

zarr::Region PixelWindows::RegionOf(const PixelWindow& window) const {
    return Select(window, {type_, 0, 0, 0}).region;
}

// ---------------------------------------------------------------------------------------------
// Reading

Status PixelWindows::Read(const PixelWindow& window, void* data, const BufferLayout& buffer) const {
    auto* const first = static_cast<std::uint8_t*>(data);
    if (!dataset_.georeferencing().IsFlipped()) return ReadRolled(window, first, buffer);
    // The raster shows the array's rows from last to first. The window is mirrored, and its lines
    // are written to the buffer from bottom to top.
    PixelWindow turned = window;
    turned.y_off = array_.layout().Height() - window.y_off - window.y_size;
    BufferLayout upwards = buffer;
    upwards.line_space = -buffer.line_space;
    return ReadRolled(turned, first + buffer.line_space * (window.y_size - 1), upwards);
}

Status PixelWindows::ReadRolled(const PixelWindow& window, std::uint8_t* data,
                                const BufferLayout& buffer) const {
    RasterGeoreferencing& georeferencing = dataset_.georeferencing();
    const int rolled = georeferencing.IsRolled() ? georeferencing.Find().rolled_columns : 0;
    if (rolled == 0) return ReadArray(window, data, buffer);
    // Column i of the raster is array column (i + `rolled`) % `period`. The window is read in parts
    // with consecutive columns.
    const int period = georeferencing.Find().roll_period;
    PixelWindow part = window;
    for (int done = 0; done < window.x_size; done += part.x_size) {
        part.x_off = (window.x_off + done + rolled) % period;
        part.x_size = std::min(window.x_size - done, period - part.x_off);
        ZARR_RETURN_IF_ERROR(ReadArray(part, data + buffer.pixel_space * done, buffer));
    }
    return {};
}

Status PixelWindows::ReadArray(const PixelWindow& window, std::uint8_t* data,
                               const BufferLayout& buffer) const {
    const Selection selection = Select(window, buffer);
    const OpenOptions& options = dataset_.options();
    const auto read = [&](const zarr::Converter& op) {
        try {
            return array_.elements()->Read(
                selection.region, field_.offset, {data, selection.strides, op},
                {options.threads, window.keep, true, options.read_ahead});
        } catch (const std::bad_alloc&) {
            return Status::OutOfMemory("out of memory");
        }
    };
    return buffer.type == type_ ? read(native_op_.op())
                                : read(BufferConverter(field_.type, buffer.type).op());
}

Status PixelWindows::LoadAhead(const PixelWindow& window) const {
    try {
        return array_.elements()->LoadAhead(RegionOf(window), dataset_.options().threads);
    } catch (const std::bad_alloc&) {
        return Status::OutOfMemory("out of memory");
    }
}

Status PixelWindows::Preload(const PixelWindow& window) const {
    try {
        return array_.elements()->Preload(RegionOf(window), dataset_.options().threads);
    } catch (const std::bad_alloc&) {
        return Status::OutOfMemory("out of memory");
    }
}

bool PixelWindows::IsTooLargeToPreload(const PixelWindow& window) const {
    const zarr::Array& array = *array_.elements();
    return array.DecodedBytes(RegionOf(window)) > array.context().cache().max_bytes() / 2;
}

// ---------------------------------------------------------------------------------------------
// Writing

Status PixelWindows::Write(const PixelWindow& window, const void* data,
                           const BufferLayout& buffer) const {
    const Selection selection = Select(window, buffer);
    try {
        ZARR_ASSIGN_OR_RETURN(zarr::ArrayWriter* const writer,
                              dataset_.update()->WriterOf(array_.elements()));
        zarr::DataType stored = field_.type;
        if (bytes_are_signed_ && buffer.type == GDT_Byte) stored.kind = zarr::DataKind::kUint;
        const BufferWriteConverter op(stored, buffer.type);
        const zarr::Source source{static_cast<const std::uint8_t*>(data), selection.strides,
                                  op.op()};
        return writer->Write(selection.region, field_.offset, source, dataset_.options().threads,
                             window.whole_chunks);
    } catch (const std::bad_alloc&) {
        return Status::OutOfMemory("out of memory");
    }
}

}  // namespace zarr_driver

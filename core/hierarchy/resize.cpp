// SPDX-License-Identifier: MIT
#include "core/hierarchy/resize.h"

#include <algorithm>
#include <string>

#include "core/base/checked.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

using Shape = std::vector<std::uint64_t>;

Status WriteFill(ArrayWriter& writer, const Region& region, std::size_t threads) {
    const ArrayMetadata& metadata = writer.array().metadata();
    if (metadata.dtype.kind == DataKind::kObject) {
        const std::vector<std::string> texts(static_cast<std::size_t>(region.size()),
                                             metadata.fill_value.held());
        return writer.WriteObjects(region, texts, threads);
    }
    std::string fill = metadata.fill_value.Bytes();
    auto* const element = reinterpret_cast<std::uint8_t*>(fill.data());
    SwapElements(metadata.dtype, element, 1);
    const Source source{element, Strides(metadata.rank(), 0), CopyConverter(metadata.dtype.size)};
    return writer.Write(region, 0, source, threads);
}

// Fills what lies beyond the new edge in the chunks that it cuts through.
Status FillBeyond(ArrayWriter& writer, const Shape& shape, std::size_t threads) {
    const ArrayMetadata& metadata = writer.array().metadata();
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] >= metadata.shape[axis]) continue;
        Region beyond;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            beyond.start.push_back(0);
            beyond.count.push_back(std::min(shape[i], metadata.shape[i]));
            beyond.step.push_back(1);
        }
        const std::uint64_t chunk = metadata.chunks[axis];
        const std::uint64_t cut = CeilDiv(shape[axis], chunk) * chunk;
        beyond.start[axis] = shape[axis];
        beyond.count[axis] = std::min(cut, metadata.shape[axis]) - shape[axis];
        // Along the axes that were filled before, the corner too.
        for (std::size_t i = 0; i < axis; ++i)
            beyond.count[i] = std::min(CeilDiv(shape[i], metadata.chunks[i]) * metadata.chunks[i],
                                       metadata.shape[i]);
        if (beyond.size() == 0) continue;
        ZARR_RETURN_IF_ERROR(WriteFill(writer, beyond, threads));
    }
    return writer.Flush(threads);
}

}  // namespace

Status EraseChunksOutside(Store& store, const Array& array, const Shape& shape) {
    Shape counts;
    for (std::size_t i = 0; i < shape.size(); ++i)
        counts.push_back(CeilDiv(shape[i], array.metadata().chunks[i]));
    return array.chunks().EraseOutside(store, counts);
}

Status ResizeArray(HierarchyWriter& metadata, Store& store, ArrayWriter& writer, const Shape& shape,
                   std::size_t threads) {
    const Array& array = writer.array();
    const ArrayMetadata& old = array.metadata();
    ZARR_ASSIGN_OR_RETURN(
        ArrayMetadata resized,
        WithShape(old, shape).WithContext(DocumentKey(array.path(), Document::kArray)));
    if (shape == old.shape) return {};
    // Chunks that somebody left outside of the old shape would come back inside of the new one.
    ZARR_RETURN_IF_ERROR(EraseChunksOutside(store, array, old.shape));
    ZARR_RETURN_IF_ERROR(FillBeyond(writer, shape, threads));
    ZARR_RETURN_IF_ERROR(metadata.ReplaceMetadata(array.path(), std::move(resized)));
    return EraseChunksOutside(store, array, shape);
}

}  // namespace zarr

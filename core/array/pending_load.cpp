// SPDX-License-Identifier: MIT
#include "core/array/pending_load.h"

#include <algorithm>
#include <cstring>

#include "core/codec/codec.h"

namespace zarr {

namespace {

// A row of an op from ObjectRef to std::string.
// NOLINTNEXTLINE(readability-non-const-parameter): the type of a row is given
void AssignTexts(const ElementOp& /*op*/, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                 const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride) {
        ObjectRef ref;
        std::memcpy(&ref, src, sizeof ref);
        reinterpret_cast<std::string*>(dst)->assign(ref.data == nullptr ? "" : ref.data, ref.size);
    }
}

}  // namespace

ElementOp TextOp(ElementOp::Row row, std::size_t src_size) {
    ElementOp op;
    op.row = row;
    op.src_size = src_size;
    op.dst_size = sizeof(std::string);
    return op;
}

Strides StridesInChunk(const ArrayMetadata& metadata, std::size_t size) {
    DimVector<std::uint64_t> shape;
    for (const std::uint64_t count : metadata.chunks) shape.push_back(count);
    return ContiguousStrides(shape, size, metadata.fortran_order);
}

Status LoadStored(const Array& array, const DimVector<std::uint64_t>& chunk,
                  PendingChunk& pending) {
    const ArrayMetadata& metadata = array.metadata();
    Region inside;
    for (std::size_t i = 0; i < metadata.rank(); ++i) {
        inside.start.push_back(chunk[i] * metadata.chunks[i]);
        inside.count.push_back(
            std::min(metadata.chunks[i], metadata.shape[i] - chunk[i] * metadata.chunks[i]));
        inside.step.push_back(1);
    }
    const ReadOptions options{1, Keep::kPartlyRead, false};
    if (metadata.dtype.kind != DataKind::kObject) {
        const std::size_t size = metadata.dtype.size;
        const Destination destination{pending.elements.data(), StridesInChunk(metadata, size),
                                      CopyOp(size)};
        return array.Read(inside, 0, destination, options);
    }
    const Destination destination{reinterpret_cast<std::uint8_t*>(pending.objects.data()),
                                  StridesInChunk(metadata, sizeof(std::string)),
                                  TextOp(AssignTexts, sizeof(ObjectRef))};
    return array.Read(inside, 0, destination, options);
}

Status RefreshPending(const Array& array, const DimVector<std::uint64_t>& chunk,
                      PendingChunk& pending) {
    PendingChunk stored;
    ZARR_RETURN_IF_ERROR(stored.elements.Reset(pending.elements.size()));
    std::copy_n(pending.elements.data(), pending.elements.size(), stored.elements.data());
    stored.objects = pending.objects;
    ZARR_RETURN_IF_ERROR(LoadStored(array, chunk, stored));
    MergeStored(pending, stored);
    return {};
}

}  // namespace zarr

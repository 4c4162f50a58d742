// SPDX-License-Identifier: MIT
#include "core/base/element_op.h"

#include <cstring>

#include "core/base/endian.h"
#include "core/base/streamed_copy.h"

namespace zarr {

namespace {

template <std::size_t kSize>
void CopyFixed(std::uint8_t* dst, std::ptrdiff_t dst_stride, const std::uint8_t* src,
               std::ptrdiff_t src_stride, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride)
        std::memcpy(dst, src, kSize);
}

void CopyRow(const ElementOp& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
             const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    const auto size = static_cast<std::ptrdiff_t>(op.dst_size);
    if (dst_stride == size && src_stride == size) {
        if (count != 0 && size != 0) std::memcpy(dst, src, count * op.dst_size);
        return;
    }
    switch (op.dst_size) {
        case 1:
            return CopyFixed<1>(dst, dst_stride, src, src_stride, count);
        case 2:
            return CopyFixed<2>(dst, dst_stride, src, src_stride, count);
        case 4:
            return CopyFixed<4>(dst, dst_stride, src, src_stride, count);
        case 8:
            return CopyFixed<8>(dst, dst_stride, src, src_stride, count);
        case 16:
            return CopyFixed<16>(dst, dst_stride, src, src_stride, count);
        default:
            for (std::size_t i = 0; size != 0 && i < count;
                 ++i, dst += dst_stride, src += src_stride)
                std::memcpy(dst, src, op.dst_size);
    }
}

void StreamedRow(const ElementOp& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                 const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    const auto size = static_cast<std::ptrdiff_t>(op.dst_size);
    if (dst_stride == size && src_stride == size && count != 0 && size != 0)
        return StreamedCopy(dst, src, count * op.dst_size);
    CopyRow(op, dst, dst_stride, src, src_stride, count);
}

void SwapRow(const ElementOp& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
             const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    const auto unit = static_cast<std::ptrdiff_t>(op.unit);
    const auto size = static_cast<std::ptrdiff_t>(op.dst_size);
    if (size == unit) return CopySwapped(dst, dst_stride, src, src_stride, op.unit, count);
    const std::size_t units = op.dst_size / op.unit;
    if (dst_stride == size && src_stride == size)
        return CopySwapped(dst, unit, src, unit, op.unit, count * units);
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride)
        CopySwapped(dst, unit, src, unit, op.unit, units);
}

}  // namespace

ElementOp CopyOp(std::size_t size) {
    ElementOp op;
    op.row = CopyRow;
    op.dst_size = op.src_size = size;
    op.is_copy = true;
    return op;
}

ElementOp StreamedCopyOp(std::size_t size) {
    ElementOp op = CopyOp(size);
    op.row = StreamedRow;
    op.finish = EndStreamedCopies;
    return op;
}

ElementOp SwapOp(std::size_t size, std::size_t unit) {
    ElementOp op = CopyOp(size);
    op.row = SwapRow;
    op.unit = unit;
    op.is_copy = false;
    return op;
}

}  // namespace zarr

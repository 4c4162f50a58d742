// SPDX-License-Identifier: MIT
#include "driver/extended_op.h"

#include <cpl_vsi.h>

#include <cstring>
#include <string>

#include "core/dtype/element_text.h"
#include "core/dtype/marked_text.h"
#include "driver/extended_type.h"

namespace zarr_driver {

using zarr::DataKind;
using zarr::Result;

namespace {

// The text of a stored element that is no number, in UTF-8 and without NUL.
std::string TextOf(const zarr::DataType& type, const std::uint8_t* element) {
    if (type.kind == DataKind::kObject) {
        zarr::ObjectRef ref;
        std::memcpy(&ref, element, sizeof ref);
        return ref.data == nullptr ? std::string() : zarr::MarkedBytes({ref.data, ref.size});
    }
    if (!type.NeedsSwap()) return zarr::MarkedText(zarr::ElementText(type, element));
    std::string native(reinterpret_cast<const char*>(element), type.size);
    auto* bytes = reinterpret_cast<std::uint8_t*>(native.data());
    zarr::SwapElements(type, bytes, 1);
    return zarr::MarkedText(zarr::ElementText(type, bytes));
}

}  // namespace

Result<std::unique_ptr<const ExtendedOp>> ExtendedOp::Make(const zarr::DataType& stored,
                                                           const GDALExtendedDataType& buffer) {
    std::unique_ptr<ExtendedOp> self(new ExtendedOp());
    ZARR_ASSIGN_OR_RETURN(const auto leaves, PairLeaves(stored, buffer, Members::kAnyOf));
    for (const ExtendedLeaf& pair : leaves) {
        auto leaf = std::make_unique<Leaf>(Leaf{pair, nullptr});
        const GDALExtendedDataType& type = leaf->gdal_type;
        if (type.GetClass() == GEDTC_NUMERIC && GdalTypeOf(leaf->type) != GDT_Unknown)
            leaf->number = std::make_unique<BufferOp>(leaf->type, type.GetNumericDataType());
        self->leaves_.push_back(std::move(leaf));
    }
    const bool is_number = buffer.GetClass() == GEDTC_NUMERIC && self->leaves_.size() == 1 &&
                           self->leaves_[0]->number != nullptr;
    if (is_number) {
        self->op_ = self->leaves_[0]->number->op();
    } else {
        self->op_.row = ConvertRow;
        self->op_.dst_size = buffer.GetSize();
        self->op_.src_size = stored.size;
        self->op_.context = self.get();
    }
    return std::unique_ptr<const ExtendedOp>(std::move(self));
}

void ExtendedOp::ConvertText(const Leaf& leaf, std::uint8_t* dst, const std::uint8_t* src) const {
    if (GdalTypeOf(leaf.type) != GDT_Unknown) {  // a number as text
        alignas(16) std::uint8_t number[16];
        const BufferOp to_native(leaf.type, GdalTypeOf(leaf.type));
        to_native.op().row(to_native.op(), number, 0, src, 0, 1);
        GDALExtendedDataType::CopyValue(number, GDALExtendedDataType::Create(GdalTypeOf(leaf.type)),
                                        dst, leaf.gdal_type);
        return;
    }
    const std::string text = TextOf(leaf.type, src);
    if (leaf.gdal_type.GetClass() != GEDTC_STRING) {
        const char* pointer = text.c_str();
        GDALExtendedDataType::CopyValue(&pointer, GDALExtendedDataType::CreateString(), dst,
                                        leaf.gdal_type);
        return;
    }
    char* copy = VSIStrdup(text.c_str());
    if (copy == nullptr) is_out_of_memory_ = true;
    std::memcpy(dst, &copy, sizeof copy);
}

void ExtendedOp::ConvertRow(const zarr::ElementOp& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                            const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    const auto& self = *static_cast<const ExtendedOp*>(op.context);
    for (const auto& leaf : self.leaves_) {
        std::uint8_t* to = dst + leaf->gdal_offset;
        const std::uint8_t* from = src + leaf->offset;
        if (leaf->number != nullptr) {
            const zarr::ElementOp& number = leaf->number->op();
            number.row(number, to, dst_stride, from, src_stride, count);
            continue;
        }
        for (std::size_t i = 0; i < count; ++i, to += dst_stride, from += src_stride)
            self.ConvertText(*leaf, to, from);
    }
}

void ClearElements(const GDALExtendedDataType& type, std::uint8_t* data,
                   const zarr::DimVector<std::uint64_t>& count, const zarr::Strides& strides) {
    const std::vector<std::uint8_t> zeros(type.GetSize());
    zarr::FillBlock(count, data, strides, zeros.data(), zarr::CopyOp(type.GetSize()));
}

void FreeElements(const GDALExtendedDataType& type, std::uint8_t* data,
                  const zarr::DimVector<std::uint64_t>& count, const zarr::Strides& strides) {
    zarr::ElementOp op;
    op.dst_size = op.src_size = type.GetSize();
    op.context = &type;
    op.row = [](const zarr::ElementOp& self, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                const std::uint8_t*, std::ptrdiff_t, std::size_t n) {
        const auto& element_type = *static_cast<const GDALExtendedDataType*>(self.context);
        for (std::size_t i = 0; i < n; ++i, dst += dst_stride) {
            element_type.FreeDynamicMemory(dst);
            std::memset(dst, 0, self.dst_size);
        }
    };
    const std::uint8_t unused = 0;
    zarr::FillBlock(count, data, strides, &unused, op);
}

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#include "driver/extended_write_op.h"

#include <cpl_vsi.h>

#include <algorithm>
#include <cstring>

#include "core/base/text.h"
#include "core/dtype/element_text.h"
#include "core/dtype/marked_text.h"

namespace zarr_driver {

using zarr::DataKind;
using zarr::Result;
using zarr::Status;

namespace {

Status StoreBytes(const zarr::DataType& type, const std::string& text, const std::string& bytes,
                  std::uint8_t* dst) {
    if (bytes.size() > type.size) return zarr::TooLong(type, text);
    std::copy(bytes.begin(), bytes.end(), dst);
    return {};
}

Status StoreUnicode(const zarr::DataType& type, const std::string& text, std::uint8_t* dst) {
    ZARR_ASSIGN_OR_RETURN(const std::u32string units, zarr::Utf8ToUcs4(text));
    if (units.size() * sizeof(char32_t) > type.size) return zarr::TooLong(type, text);
    const auto* const first = reinterpret_cast<const std::uint8_t*>(units.data());
    std::copy_n(first, units.size() * sizeof(char32_t), dst);
    if (type.NeedsSwap()) zarr::SwapElements(type, dst, 1);
    return {};
}

// Stores a text as an element of `type`, which is zeros.
Status StoreText(const zarr::DataType& type, const std::string& text, std::uint8_t* dst) {
    switch (type.kind) {
        case DataKind::kBytes:
            return StoreBytes(type, text, text, dst);
        case DataKind::kUnicode:
            return StoreUnicode(type, text, dst);
        case DataKind::kVoid: {
            // An empty text is what an array begins as.
            const auto bytes = zarr::Base64Decode(text);
            if (!bytes.ok() || (bytes->size() != type.size && !bytes->empty()))
                return Status::Invalid(zarr::Quoted(text) + ": expected the base64 of " +
                                       std::to_string(type.size) + " bytes, as dtype " +
                                       type.ToString() + " has");
            return StoreBytes(type, text, *bytes, dst);
        }
        default:
            break;
    }
    return Status::Invalid("dtype " + type.ToString() + " has no texts");
}

}  // namespace

std::string TextOfElement(const GDALExtendedDataType& type, const void* element) {
    char* text = nullptr;
    if (type.GetClass() == GEDTC_STRING) {
        std::memcpy(&text, element, sizeof text);
        return text == nullptr ? std::string() : zarr::ReplaceInvalidUtf8(text);
    }
    GDALExtendedDataType::CopyValue(element, type, &text, GDALExtendedDataType::CreateString());
    std::string copy = text == nullptr ? "" : text;
    VSIFree(text);
    return copy;
}

Result<std::unique_ptr<const ExtendedWriteOp>> ExtendedWriteOp::Make(
    const zarr::DataType& stored, const GDALExtendedDataType& buffer) {
    std::unique_ptr<ExtendedWriteOp> self(new ExtendedWriteOp());
    ZARR_ASSIGN_OR_RETURN(const auto leaves, PairLeaves(stored, buffer, Members::kAllOf));
    for (const ExtendedLeaf& pair : leaves) {
        auto leaf = std::make_unique<Leaf>(Leaf{pair, nullptr});
        const GDALExtendedDataType& type = leaf->gdal_type;
        if (GdalTypeOf(leaf->type) == GDT_Unknown)
            self->can_fail_ = true;
        else if (type.GetClass() == GEDTC_NUMERIC)
            leaf->number = std::make_unique<BufferWriteOp>(leaf->type, type.GetNumericDataType());
        else
            return Status::Invalid("a text is no number, as dtype " + leaf->type.ToString() +
                                   " wants");
        self->leaves_.push_back(std::move(leaf));
    }
    const bool is_number = stored.kind != DataKind::kStruct && self->leaves_[0]->number != nullptr;
    if (is_number) {
        self->op_ = self->leaves_[0]->number->op();
    } else {
        self->op_.row = ConvertRow;
        self->op_.dst_size = stored.size;
        self->op_.src_size = buffer.GetSize();
        self->op_.context = self.get();
    }
    return std::unique_ptr<const ExtendedWriteOp>(std::move(self));
}

Status ExtendedWriteOp::status() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return status_;
}

void ExtendedWriteOp::ConvertText(const Leaf& leaf, std::uint8_t* dst,
                                  const std::uint8_t* src) const {
    std::memset(dst, 0, leaf.type.size);
    const std::string text = zarr::UnmarkedBytes(TextOfElement(leaf.gdal_type, src));
    const Status status = StoreText(leaf.type, text, dst);
    if (status.ok()) return;
    std::memset(dst, 0, leaf.type.size);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (status_.ok()) status_ = status;
}

void ExtendedWriteOp::ConvertRow(const zarr::ElementOp& op, std::uint8_t* dst,
                                 std::ptrdiff_t dst_stride, const std::uint8_t* src,
                                 std::ptrdiff_t src_stride, std::size_t count) {
    const auto& self = *static_cast<const ExtendedWriteOp*>(op.context);
    for (const auto& leaf : self.leaves_) {
        std::uint8_t* to = dst + leaf->offset;
        const std::uint8_t* from = src + leaf->gdal_offset;
        if (leaf->number != nullptr) {
            const zarr::ElementOp& number = leaf->number->op();
            number.row(number, to, dst_stride, from, src_stride, count);
            continue;
        }
        for (std::size_t i = 0; i < count; ++i, to += dst_stride, from += src_stride)
            self.ConvertText(*leaf, to, from);
    }
}

}  // namespace zarr_driver

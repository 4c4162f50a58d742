// SPDX-License-Identifier: MIT
#include "driver/extended_write_op.h"

#include <cpl_vsi.h>

#include <algorithm>
#include <cstring>

#include "core/base/text.h"
#include "driver/extended_type.h"

namespace zarr_driver {

using zarr::DataKind;
using zarr::Result;
using zarr::Status;

namespace {

Status TooLong(const zarr::DataType& type, const std::string& text) {
    return Status::Invalid(zarr::Quoted(text) + ": too long for dtype " + type.ToString());
}

Status StoreBytes(const zarr::DataType& type, const std::string& text, const std::string& bytes,
                  std::uint8_t* dst) {
    if (bytes.size() > type.size) return TooLong(type, text);
    std::copy(bytes.begin(), bytes.end(), dst);
    return {};
}

Status StoreUnicode(const zarr::DataType& type, const std::string& text, std::uint8_t* dst) {
    ZARR_ASSIGN_OR_RETURN(const std::u32string units, zarr::Utf8ToUcs4(text));
    if (units.size() * sizeof(char32_t) > type.size) return TooLong(type, text);
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
    std::unique_ptr<ExtendedWriteOp> self(new ExtendedWriteOp(stored));
    ZARR_RETURN_IF_ERROR(self->Plan(self->stored_, 0, buffer, 0));
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

Status ExtendedWriteOp::Plan(const zarr::DataType& stored, std::size_t dst_offset,
                             const GDALExtendedDataType& buffer, std::size_t src_offset) {
    if (stored.kind == DataKind::kStruct)
        return PlanMembers(stored, dst_offset, buffer, src_offset);
    if (buffer.GetClass() == GEDTC_COMPOUND)
        return Status::Invalid("dtype " + stored.ToString() + " has no members");
    const bool is_number = GdalTypeOf(stored) != GDT_Unknown;
    if (is_number && buffer.GetClass() != GEDTC_NUMERIC)
        return Status::Invalid("a text is no number, as dtype " + stored.ToString() + " wants");
    auto leaf = std::make_unique<Leaf>();
    leaf->type = stored;
    leaf->src_offset = src_offset;
    leaf->dst_offset = dst_offset;
    leaf->src_type = GDALExtendedDataType(buffer);
    if (is_number)
        leaf->number = std::make_unique<BufferWriteOp>(leaf->type, buffer.GetNumericDataType());
    can_fail_ = can_fail_ || !is_number;
    leaves_.push_back(std::move(leaf));
    return {};
}

Status ExtendedWriteOp::PlanMembers(const zarr::DataType& stored, std::size_t dst_offset,
                                    const GDALExtendedDataType& buffer, std::size_t src_offset) {
    if (buffer.GetClass() != GEDTC_COMPOUND)
        return Status::Invalid("a structure is no single value; name one of its members");
    ZARR_ASSIGN_OR_RETURN(const std::vector<StructMember> members, StructMembers(stored));
    const auto& given = buffer.GetComponents();
    std::size_t next = 0;  // members mostly come in the order of the buffer's
    for (const StructMember& member : members) {
        std::size_t i = 0;
        while (i < given.size() && given[(next + i) % given.size()]->GetName() != member.name) ++i;
        if (i == given.size())
            return Status::Invalid("member " + zarr::Quoted(member.name) + " of dtype " +
                                   stored.ToString() + " is not given");
        const GDALEDTComponent& component = *given[(next + i) % given.size()];
        ZARR_RETURN_IF_ERROR(Plan(member.type, dst_offset + member.offset, component.GetType(),
                                  src_offset + component.GetOffset()));
        next += i + 1;
    }
    return {};
}

Status ExtendedWriteOp::status() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return status_;
}

void ExtendedWriteOp::ConvertText(const Leaf& leaf, std::uint8_t* dst,
                                  const std::uint8_t* src) const {
    std::memset(dst, 0, leaf.type.size);
    const Status status = StoreText(leaf.type, TextOfElement(leaf.src_type, src), dst);
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
        std::uint8_t* to = dst + leaf->dst_offset;
        const std::uint8_t* from = src + leaf->src_offset;
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

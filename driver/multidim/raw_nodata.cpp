// SPDX-License-Identifier: MIT
#include "driver/multidim/raw_nodata.h"

#include <cstring>

#include "core/dtype/narrow_types.h"
#include "driver/base/gdal_types.h"
#include "driver/multidim/extended_type.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

void RawNodata::Clear() {
    if (!data_.empty()) type_.FreeDynamicMemory(data_.data());
    data_.clear();
}

void RawNodata::Set(const std::optional<zarr::FillValue>& element) {
    Clear();
    // An empty string is no nodata value, because it is the initial value of a new array.
    if (!element || (type_.GetClass() == GEDTC_STRING && element->is_zero())) return;
    // A fill value of more than 1 MiB is not used as a nodata value.
    constexpr std::size_t kLongest = std::size_t{1} << 20;
    if (element->size() > kLongest) return;
    const auto op = ExtendedConverter::Make(stored_.Native(), type_);
    if (!op.ok()) return;
    const std::string bytes = element->Bytes();
    zarr::ObjectRef ref{bytes.data(), bytes.size()};
    const auto* from = stored_.kind == zarr::DataKind::kObject
                           ? reinterpret_cast<const std::uint8_t*>(&ref)
                           : reinterpret_cast<const std::uint8_t*>(bytes.data());
    data_.resize(type_.GetSize());
    (*op)->op().row((*op)->op(), data_.data(), 0, from, 0, 1);
}

double RawNodata::Number(const void* raw) const {
    double value = 0;
    GDALCopyWords(raw, type_.GetNumericDataType(), 0, &value, GDT_Float64, 0, 1);
    return value;
}

bool RawNodata::IsOutside(const void* raw, const std::string& element) const {
    if (stored_.narrow != zarr::NarrowType::kNone)
        return !zarr::IsRepresentable(stored_.narrow, Number(raw));
    const zarr::DataType native = stored_.Native();
    if (native.kind != zarr::DataKind::kInt && !native.is_time()) return false;
    const BufferConverter read(native, type_.GetNumericDataType());
    std::string existing(type_.GetSize(), '\0');
    read.op().row(read.op(), reinterpret_cast<std::uint8_t*>(existing.data()), 0,
                  reinterpret_cast<const std::uint8_t*>(element.data()), 0, 1);
    return std::memcmp(existing.data(), raw, existing.size()) != 0;
}

Result<std::optional<std::string>> RawNodata::Stored(const void* raw) const {
    if (stored_.kind == zarr::DataKind::kObject) return std::optional(TextOfElement(type_, raw));
    const zarr::DataType native = stored_.Native();
    ZARR_ASSIGN_OR_RETURN(const auto op, ExtendedWriteConverter::Make(native, type_));
    std::string element(native.size, '\0');
    op->op().row(op->op(), reinterpret_cast<std::uint8_t*>(element.data()), 0,
                 static_cast<const std::uint8_t*>(raw), 0, 1);
    ZARR_RETURN_IF_ERROR(op->status());
    if (!op->truncated_texts().empty()) return Status::Invalid(op->truncated_texts().Message());
    if (IsOutside(raw, element)) return std::optional<std::string>();
    return std::optional(std::move(element));
}

}  // namespace zarr_driver

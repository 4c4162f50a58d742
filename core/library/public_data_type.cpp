// SPDX-License-Identifier: MIT
#include "core/dtype/data_type.h"
#include "core/dtype/v3_types.h"
#include "core/json/value.h"
#include "core/library/conversion.h"
#include "core/library/internal.h"
#include "core/library/zarr_core/data_type.h"

namespace zarr_core {

namespace {

constexpr bool AreSame(DataKind kind, zarr::DataKind other) {
    return static_cast<int>(kind) == static_cast<int>(other);
}
static_assert(AreSame(DataKind::kBool, zarr::DataKind::kBool) &&
              AreSame(DataKind::kInt, zarr::DataKind::kInt) &&
              AreSame(DataKind::kUint, zarr::DataKind::kUint) &&
              AreSame(DataKind::kFloat, zarr::DataKind::kFloat) &&
              AreSame(DataKind::kComplex, zarr::DataKind::kComplex) &&
              AreSame(DataKind::kDatetime, zarr::DataKind::kDatetime) &&
              AreSame(DataKind::kTimedelta, zarr::DataKind::kTimedelta) &&
              AreSame(DataKind::kBytes, zarr::DataKind::kBytes) &&
              AreSame(DataKind::kUnicode, zarr::DataKind::kUnicode) &&
              AreSame(DataKind::kRaw, zarr::DataKind::kVoid) &&
              AreSame(DataKind::kStruct, zarr::DataKind::kStruct) &&
              AreSame(DataKind::kVariable, zarr::DataKind::kObject));

}  // namespace

zarr::Result<zarr::DataType> ParseTypeText(std::string_view text) {
    const bool is_json = !text.empty() && (text[0] == '[' || text[0] == '{' || text[0] == '"');
    zarr::json::Value value{text};
    if (is_json) {
        ZARR_ASSIGN_OR_RETURN(value, zarr::json::Parse(text));
    }
    if (value.as_object() == nullptr) {
        auto type = zarr::ParseDataType(value);
        if (type.ok() || value.as_array() != nullptr) return type;
    }
    return zarr::ParseV3DataType(value);
}

Result<DataType> DataType::Parse(std::string_view text) noexcept {
    return Guarded([&]() -> zarr::Result<DataType> {
        auto type = ParseTypeText(text);
        if (!type.ok()) return ToInvalidArgument(type.status(), "data type");
        return WithImpl<DataType>(type.Take());
    });
}

DataType::DataType(std::shared_ptr<const Impl> impl) noexcept : impl_(std::move(impl)) {}

DataKind DataType::kind() const noexcept { return static_cast<DataKind>(impl_->type.kind); }

std::size_t DataType::size() const noexcept {
    return kind() == DataKind::kVariable ? 0 : impl_->type.size;
}

MemoryType DataType::memory_type() const noexcept { return MemoryTypeFor(impl_->type); }

Result<std::string> DataType::ToString() const noexcept {
    return Guarded([&]() -> zarr::Result<std::string> {
        const zarr::DataType& type = impl_->type;
        // NumPy has one name, "|O", for strings and bytes. The names of Zarr v3 tell them apart.
        if (type.kind == zarr::DataKind::kObject && type.object_kind != zarr::ObjectKind::kAny)
            return std::string(type.object_kind == zarr::ObjectKind::kText ? "string" : "bytes");
        return type.ToString();
    });
}

}  // namespace zarr_core

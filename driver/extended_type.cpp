// SPDX-License-Identifier: MIT
#include "driver/extended_type.h"

#include <algorithm>
#include <memory>

#include "driver/gdal_types.h"

namespace zarr_driver {

using zarr::DataKind;
using zarr::Result;
using zarr::Status;

namespace {

std::size_t AlignmentOf(const GDALExtendedDataType& type) {
    switch (type.GetClass()) {
        case GEDTC_STRING:
            return alignof(char*);
        case GEDTC_NUMERIC: {
            const bool is_complex = GDALDataTypeIsComplex(type.GetNumericDataType()) != 0;
            return type.GetSize() / (is_complex ? 2 : 1);
        }
        default:
            break;
    }
    std::size_t alignment = 1;
    for (const auto& component : type.GetComponents())
        alignment = std::max(alignment, AlignmentOf(component->GetType()));
    return alignment;
}

std::size_t AlignUp(std::size_t offset, std::size_t alignment) {
    return (offset + alignment - 1) / alignment * alignment;
}

// Longest text of an element, in bytes, for those types whose limit is one of bytes; 0 otherwise,
// as writers make arrays of characters of what is limited.
std::size_t MaxTextLength(const zarr::DataType& type) {
    return type.kind == DataKind::kBytes ? type.size : 0;
}

// Counts leaves, so that nested structures of many fields are refused before they are built.
Status CheckFieldCount(const zarr::DataType& type, std::size_t times, std::size_t& total) {
    for (const zarr::Field& field : type.fields) {
        if (field.count > kMaxFields || times * field.count > kMaxFields)
            return Status::Limit("dtype: elements with more than " + std::to_string(kMaxFields) +
                                 " fields");
        if (field.type.kind == DataKind::kStruct)
            ZARR_RETURN_IF_ERROR(CheckFieldCount(field.type, times * field.count, total));
        else
            total += times * field.count;
        if (total > kMaxFields)
            return Status::Limit("dtype: elements with more than " + std::to_string(kMaxFields) +
                                 " fields");
    }
    return {};
}

Result<GDALExtendedDataType> CompoundOf(const zarr::DataType& type, const std::string& name) {
    ZARR_ASSIGN_OR_RETURN(const std::vector<StructMember> members, StructMembers(type));
    if (members.empty()) return Status::Unsupported("dtype: a structure without elements");
    std::vector<std::unique_ptr<GDALEDTComponent>> components;
    std::size_t offset = 0;
    std::size_t alignment = 1;
    for (const StructMember& member : members) {
        auto component = ExtendedTypeOf(member.type, name + "_" + member.name);
        if (!component.ok()) return component.status();
        const std::size_t own = AlignmentOf(*component);
        alignment = std::max(alignment, own);
        offset = AlignUp(offset, own);
        components.push_back(std::make_unique<GDALEDTComponent>(member.name, offset, *component));
        offset += component->GetSize();
    }
    return GDALExtendedDataType::Create(name, AlignUp(offset, alignment), std::move(components));
}

}  // namespace

Result<std::vector<StructMember>> StructMembers(const zarr::DataType& type) {
    std::size_t total = 0;
    ZARR_RETURN_IF_ERROR(CheckFieldCount(type, 1, total));
    std::vector<StructMember> members;
    for (const zarr::Field& field : type.fields) {
        for (std::size_t i = 0; i < field.count; ++i) {
            const std::string index = field.shape.empty() ? "" : "[" + std::to_string(i) + "]";
            members.push_back({field.name + index, field.type, field.offset + i * field.type.size});
        }
    }
    return members;
}

Result<GDALExtendedDataType> ExtendedTypeOf(const zarr::DataType& type, const std::string& name) {
    if (type.kind == DataKind::kStruct) return CompoundOf(type, name);
    const GDALDataType numeric = GdalTypeOf(type);
    if (numeric != GDT_Unknown) return GDALExtendedDataType::Create(numeric);
    return GDALExtendedDataType::CreateString(MaxTextLength(type));
}

}  // namespace zarr_driver

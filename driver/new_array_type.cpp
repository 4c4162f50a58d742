// SPDX-License-Identifier: MIT
#include "driver/new_array_type.h"

#include <cpl_string.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/endian.h"
#include "core/base/text.h"
#include "core/json/value.h"
#include "driver/array_creation_options.h"
#include "driver/gdal_types.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::Result;
using zarr::Status;

namespace {

// Of "name[3]" the name, where 3 is `index`; else empty.
std::string SubarrayName(const std::string& member, std::size_t index) {
    const std::string suffix = "[" + std::to_string(index) + "]";
    const bool has_suffix =
        member.size() > suffix.size() &&
        member.compare(member.size() - suffix.size(), suffix.size(), suffix) == 0;
    return has_suffix ? member.substr(0, member.size() - suffix.size()) : std::string();
}

Result<json::Value> MemberType(const GDALExtendedDataType& type, StringFormat strings);

// Of a compound, as `.zarray` spells it.
Result<json::Value> StructType(const GDALExtendedDataType& type, StringFormat strings) {
    const auto& members = type.GetComponents();
    std::set<std::string> names;
    for (const auto& member : members)
        if (member->GetName().empty() || !names.insert(member->GetName()).second)
            return Status::Invalid("member " + zarr::Quoted(member->GetName()) +
                                   ": every member needs a name of its own");
    json::Array fields;
    for (std::size_t i = 0; i < members.size();) {
        const GDALEDTComponent& member = *members[i];
        const std::string base = SubarrayName(member.GetName(), 0);
        std::size_t count = 1;
        while (!base.empty() && i + count < members.size() &&
               SubarrayName(members[i + count]->GetName(), count) == base &&
               members[i + count]->GetType() == member.GetType())
            ++count;
        auto own = MemberType(member.GetType(), strings);
        if (!own.ok()) return own.status().WithContext("member " + zarr::Quoted(member.GetName()));
        json::Array field{json::Value(base.empty() ? member.GetName() : base), own.Take()};
        if (!base.empty())
            field.emplace_back(json::Array{json::Value(static_cast<std::uint64_t>(count))});
        fields.emplace_back(std::move(field));
        i += count;
    }
    return json::Value(std::move(fields));
}

Result<json::Value> MemberType(const GDALExtendedDataType& type, StringFormat strings) {
    if (type.GetClass() == GEDTC_COMPOUND) return StructType(type, strings);
    if (type.GetClass() == GEDTC_NUMERIC) {
        ZARR_ASSIGN_OR_RETURN(const zarr::DataType number, StoredTypeOf(type.GetNumericDataType()));
        return zarr::DataTypeToJson(number);
    }
    const std::size_t length = type.GetMaxStringLength();
    if (length == 0)
        return Status::Unsupported(
            "a string inside of a compound needs a maximum length, as structures of Zarr have a "
            "fixed size");
    const std::string unicode = zarr::HostIsLittleEndian() ? "<U" : ">U";
    return json::Value((strings == StringFormat::kUnicode ? unicode : "|S") +
                       std::to_string(length));
}

}  // namespace

Result<StringFormat> ParseStringFormat(CSLConstList options) {
    const char* text = CSLFetchNameValue(options, "STRING_FORMAT");
    if (text == nullptr || EQUAL(text, "ASCII")) return StringFormat::kAscii;
    if (EQUAL(text, "UNICODE")) return StringFormat::kUnicode;
    return RefuseOption("STRING_FORMAT", "ASCII or UNICODE", text);
}

Result<zarr::DataType> NewArrayType(const GDALExtendedDataType& type, StringFormat strings) {
    if (type.GetClass() == GEDTC_STRING) {
        const std::size_t length = type.GetMaxStringLength();
        const bool is_fixed = strings == StringFormat::kAscii && length > 0;
        return zarr::ParseTypestr(is_fixed ? "|S" + std::to_string(length) : "|O");
    }
    ZARR_ASSIGN_OR_RETURN(const json::Value spelled, MemberType(type, strings));
    const auto parsed = zarr::ParseDataType(spelled);
    // What the caller asks for is no damage of a store.
    if (!parsed.ok()) return Status::Invalid(parsed.status().message());
    return *parsed;
}

}  // namespace zarr_driver

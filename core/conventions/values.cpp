// SPDX-License-Identifier: MIT
#include "core/conventions/values.h"

#include <array>
#include <cstring>
#include <limits>

#include "core/dtype/fill_value.h"

namespace zarr {

Packing ReadPacking(const json::Value& attributes, Warnings& warnings) {
    Packing packing;
    packing.scale = NumberAttribute(attributes, "scale_factor", warnings);
    packing.offset = NumberAttribute(attributes, "add_offset", warnings);
    if (const std::string* units = StringAttribute(attributes, "units")) packing.units = *units;
    return packing;
}

std::optional<FillValue> ReadNodata(const json::Value& attributes, const ArrayMetadata& metadata,
                                    bool fill_value_counts, Warnings& warnings) {
    for (const std::string_view name : {"_FillValue", "missing_value"}) {
        const json::Value* value = attributes.Find(name);
        if (value == nullptr || value->is_null()) continue;
        const json::Array* items = value->as_array();
        const bool one_of_one =
            items != nullptr && items->size() == 1 && metadata.dtype.kind != DataKind::kComplex;
        auto element = ParseFillValue(metadata.dtype, one_of_one ? (*items)[0] : *value);
        if (element.ok()) return element.Take();
        warnings.push_back("attribute " + std::string(name) + ": " + json::Brief(*value) +
                           " is no value of dtype " + metadata.dtype.ToString());
    }
    if (metadata.dtype.is_time()) {  // NumPy's own: not a time
        constexpr std::int64_t kNat = std::numeric_limits<std::int64_t>::min();
        std::string element(sizeof kNat, '\0');
        std::memcpy(element.data(), &kNat, sizeof kNat);
        return FillValue(std::move(element), sizeof kNat);
    }
    if (fill_value_counts && metadata.has_fill_value) return metadata.fill_value;
    return std::nullopt;
}

std::string UnitsOf(const DataType& type, const Packing& packing) {
    std::string units = TimeUnits(type);
    return units.empty() ? packing.units : units;
}

std::string TimeUnits(const DataType& type) {
    constexpr std::array<std::string_view, 14> kNames = {"",
                                                         "years",
                                                         "months",
                                                         "weeks",
                                                         "days",
                                                         "hours",
                                                         "minutes",
                                                         "seconds",
                                                         "milliseconds",
                                                         "microseconds",
                                                         "nanoseconds",
                                                         "picoseconds",
                                                         "femtoseconds",
                                                         "attoseconds"};
    if (!type.is_time() || type.time_unit == TimeUnit::kGeneric) return {};
    std::string text;
    if (type.time_multiple != 1) text = std::to_string(type.time_multiple) + " ";
    text += kNames[static_cast<std::size_t>(type.time_unit)];
    if (type.kind == DataKind::kDatetime) text += " since 1970-01-01";
    return text;
}

}  // namespace zarr

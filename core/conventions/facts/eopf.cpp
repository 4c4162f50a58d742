// SPDX-License-Identifier: MIT
#include "core/conventions/facts/eopf.h"

#include <algorithm>
#include <utility>

#include "core/json/value.h"
#include "core/metadata/fill_meaning.h"

namespace zarr {

namespace {

constexpr std::string_view kName = "_eopf_attrs";

// Members of `_eopf_attrs` that apply whether the array stores packed or decoded numbers.
constexpr std::string_view kPlain[] = {"units",       "long_name",  "standard_name",
                                       "flag_values", "flag_masks", "flag_meanings"};
// Members of `_eopf_attrs` that apply only if the array stores packed numbers.
constexpr std::string_view kOfStored[] = {"scale_factor", "add_offset"};

bool HasValue(const json::Value& attributes, std::string_view name) {
    const json::Value* value = attributes.Find(name);
    return value != nullptr && !value->is_null();
}

bool AreStored(const json::Value& eopf, const DataType& dtype) {
    const json::Value* stated = eopf.Find("dtype");
    if (stated == nullptr || stated->as_string() == nullptr)
        return dtype.kind == DataKind::kInt || dtype.kind == DataKind::kUint;
    const auto parsed = ParseDataType(*stated);
    return parsed.ok() && parsed->kind == dtype.kind && parsed->size == dtype.size;
}

// Returns the strings of a JSON list; empty if `list` is not a list of strings.
std::vector<std::string> Strings(const json::Value* list) {
    std::vector<std::string> strings;
    const json::Array* items = list != nullptr ? list->as_array() : nullptr;
    for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
        if ((*items)[i].as_string() == nullptr) return {};
        strings.push_back(*(*items)[i].as_string());
    }
    return strings;
}

// Returns the CF attribute `coordinates`: the names in `coordinates` that are not in `dimensions`,
// separated by blanks.
std::string CoordinatesText(const std::vector<std::string>& coordinates,
                            const std::vector<std::string>& dimensions) {
    std::string text;
    for (const std::string& name : coordinates)
        if (std::find(dimensions.begin(), dimensions.end(), name) == dimensions.end())
            text += (text.empty() ? "" : " ") + name;
    return text;
}

}  // namespace

Fact<json::Value> WithEopf(json::Value attributes, const ArrayMetadata& metadata) {
    const json::Value* found = attributes.Find(kName);
    if (found == nullptr || found->is_null()) return {std::move(attributes)};
    if (found->as_object() == nullptr)
        return {attributes,
                {json::Expected("attribute " + std::string(kName), "an object", *found).message()}};
    // Copied, because additions to `attributes` may move the original.
    const json::Value eopf = *found;
    json::Object& members = *attributes.MutableObject();
    const auto add = [&](std::string_view name, json::Value value) {
        members.emplace_back(std::string(name), std::move(value));
    };
    for (const std::string_view name : kPlain)
        if (HasValue(eopf, name) && !HasValue(attributes, name)) add(name, *eopf.Find(name));
    const std::vector<std::string> dimensions = Strings(eopf.Find("dimensions"));
    const std::string coordinates = CoordinatesText(Strings(eopf.Find("coordinates")), dimensions);
    if (dimensions.size() == metadata.rank() && !HasValue(attributes, "_ARRAY_DIMENSIONS"))
        add("_ARRAY_DIMENSIONS", *eopf.Find("dimensions"));
    if (!coordinates.empty() && !HasValue(attributes, "coordinates"))
        add("coordinates", json::Value(coordinates));
    if (!AreStored(eopf, metadata.dtype)) return {std::move(attributes)};
    for (const std::string_view name : kOfStored)
        if (HasValue(eopf, name) && !HasValue(attributes, name)) add(name, *eopf.Find(name));
    if (HasValue(eopf, "fill_value") && !NamesNodata(attributes))
        add("_FillValue", *eopf.Find("fill_value"));
    return {std::move(attributes)};
}

bool IsEopfProduct(const Hierarchy& hierarchy) {
    const json::Value root = AttributesOrEmpty(hierarchy, "");
    return root.Find("stac_discovery") != nullptr || root.Find("other_metadata") != nullptr;
}

std::optional<std::string> EopfCrsCode(const json::Value& root_attributes) {
    const json::Value* other = root_attributes.Find("other_metadata");
    const json::Value* code = other != nullptr ? other->Find("horizontal_CRS_code") : nullptr;
    std::uint64_t number = 0;
    if (code == nullptr) return std::nullopt;
    if (code->GetUint64(number)) return "EPSG:" + std::to_string(number);
    const std::string* text = code->as_string();
    if (text == nullptr || text->empty()) return std::nullopt;
    return text->find_first_not_of("0123456789") == std::string::npos ? "EPSG:" + *text : *text;
}

}  // namespace zarr

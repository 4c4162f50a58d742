// SPDX-License-Identifier: MIT
#include "core/metadata/fill_meaning.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/dtype/element_text.h"

namespace zarr {

namespace {

// True if GDAL's built-in driver wrote the array: that driver states the CRS only by the attribute
// `_CRS`. This driver always adds a grid mapping or kHasNodataAttribute to `_CRS`.
bool IsOfGdal(const json::Value& attributes) {
    return attributes.Find("_CRS") != nullptr && attributes.Find("grid_mapping") == nullptr;
}

bool UnstatedFillMeansMissing(const ArrayMetadata& metadata, const json::Value& attributes) {
    return !IsDefaultFill(metadata.dtype, metadata.fill_value) || metadata.is_of_gdal ||
           IsOfGdal(attributes);
}

// True if `element` is a number equal to zero; negative zero counts.
bool IsZeroNumber(DataType type, const std::string& element) {
    type = type.Native();
    if (type.kind == DataKind::kFloat)
        return ElementDouble(type, reinterpret_cast<const std::uint8_t*>(element.data())) == 0;
    if (type.kind != DataKind::kComplex) return false;
    type.kind = DataKind::kFloat;
    type.size /= 2;
    return IsZeroNumber(type, element.substr(0, type.size)) &&
           IsZeroNumber(type, element.substr(type.size));
}

}  // namespace

bool IsDefaultFill(const DataType& type, const FillValue& fill) {
    return fill.is_zero() || (type.is_numeric() && IsZeroNumber(type, fill.Bytes()));
}

bool IsNodataAttribute(std::string_view name) {
    return std::find(kNodataAttributes.begin(), kNodataAttributes.end(), name) !=
           kNodataAttributes.end();
}

bool IsNodataOfCf(std::string_view name) {
    return name == kNodataAttributes[0] || name == kNodataAttributes[1];
}

const json::Value* NodataStatement(const json::Value& attributes, std::string_view name) {
    const json::Value* value = attributes.Find(name);
    const json::Array* const items = value != nullptr ? value->as_array() : nullptr;
    // A longer list of CF's attributes may be a complex number.
    const bool states_one =
        items != nullptr && (items->size() == 1 || name == kNodataOfBands ||
                             (!IsNodataOfCf(name) && json::AreAllEqual(*items)));
    if (states_one) value = items->empty() ? nullptr : &items->front();
    return value != nullptr && !value->is_null() ? value : nullptr;
}

bool NamesNodata(const json::Value& attributes) {
    return std::any_of(
        kNodataAttributes.begin(), kNodataAttributes.end(), [&](std::string_view name) {
            return IsNodataOfCf(name) && NodataStatement(attributes, name) != nullptr;
        });
}

FillMeaning StatedFillMeaning(const json::Value& attributes) {
    const json::Value* const mark = attributes.Find(kHasNodataAttribute);
    if (mark == nullptr) return FillMeaning::kUnstated;
    double number = 0;
    const bool* const truth = mark->as_bool();
    if (truth == nullptr && !mark->GetDouble(number)) return FillMeaning::kUnstated;
    const bool is_missing = truth != nullptr ? *truth : number != 0;
    return is_missing ? FillMeaning::kNodata : FillMeaning::kData;
}

bool FillMeansMissing(const ArrayMetadata& metadata, const json::Value& attributes) {
    if (!metadata.has_fill_value) return false;
    if (metadata.format != Format::kV3) return true;
    if (metadata.fill_meaning != FillMeaning::kUnstated)
        return metadata.fill_meaning == FillMeaning::kNodata;
    return UnstatedFillMeansMissing(metadata, attributes);
}

json::Value FillMeaningAttribute(const ArrayMetadata& metadata, const json::Value& attributes,
                                 bool is_missing) {
    const bool is_named = is_missing && NamesNodata(attributes);
    // A changed document has the text of this driver, whatever its text was before.
    ArrayMetadata written = metadata;
    written.is_of_gdal = false;
    if (!metadata.has_fill_value || is_named ||
        UnstatedFillMeansMissing(written, attributes) == is_missing)
        return {};
    return json::Value(std::int64_t{is_missing ? 1 : 0});
}

}  // namespace zarr

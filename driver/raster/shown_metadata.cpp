// SPDX-License-Identifier: MIT
#include "driver/raster/shown_metadata.h"

#include <algorithm>

#include "core/conventions/attributes/attributes.h"
#include "driver/base/metadata_text.h"

namespace zarr_driver {

namespace {

void AddRegistration(const zarr::ArrayFacts& facts, CPLStringList& list) {
    constexpr const char* kItem = "AREA_OR_POINT";
    if (list.FetchNameValue(kItem) != nullptr) return;
    for (const zarr::json::Value* attributes : {&facts.attributes, &facts.group_attributes}) {
        if (attributes->Find("spatial:transform") == nullptr &&
            attributes->Find("spatial:bbox") == nullptr)
            continue;
        const std::string* said = zarr::StringAttribute(*attributes, "spatial:registration");
        list.SetNameValue(kItem, said != nullptr && *said == "node" ? "Point" : "Area");
        return;
    }
}

// Adds CF attributes of a dimension's coordinates as items, such as "time#calendar".
void AddCoordinateAttributes(const zarr::Dimension& dimension, CPLStringList& list) {
    if (dimension.coordinate_path.empty()) return;
    for (const char* const name : {"axis", "calendar", "long_name", "positive", "standard_name"}) {
        const std::string item = dimension.name + '#' + name;
        const std::string* const value =
            zarr::StringAttribute(dimension.coordinate_attributes, name);
        if (value != nullptr && list.FetchNameValue(item.c_str()) == nullptr)
            list.SetNameValue(item.c_str(), value->c_str());
    }
}

}  // namespace

void AddArrayAttributes(const BandArray& array, CPLStringList& list) {
    zarr::json::Value shown = array.facts().attributes;
    for (const std::string_view name : zarr::kNamesOfBands)
        if (shown.MutableObject() != nullptr && array.lists.HasEntry(shown, name, 0))
            zarr::json::EraseMember(*shown.MutableObject(), name);
    AddAttributes(shown, list);
}

void AddShownMetadata(const BandArrays& arrays, CPLStringList& list) {
    if (arrays.empty()) return;
    const RasterLayout& layout = arrays[0]->layout();
    AddRegistration(layout.facts, list);
    for (const std::size_t axis : layout.other_axes)
        AddCoordinateAttributes(layout.facts.dimensions[axis], list);
}

std::string CommonCompression(const BandArrays& arrays) {
    std::string common;
    for (const auto& array : arrays) {
        std::string own = CompressionName(array->facts().metadata);
        if (own.empty() || (!common.empty() && own != common)) return {};
        common = std::move(own);
    }
    return common;
}

bool IsOfCoordinates(const BandArrays& arrays, const std::string& name) {
    if (arrays.empty() || name.find('#') == std::string::npos) return false;
    const RasterLayout& layout = arrays[0]->layout();
    return std::any_of(layout.other_axes.begin(), layout.other_axes.end(), [&](std::size_t axis) {
        const zarr::Dimension& dimension = layout.facts.dimensions[axis];
        return !dimension.coordinate_path.empty() &&
               name.compare(0, dimension.name.size() + 1, dimension.name + '#') == 0;
    });
}

}  // namespace zarr_driver

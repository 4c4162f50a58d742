// SPDX-License-Identifier: MIT
#include "driver/georef/array_position.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "driver/base/gdal_errors.h"
#include "driver/base/metadata_text.h"

namespace zarr_driver {

using zarr::Result;
namespace json = zarr::json;

namespace {

constexpr std::string_view kOfCrs[] = {"_CRS",          "proj:code",     "proj:wkt2",
                                       "proj:projjson", kEpochAttribute, "zarr_conventions"};
constexpr std::string_view kOfGridMapping[] = {"coordinates", "grid_mapping"};

template <class List>
bool Has(const List& names, std::string_view name) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

Result<GeoreferencingArrays> WritePosition(const std::vector<EditableArray*>& arrays,
                                           const CoordinateArrays& stored,
                                           const RasterPosition& position, GeoreferencingForm form,
                                           PositionParts parts) {
    zarr::Warnings warnings;
    ZARR_ASSIGN_OR_RETURN(
        GeoreferencingArrays written,
        WriteGeoreferencingArrays(stored, arrays[0]->layout(), position, form, warnings));
    EmitWarnings(arrays[0]->Name(), warnings);
    if (SuitsEveryReader(form)) {
        std::vector<const RasterLayout*> layouts;
        for (const EditableArray* array : arrays) layouts.push_back(&array->layout());
        ZARR_RETURN_IF_ERROR(WriteMultidimCrs(*arrays[0]->update(), layouts, position.srs));
    }
    const bool is_all = parts == PositionParts::kAll;
    const bool replaces = is_all || position.srs == nullptr || !written.grid_mapping.empty();
    for (EditableArray* const array : arrays) {
        const json::Value before = array->facts().attributes;
        json::Value after = before;
        if (after.as_object() == nullptr) continue;
        if (replaces)
            ZARR_RETURN_IF_ERROR(
                RemoveReplacedGridMapping(stored, array->layout(), written.grid_mapping));
        SetGeoreferencingAttributes(array->layout(), position, form, written,
                                    *after.MutableObject());
        for (zarr::AttributeChange& change : zarr::DifferenceOf(before, after))
            if (is_all || Has(kOfCrs, change.name) ||
                (replaces && Has(kOfGridMapping, change.name)))
                array->ChangeAttribute(change.name, change.after.value_or(json::Value()));
    }
    return written;
}

}  // namespace zarr_driver

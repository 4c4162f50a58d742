// SPDX-License-Identifier: MIT
#include "driver/create/new_dimensions.h"

#include <memory>
#include <string>
#include <utility>

#include "core/store/keys.h"
#include "driver/georef/georeferencing_write.h"
#include "driver/raster/band.h"

namespace zarr_driver {

using zarr::Status;
namespace json = zarr::json;

Status ShareDimensions(ZarrDataset& dataset) {
    const BandArrays& arrays = dataset.arrays();
    StoreUpdate& update = *dataset.update();
    const RasterLayout& first = arrays[0]->layout();
    ZARR_ASSIGN_OR_RETURN(const auto shared,
                          FindSharedDimensions(update, PathsOf(arrays), first,
                                               dataset.georeferencing().KnownTransform()));
    if (shared.empty()) return {};
    const std::string group(zarr::ParentPath(first.facts.path));
    for (const auto& [axis, dimension] : shared) {
        const std::string before = first.facts.dimensions[axis].name;
        for (const auto& array : arrays) array->layout().facts.dimensions[axis] = dimension;
        // An earlier flush may have written coordinates under the dimension's former name; they are
        // deleted.
        const std::string old = zarr::JoinKey(group, before);
        if (update.HasCreated(old)) ZARR_RETURN_IF_ERROR(update.metadata().DeleteNode(old));
    }
    for (const auto& array : arrays) {
        json::Array names;
        for (const zarr::Dimension& dimension : array->facts().dimensions)
            names.emplace_back(dimension.name);
        array->ChangeAttribute("_ARRAY_DIMENSIONS", json::Value(std::move(names)));
    }
    dataset.georeferencing().DimensionsRenamed();
    dataset.names().DimensionsRenamed();
    return {};
}

Status ReplaceArray(ZarrDataset& dataset, const zarr::ArrayMetadata& metadata,
                    const json::Object& attributes) {
    BandArray& array = *dataset.arrays()[0];
    StoreUpdate& update = *dataset.update();
    const std::string path = array.path();
    if (const std::string names = dataset.names().Path(); update.HasCreated(names))
        ZARR_RETURN_IF_ERROR(update.metadata().DeleteNode(names));
    ZARR_RETURN_IF_ERROR(update.MakeArray(path, metadata, attributes));
    ZARR_ASSIGN_OR_RETURN(const auto hierarchy, CurrentHierarchy(update.store()));
    ZARR_ASSIGN_OR_RETURN(RasterLayout layout,
                          MakeRasterLayout(*hierarchy, path, dataset.options(), {}));
    // The bands point to fields in the old list, so the new layout takes over that list.
    layout.fields.swap(array.layout().fields);
    array.layout() = std::move(layout);
    array.labels =
        std::make_unique<SliceLabels>(hierarchy, array.layout(), array.channels, array.listing,
                                      dataset.store_path(), dataset.options());
    array.activity = std::make_unique<ArrayActivity>(dataset.store_path(), array.elements());
    dataset.names().ArrayReplaced();
    dataset.georeferencing().DimensionsRenamed();
    dataset.overviews().pending().is_description = true;
    for (int i = 1; i <= dataset.GetRasterCount(); ++i) dataset.Band(i)->ArrayReplaced();
    return {};
}

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#include "driver/raster/stored_band_names.h"

#include "core/conventions/cf/coordinates.h"
#include "core/store/keys.h"
#include "driver/georef/georeferencing_write.h"
#include "driver/raster/band.h"
#include "driver/raster/dataset.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

bool StoredBandNames::CanBeStored() {
    if (!can_be_stored_) can_be_stored_ = FindOut();
    return *can_be_stored_;
}

bool StoredBandNames::FindOut() const {
    if (dataset_.arrays().size() != 1) return false;
    const RasterLayout& layout = dataset_.arrays()[0]->layout();
    if (layout.other_axes.size() != 1 || layout.HasFixedAxis() || layout.fields.size() != 1)
        return false;
    const zarr::Dimension& dimension = layout.facts.dimensions[layout.other_axes[0]];
    if (!dimension.is_named) return false;
    // Band names never replace coordinates that are times or other numbers.
    if (!dimension.coordinate_path.empty()) {
        const auto coordinate = dataset_.open_node().hierarchy->Metadata(dimension.coordinate_path);
        if (!coordinate.ok() || coordinate->dtype.kind != zarr::DataKind::kUnicode) return false;
    }
    const auto is_free =
        CoordinateArrays(*dataset_.update(), PathsOf(dataset_.arrays())).IsFree(Path());
    return is_free.ok() && *is_free;
}

std::string StoredBandNames::Path() const {
    const RasterLayout& layout = dataset_.arrays()[0]->layout();
    return zarr::JoinKey(zarr::ParentPath(layout.facts.path),
                         layout.facts.dimensions[layout.other_axes[0]].name);
}

// Returns the names in the store, which other datasets may have changed. Returns an empty list if
// the store has none. Nobody else names the bands of an array that this dataset has created.
Result<std::vector<std::string>> StoredBandNames::Stored() const {
    std::vector<std::string> names;
    const RasterLayout& layout = dataset_.arrays()[0]->layout();
    const StoreUpdate& update = *dataset_.update();
    if (update.is_of_new_store() || update.HasCreated(layout.facts.path)) return names;
    ZARR_ASSIGN_OR_RETURN(const auto current, CurrentHierarchy(update.store()));
    zarr::Dimension dimension = layout.facts.dimensions[layout.other_axes[0]];
    dimension.coordinate_path = Path();
    ZARR_ASSIGN_OR_RETURN(const auto kind, current->KindOf(dimension.coordinate_path));
    if (kind != zarr::NodeKind::kArray) return names;
    ZARR_ASSIGN_OR_RETURN(dimension.coordinate_attributes,
                          current->Attributes(dimension.coordinate_path));
    const zarr::LabelRange all{0, dimension.size, dataset_.options().threads, std::nullopt};
    ZARR_ASSIGN_OR_RETURN(const zarr::CoordinateLabels stored,
                          zarr::ReadCoordinateLabels(*current, dimension, all).value);
    for (const zarr::CoordinateLabel& label : stored.items)
        if (stored.is_text) names.push_back(label.label);
    return names;
}

Status StoredBandNames::Flush() {
    if (changed_.empty()) return {};
    ZARR_ASSIGN_OR_RETURN(std::vector<std::string> names, Stored());
    names.resize(static_cast<std::size_t>(dataset_.GetRasterCount()));
    for (int i = 1; i <= dataset_.GetRasterCount(); ++i) {
        std::string& name = names[static_cast<std::size_t>(i - 1)];
        if (name.empty() || changed_.count(i) != 0) name = dataset_.Band(i)->GetDescription();
    }
    const CoordinateArrays arrays(*dataset_.update(), PathsOf(dataset_.arrays()));
    ZARR_RETURN_IF_ERROR(WriteTextCoordinates(arrays, Path(), names));
    changed_.clear();
    return {};
}

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
// Methods of ZarrDataset that store the descriptions of bands as text coordinates of the dimension
// of bands.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/conventions/coordinates.h"
#include "core/store/keys.h"
#include "driver/georef/georeferencing_write.h"
#include "driver/raster/band.h"
#include "driver/raster/dataset.h"

namespace zarr_driver {

using zarr::Status;

bool ZarrDataset::NamesBands() {
    if (names_bands_) return *names_bands_;
    const auto find_out = [&] {
        if (arrays_.size() != 1) return false;
        const RasterLayout& layout = arrays_[0]->layout();
        if (layout.other_axes.size() != 1 || layout.HasFixedAxis() || layout.fields.size() != 1)
            return false;
        const zarr::Dimension& dimension = layout.facts.dimensions[layout.other_axes[0]];
        if (!dimension.is_named) return false;
        // Band names never replace coordinates that are times or other numbers.
        if (!dimension.coordinate_path.empty()) {
            const auto coordinate = location_.hierarchy->Metadata(dimension.coordinate_path);
            if (!coordinate.ok() || coordinate->dtype.kind != zarr::DataKind::kUnicode)
                return false;
        }
        const auto is_free = Coordinates().IsFree(BandNamesPath());
        return is_free.ok() && *is_free;
    };
    names_bands_ = find_out();
    return *names_bands_;
}

std::string ZarrDataset::BandNamesPath() const {
    const RasterLayout& layout = arrays_[0]->layout();
    return zarr::JoinKey(zarr::ParentPath(layout.facts.path),
                         layout.facts.dimensions[layout.other_axes[0]].name);
}

// Returns the names in the store, which other datasets may have changed. Returns an empty list if
// the store has none. Nobody else names the bands of an array that this dataset has created.
zarr::Result<std::vector<std::string>> ZarrDataset::StoredBandNames() {
    std::vector<std::string> names;
    const RasterLayout& layout = arrays_[0]->layout();
    if (update_->is_of_new_store() || update_->HasCreated(layout.facts.path)) return names;
    ZARR_ASSIGN_OR_RETURN(const auto current, CurrentHierarchy(update_->store()));
    zarr::Dimension dimension = layout.facts.dimensions[layout.other_axes[0]];
    dimension.coordinate_path = BandNamesPath();
    ZARR_ASSIGN_OR_RETURN(const auto kind, current->KindOf(dimension.coordinate_path));
    if (kind != zarr::NodeKind::kArray) return names;
    ZARR_ASSIGN_OR_RETURN(dimension.coordinate_attributes,
                          current->Attributes(dimension.coordinate_path));
    const zarr::LabelRange all{0, dimension.size, options_.threads, std::nullopt};
    ZARR_ASSIGN_OR_RETURN(const zarr::CoordinateLabels stored,
                          zarr::ReadCoordinateLabels(*current, dimension, all).value);
    for (const zarr::CoordinateLabel& label : stored.items)
        if (stored.is_text) names.push_back(label.label);
    return names;
}

Status ZarrDataset::WriteBandNames() {
    ZARR_ASSIGN_OR_RETURN(std::vector<std::string> names, StoredBandNames());
    names.resize(static_cast<std::size_t>(nBands));
    for (int i = 1; i <= nBands; ++i) {
        std::string& name = names[static_cast<std::size_t>(i - 1)];
        if (name.empty() || named_bands_.count(i) != 0) name = Band(i)->GetDescription();
    }
    return WriteTextCoordinates(Coordinates(), BandNamesPath(), names);
}

}  // namespace zarr_driver

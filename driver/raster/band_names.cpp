// SPDX-License-Identifier: MIT
// Methods of ZarrDataset that store the descriptions of bands as text coordinates of the dimension
// of bands.
#include <string>
#include <vector>

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
        const RasterLayout& layout = arrays_[0]->layout;
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
    const RasterLayout& layout = arrays_[0]->layout;
    return zarr::JoinKey(zarr::ParentPath(layout.facts.path),
                         layout.facts.dimensions[layout.other_axes[0]].name);
}

Status ZarrDataset::WriteBandNames() {
    std::vector<std::string> names;
    for (int i = 1; i <= nBands; ++i) names.emplace_back(Band(i)->GetDescription());
    return WriteTextCoordinates(Coordinates(), BandNamesPath(), names);
}

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
// Members of ZarrDataset that write changed georeferencing, band names and attributes.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/conventions/array_facts.h"
#include "core/conventions/band_lists.h"
#include "core/conventions/overviews.h"
#include "driver/base/exception_guard.h"
#include "driver/base/gdal_compat.h"
#include "driver/base/gdal_errors.h"
#include "driver/overviews/overview_builder.h"
#include "driver/raster/band.h"
#include "driver/raster/dataset.h"
#include "driver/raster/ome_image.h"
#include "driver/raster/pam_merge.h"
#include "driver/raster/stored_pam.h"

namespace zarr_driver {

using zarr::Status;
namespace json = zarr::json;

CPLErr ZarrDataset::SetGeoTransform(ZARR_NEW_GEOTRANSFORM) {
    return Guarded(store_path(), [&]() -> CPLErr {
        if (update_ == nullptr) return GDALPamDataset::SetGeoTransform(transform);
        DeleteGeoTransform();  // removes PAM's geotransform, which would hide the new one
        if (GDALPamDataset::GetGCPCount() > 0) {
            EmitWarning(store_path(),
                        "GCPs previously set are going to be cleared due to the setting of a "
                        "geotransform.");
            GDALPamDataset::SetGCPs(0, nullptr, static_cast<const OGRSpatialReference*>(nullptr));
        }
        zarr::GeoTransform changed{};
        for (int i = 0; i < 6; ++i) changed[static_cast<std::size_t>(i)] = transform[i];
        georeferencing_.SetTransform(changed);
        return CE_None;
    });
}

CPLErr ZarrDataset::SetGCPs(int nGCPCount, const GDAL_GCP* pasGCPList,
                            const OGRSpatialReference* poSRS) {
    return Guarded(store_path(), [&]() -> CPLErr {
        if (update_ != nullptr && nGCPCount > 0) {
            DeleteGeoTransform();
            if (georeferencing_.Find().transform) {
                EmitWarning(store_path(),
                            "A geotransform previously set is going to be cleared due to the "
                            "setting of GCPs.");
                georeferencing_.ClearTransform();
            }
        }
        return GDALPamDataset::SetGCPs(nGCPCount, pasGCPList, poSRS);
    });
}

bool ZarrDataset::HasLevelGroups() const {
    if (arrays_.empty() || is_level_) return false;
    return zarr::ListingOfOverviews(*location_.hierarchy, arrays_[0]->path()).has_level_groups;
}

// Reads again what this dataset has not changed, because other datasets may have changed it since
// this one was opened. The store's lock must be held. Nobody else changes arrays that this dataset
// has created. Returns false if another process has changed the size of an array. The levels then
// do not fit this dataset, and are not read.
zarr::Result<bool> ZarrDataset::TakeOverStored() {
    const auto is_own = [&](const auto& array) { return update_->HasCreated(array->path()); };
    if (update_->is_of_new_store() || std::any_of(arrays_.begin(), arrays_.end(), is_own))
        return true;
    const zarr::Hierarchy& current = *location_.hierarchy;
    current.Reload();
    bool is_resized = false;
    for (const auto& array : arrays_) {
        ZARR_ASSIGN_OR_RETURN(const zarr::ArrayFacts stored,
                              zarr::DescribeArray(current, array->path()));
        is_resized = is_resized || stored.metadata.shape != array->facts().metadata.shape;
        array->TakeOver(stored.attributes, kPamAttribute);
        if (array == arrays_.front()) ZARR_RETURN_IF_ERROR(georeferencing_.Renew(current, stored));
    }
    if (is_resized) return false;
    ZARR_RETURN_IF_ERROR(Refresh());
    ZARR_RETURN_IF_ERROR(OverviewBuilder(overviews_).Renew({}));
    return true;
}

// Writes changed georeferencing, band names and attributes. Changes that cannot be written stay
// pending until the next flush.
Status ZarrDataset::FlushAttributes() {
    for (int i = 1; i <= nBands; ++i) Band(i)->ShareEqualValues();
    bool& is_due = overviews_.pending().is_description;
    const bool is_moved = georeferencing_.has_changed();
    const bool is_changed = std::any_of(arrays_.begin(), arrays_.end(),
                                        [](const auto& array) { return array->HasChanges(); });
    if (is_moved || !named_bands_.empty() || is_changed) is_due = true;
    // Georeferencing and overviews are written after reading what is stored.
    zarr::StoreLock lock;
    bool has_own_size = true;
    if (is_due) {
        ZARR_ASSIGN_OR_RETURN(lock, update_->Lock());
        ZARR_ASSIGN_OR_RETURN(has_own_size, TakeOverStored());
    }
    // The list of level groups states the position, and Describe() fails for another size.
    if (is_due && (is_moved || has_own_size) && HasLevelGroups())
        ZARR_RETURN_IF_ERROR(OverviewBuilder(overviews_).Describe());
    ZARR_RETURN_IF_ERROR(georeferencing_.Flush(*update_, convention_));
    if (!named_bands_.empty()) ZARR_RETURN_IF_ERROR(WriteBandNames());
    named_bands_.clear();
    WarnOfDifferingBands();
    ZARR_RETURN_IF_ERROR(update_->StoreAttributes(MergeAttribute));
    // Levels of another size keep their description until overviews are built again.
    if (is_due && has_own_size && !overviews_.levels().empty())
        ZARR_RETURN_IF_ERROR(OverviewBuilder(overviews_).Update());
    is_due = false;
    const bool is_written = ome_image_ && !is_level_ && IsWholeNode();
    return is_written ? StoreOmeImage(*this, *ome_image_, *update_) : Status();
}

// Returns the colours of an array after those of the bands `changed` have changed.
json::Value ZarrDataset::ColoursOf(const std::vector<ZarrRasterBand*>& changed) {
    const auto name = [](ZarrRasterBand& band) {
        return json::Value(
            std::string(GDALGetColorInterpretationName(band.GetColorInterpretation())));
    };
    const BandArray& array = changed[0]->array();
    const bool have_entries = std::all_of(changed.begin(), changed.end(), [](const auto* band) {
        return band->ColourEntry().has_value();
    });
    json::Array names;
    if (have_entries) {
        names = *array.facts().attributes.Find(zarr::kColoursOfBands)->as_array();
        for (ZarrRasterBand* const band : changed) names[*band->ColourEntry()] = name(*band);
        return json::Value(std::move(names));
    }
    for (int i = 1; i <= nBands; ++i)
        if (&Band(i)->array() == &array) names.push_back(name(*Band(i)));
    return names.size() == 1 ? names[0] : json::Value(std::move(names));
}

void ZarrDataset::StoreColours() {
    std::map<BandArray*, std::vector<ZarrRasterBand*>> changed;
    for (int i = 1; i <= nBands; ++i)
        if (Band(i)->TakeNewColour()) changed[&Band(i)->array()].push_back(Band(i));
    for (const auto& [array, bands] : changed) {
        json::Value colours = ColoursOf(bands);
        const json::Value* const stored = array->facts().attributes.Find(zarr::kColoursOfBands);
        if (stored == nullptr || !json::Equals(*stored, colours))
            array->ChangeAttribute(zarr::kColoursOfBands, std::move(colours));
    }
}

void ZarrDataset::WarnOfDifferingBands() {
    // The bands of an array are consecutive, so comparing each band with the one before suffices.
    for (int i = 2; i <= nBands && !differing_warned_; ++i) {
        const BandArray& array = Band(i)->array();
        if (!array.HasChanges() || &array != &Band(i - 1)->array()) continue;
        if (Band(i)->IsStorableWith(*Band(i - 1))) continue;
        differing_warned_ = true;
        EmitWarning(array.Name(),
                    "its bands differ in scale, offset, unit or nodata, but an array stores only "
                    "the value that was set last; creation option SINGLE_ARRAY=NO gives each band "
                    "an array");
    }
}

}  // namespace zarr_driver

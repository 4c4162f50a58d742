// SPDX-License-Identifier: MIT
// Members of ZarrDataset that change the fill value of an array when a nodata value is set.
#include "driver/base/filter_loss.h"
#include "driver/base/gdal_errors.h"
#include "driver/raster/dataset.h"

namespace zarr_driver {

using zarr::Status;

Status ZarrDataset::SetFillValue(BandArray& array, const std::string& element) {
    const zarr::ArrayFacts& facts = array.layout.facts;
    std::string warning = NodataFilterWarning(facts.metadata.codecs, facts.metadata.dtype, element);
    if (!warning.empty() && warning != nodata_warned_) {
        EmitWarning(store_path() + ": /" + facts.path, warning);
        nodata_warned_ = std::move(warning);
    }
    ZARR_ASSIGN_OR_RETURN(const bool is_unwritten, AreAbsentChunksUnwritten(array));
    if (is_unwritten) return ReplaceFillValue(array, element);
    return zarr::FillValueMustFollow(array.layout.facts.metadata, element)
               ? ReplaceWrittenFillValue(array, element)
               : Status();
}

Status ZarrDataset::RemoveFillValue(BandArray& array) {
    if (!array.layout.facts.metadata.has_fill_value ||
        options_.fill_value_as_nodata == zarr::FillAsNodata::kNo)
        return {};
    return ReplaceWrittenFillValue(array, std::nullopt);
}

bool ZarrDataset::IsUnwritten(const BandArray& array) const {
    const std::string& path = array.layout.facts.path;
    return update_->HasCreated(path) && !update_->HasWritten(path);
}

zarr::Result<bool> ZarrDataset::AreAbsentChunksUnwritten(const BandArray& array) {
    if (IsUnwritten(array)) return true;
    const std::string& path = array.layout.facts.path;
    if (!absent_are_nodata_ || !update_->HasCreated(path)) return false;
    WriteDirtyBlocks(false);
    ZARR_RETURN_IF_ERROR(update_->Release(path, options_.threads));
    return !update_->HasOmittedChunks(path);
}

Status ZarrDataset::ReplaceWrittenFillValue(BandArray& array,
                                            const std::optional<std::string>& element) {
    WriteDirtyBlocks(false);
    if (IsUnwritten(array)) return ReplaceFillValue(array, element);
    ZARR_RETURN_IF_ERROR(update_->SetFillValue(*location_.hierarchy, array.layout.facts.path,
                                               element, options_.threads));
    overviews_.pending().is_description = true;
    OnAbsentChunksStored(array);
    return Reopen(array);
}

Status ZarrDataset::ReplaceFillValue(BandArray& array, const std::optional<std::string>& element) {
    ZARR_ASSIGN_OR_RETURN(const zarr::ArrayMetadata changed,
                          zarr::WithFillValue(array.layout.facts.metadata, element));
    ZARR_RETURN_IF_ERROR(update_->metadata().ReplaceMetadata(array.layout.facts.path, changed));
    return Reopen(array);
}

}  // namespace zarr_driver

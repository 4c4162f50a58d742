// SPDX-License-Identifier: MIT
// Methods of ZarrRasterBand that change the store.
#include <cpl_string.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/cf/band_lists.h"
#include "core/metadata/fill_meaning.h"
#include "core/store/keys.h"
#include "driver/base/exception_guard.h"
#include "driver/base/gdal_types.h"
#include "driver/raster/band.h"
#include "driver/raster/nodata_element.h"

namespace zarr_driver {

using zarr::Status;
namespace json = zarr::json;

namespace {

std::string TextOf(double value) { return CPLSPrintf("%.17g", value); }
template <class T>
std::string TextOf(T value) {
    return std::to_string(value);
}

}  // namespace

// If the data type cannot hold `value`, warns, and leaves the band without a nodata value, because
// no pixel can equal `value`.
template <class T>
CPLErr ZarrRasterBand::StoreNodata(T value) {
    const auto element = ElementOf(value, field_.type.Native());
    if (!element) {
        dataset()->WarnOfNodata(array_, NodataOutOfRange(TextOf(value), field_.type));
        return nodata_ ? DeleteNoDataValue() : CE_None;
    }
    const auto number = zarr::FillValueToJson(field_.type, *element);
    if (!number.ok() || !array_.ChangeEntry(zarr::kNodataOfBands, BandInLists(), *number))
        return ChangeNodata(element);
    ApplyNodata(element);
    return CE_None;
}

CPLErr ZarrRasterBand::ChangeNodata(const std::optional<std::string>& element) {
    const Status status = dataset()->ChangeNodata(array_, field_, element);
    if (status.ok()) ApplyNodata(element);
    return Report(status);
}

void ZarrRasterBand::ShareEqualValues() {
    if (!array_.HasChanges()) return;
    const std::size_t band = BandInLists();
    if (array_.RemoveIfEqual(zarr::kScalesOfBands, band)) SetScale(scale_.value_or(1));
    if (array_.RemoveIfEqual(zarr::kOffsetsOfBands, band)) SetOffset(offset_.value_or(0));
    if (array_.RemoveIfEqual(zarr::kUnitsOfBands, band)) SetUnitType(units_.c_str());
    if (array_.RemoveIfEqual(zarr::kNodataOfBands, band)) ChangeNodata(nodata_);
}

// Stores the description of the band in the lists of names. Returns false if there are none.
bool ZarrRasterBand::StoreNameInLists(const char* description) {
    bool is_stored = false;
    for (const std::string_view list : zarr::kNamesOfBands) {
        auto changed = array_.lists.Changed(array_.facts().attributes, list, BandInLists(),
                                            json::Value(std::string(description)));
        if (!changed) continue;
        array_.ChangeAttribute(list, json::Value(std::move(*changed)));
        is_stored = true;
    }
    return is_stored;
}

bool ZarrRasterBand::IsStorableWith(const ZarrRasterBand& other) const {
    const bool is_same_field = field_.offset == other.field_.offset;
    const auto is_in_list = [&](std::string_view list) {
        return array_.HasEntry(list, BandInLists());
    };
    return (scale_ == other.scale_ || is_in_list(zarr::kScalesOfBands)) &&
           (offset_ == other.offset_ || is_in_list(zarr::kOffsetsOfBands)) &&
           (!is_same_field || units_ == other.units_ || is_in_list(zarr::kUnitsOfBands)) &&
           (!is_same_field || nodata_ == other.nodata_ || is_in_list(zarr::kNodataOfBands));
}

// Sets the nodata value in this band and in its overviews.
void ZarrRasterBand::ApplyNodata(const std::optional<std::string>& element) {
    nodata_ = element;
    ClearPamNodata();
    for (int i = 0; ZarrRasterBand* const level = dataset()->LevelOf(nBand, i); ++i)
        level->ApplyNodata(element);
}

// Stores the description of the band as the CF attribute `long_name`. An existing `long_name` stays
// unchanged, unless it equals the band's old description.
void ZarrRasterBand::StoreLongName(const char* description) {
    if (array_.layout().BandCount() != 1 || zarr::LastName(array_.path()) == description) return;
    const std::string* const stored_name =
        zarr::StringAttribute(array_.facts().attributes, "long_name");
    const bool is_own = stored_name == nullptr || *stored_name == GetDescription();
    if (is_own)
        array_.ChangeAttribute("long_name", description[0] != '\0'
                                                ? json::Value(std::string(description))
                                                : json::Value());
}

void ZarrRasterBand::SetDescription(const char* pszDescription) {
    Guarded(dataset()->store_path(), [&] {
        if (dataset()->update() == nullptr)
            return GDALPamRasterBand::SetDescription(pszDescription);
        dataset()->colours().OnDescription(pszDescription);
        if (!array_.labels->AreNames() && StoreNameInLists(pszDescription)) {
            if (GDALPamRasterBand::GetDescription()[0] != '\0')
                GDALPamRasterBand::SetDescription("");
            has_description_ = false;
            return;
        }
        if (!dataset()->names().CanBeStored()) {
            StoreLongName(pszDescription);
            return GDALPamRasterBand::SetDescription(pszDescription);
        }
        description_ = pszDescription;
        has_description_ = is_named_ = true;
        dataset()->names().Change(nBand);
        dataset()->MarkPamDirty();  // PAM names the bands, so it must be saved again
    });
}

CPLErr ZarrRasterBand::SetColorInterpretation(GDALColorInterp eInterp) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (dataset()->update() == nullptr || !MayStoreColour())
            return GDALPamRasterBand::SetColorInterpretation(eInterp);
        dataset()->colours().OnColour(nBand);
        colour_ = eInterp;
        has_new_colour_ = true;
        return CE_None;
    });
}

// Returns the index of this band in the array's list of colours; nullopt if there is no such list.
std::optional<std::size_t> ZarrRasterBand::ColourEntry() const {
    const json::Value* const stated = array_.facts().attributes.Find(zarr::kColoursOfBands);
    const json::Array* const items = stated != nullptr ? stated->as_array() : nullptr;
    if (items == nullptr) return std::nullopt;
    return array_.lists.EntryOfSlice(BandInLists(), SliceInLists(), items->size());
}

bool ZarrRasterBand::MayStoreColour() const {
    if (Base() != nullptr || array_.layout().fields.size() != 1) return false;
    return dataset()->ShowsWholeNode() || ColourEntry();
}

bool ZarrRasterBand::TakeNewColour() {
    const bool has_pam = psPam != nullptr && psPam->eColorInterp != GCI_Undefined;
    if (!has_new_colour_ && !(has_pam && dataset()->IsPamDirty() && MayStoreColour())) return false;
    if (!has_new_colour_) colour_ = psPam->eColorInterp;
    has_new_colour_ = false;
    if (has_pam) {
        psPam->eColorInterp = GCI_Undefined;
        dataset()->MarkPamDirty();
    }
    return true;
}

void ZarrRasterBand::ClearPamNodata() {
    if (psPam == nullptr) return;
    psPam->bNoDataValueSet = psPam->bNoDataValueSetAsInt64 = psPam->bNoDataValueSetAsUInt64 = false;
}

CPLErr ZarrRasterBand::SetNoDataValue(double dfNoData) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (dataset()->update() == nullptr) return GDALPamRasterBand::SetNoDataValue(dfNoData);
        return StoreNodata(dfNoData);
    });
}

CPLErr ZarrRasterBand::SetNoDataValueAsInt64(int64_t nNoData) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (dataset()->update() == nullptr)
            return GDALPamRasterBand::SetNoDataValueAsInt64(nNoData);
        return StoreNodata(static_cast<std::int64_t>(nNoData));
    });
}

CPLErr ZarrRasterBand::SetNoDataValueAsUInt64(uint64_t nNoData) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (dataset()->update() == nullptr)
            return GDALPamRasterBand::SetNoDataValueAsUInt64(nNoData);
        return StoreNodata(static_cast<std::uint64_t>(nNoData));
    });
}

CPLErr ZarrRasterBand::DeleteNoDataValue() {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (dataset()->update() == nullptr) return GDALPamRasterBand::DeleteNoDataValue();
        if (!array_.ChangeEntry(zarr::kNodataOfBands, BandInLists(), json::Value()))
            return ChangeNodata(std::nullopt);
        ApplyNodata(std::nullopt);
        return CE_None;
    });
}

CPLErr ZarrRasterBand::SetScale(double dfNewScale) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (dataset()->update() == nullptr) return GDALPamRasterBand::SetScale(dfNewScale);
        scale_ = dfNewScale;
        if (psPam != nullptr) psPam->bScaleSet = false;
        if (!array_.ChangeEntry(zarr::kScalesOfBands, BandInLists(), json::Value(dfNewScale)) &&
            (dfNewScale != 1 || array_.IsPacked()))
            array_.SetScale(dfNewScale);
        return CE_None;
    });
}

CPLErr ZarrRasterBand::SetOffset(double dfNewOffset) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (dataset()->update() == nullptr) return GDALPamRasterBand::SetOffset(dfNewOffset);
        offset_ = dfNewOffset;
        if (psPam != nullptr) psPam->bOffsetSet = false;
        if (!array_.ChangeEntry(zarr::kOffsetsOfBands, BandInLists(), json::Value(dfNewOffset)) &&
            (dfNewOffset != 0 || array_.IsPacked()))
            array_.SetOffset(dfNewOffset);
        return CE_None;
    });
}

CPLErr ZarrRasterBand::SetUnitType(const char* pszNewValue) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (dataset()->update() == nullptr) return GDALPamRasterBand::SetUnitType(pszNewValue);
        units_ = pszNewValue != nullptr ? pszNewValue : "";
        if (GDALPamRasterBand::GetUnitType()[0] != '\0') GDALPamRasterBand::SetUnitType("");
        if (!array_.ChangeEntry(zarr::kUnitsOfBands, BandInLists(), json::Value(units_)))
            array_.SetUnits(units_);
        return CE_None;
    });
}

}  // namespace zarr_driver

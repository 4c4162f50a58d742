// SPDX-License-Identifier: MIT
// Methods of ZarrRasterBand that change the store.
#include <cpl_string.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/conventions/attributes.h"
#include "core/conventions/band_lists.h"
#include "core/conventions/nodata.h"
#include "core/metadata/fill_meaning.h"
#include "core/store/keys.h"
#include "driver/base/exception_guard.h"
#include "driver/base/gdal_errors.h"
#include "driver/raster/band.h"
#include "driver/raster/nodata_element.h"

namespace zarr_driver {

using zarr::Status;
namespace json = zarr::json;

namespace {

constexpr const char* kScaleFactor = "scale_factor";
constexpr const char* kAddOffset = "add_offset";

// Lists with an entry for each band, and the attributes of CF that come first.
constexpr std::pair<std::string_view, std::string_view> kOfCf[] = {
    {zarr::kScalesOfBands, kScaleFactor}, {zarr::kOffsetsOfBands, kAddOffset}};

std::string TextOf(double value) { return CPLSPrintf("%.17g", value); }
template <class T>
std::string TextOf(T value) {
    return std::to_string(value);
}

}  // namespace

template <class T>
CPLErr ZarrRasterBand::StoreNodata(T value) {
    const auto element = ElementOf(value, field_.type.Native());
    if (!element) return RejectNodata(TextOf(value));
    const auto number = zarr::FillValueToJson(field_.type, *element);
    if (!number.ok() || !StoreInList(zarr::kNodataOfBands, *number))
        return StoreNodataOfArray(*element);
    ApplyNodata(element);
    return CE_None;
}

CPLErr ZarrRasterBand::StoreNodataOfArray(const std::string& element) {
    auto attribute =
        zarr::NodataAttribute(field_.type, array_.layout.facts.metadata.format, element);
    if (!attribute.ok()) return EmitError(dataset()->store_path(), attribute.status());
    ApplyNodata(element);
    RemoveContradictions(attribute->first, element);
    dataset()->ChangeAttribute(array_, attribute->first.c_str(), std::move(attribute->second));
    // The fill value is changed after the attribute for nodata. If changing the fill value fails,
    // the attribute still states the nodata value.
    const bool is_whole = field_.name.empty();
    const Status status = is_whole ? dataset()->SetFillValue(array_, element) : Status();
    return status.ok() ? CE_None : EmitError(dataset()->store_path(), status);
}

void ZarrRasterBand::RemoveContradictions(std::string_view name,
                                          const std::optional<std::string>& element) {
    const zarr::ArrayFacts& facts = array_.layout.facts;
    for (const std::string& other :
         zarr::ContradictingNodata(facts.attributes, facts.metadata, name, element))
        ChangeAttribute(other.c_str(), json::Value());
}

bool ZarrRasterBand::IsInList(std::string_view list) const {
    const json::Value& attributes = array_.layout.facts.attributes;
    if (list == zarr::kNodataOfBands && array_.nodata_of_bands.empty()) return false;
    for (const auto& [own, of_cf] : kOfCf)
        if (own == list && attributes.Find(of_cf) != nullptr) return false;
    return array_.lists.HasEntry(attributes, list, BandInLists());
}

bool ZarrRasterBand::StoreInList(std::string_view list, const json::Value& value) {
    if (!IsInList(list)) return false;
    auto changed = array_.lists.Changed(array_.layout.facts.attributes, list, BandInLists(), value);
    if (changed) ChangeAttribute(std::string(list).c_str(), json::Value(std::move(*changed)));
    return changed.has_value();
}

bool ZarrRasterBand::RemoveEqual(std::string_view list) {
    const json::Value* const now = array_.layout.facts.attributes.Find(list);
    const json::Value* const before = array_.attributes_before.Find(list);
    const bool is_changed = now != nullptr && before != nullptr && !json::Equals(*now, *before);
    if (!is_changed || !IsInList(list) || !array_.lists.AreEqual(*now->as_array())) return false;
    ChangeAttribute(std::string(list).c_str(), json::Value());
    return true;
}

void ZarrRasterBand::ShareEqualValues() {
    if (!array_.attributes_changed) return;
    if (RemoveEqual(zarr::kScalesOfBands)) SetScale(scale_.value_or(1));
    if (RemoveEqual(zarr::kOffsetsOfBands)) SetOffset(offset_.value_or(0));
    if (RemoveEqual(zarr::kUnitsOfBands)) SetUnitType(units_.c_str());
    if (!RemoveEqual(zarr::kNodataOfBands)) return;
    if (nodata_)
        StoreNodataOfArray(std::string(*nodata_));
    else
        RemoveNodata();
}

// Stores the description of the band in the lists of names. Returns false if there are none.
bool ZarrRasterBand::StoreNameInLists(const char* description) {
    bool is_stored = false;
    for (const std::string_view list : zarr::kNamesOfBands) {
        auto changed = array_.lists.Changed(array_.layout.facts.attributes, list, BandInLists(),
                                            json::Value(std::string(description)));
        if (!changed) continue;
        ChangeAttribute(std::string(list).c_str(), json::Value(std::move(*changed)));
        is_stored = true;
    }
    return is_stored;
}

bool ZarrRasterBand::IsStorableWith(const ZarrRasterBand& other) const {
    const bool is_same_field = field_.offset == other.field_.offset;
    return (scale_ == other.scale_ || IsInList(zarr::kScalesOfBands)) &&
           (offset_ == other.offset_ || IsInList(zarr::kOffsetsOfBands)) &&
           (!is_same_field || units_ == other.units_ || IsInList(zarr::kUnitsOfBands)) &&
           (!is_same_field || nodata_ == other.nodata_ || IsInList(zarr::kNodataOfBands));
}

// Sets the nodata value in this band and in its overviews.
void ZarrRasterBand::ApplyNodata(const std::optional<std::string>& element) {
    nodata_ = element;
    ClearPamNodata();
    for (int i = 0; ZarrRasterBand* const level = dataset()->LevelOf(nBand, i); ++i)
        level->ApplyNodata(element);
}

// Warns that the data type cannot hold the nodata value `value`. The band has no nodata value
// afterwards, because no pixel can equal `value`.
CPLErr ZarrRasterBand::RejectNodata(const std::string& value) {
    dataset()->WarnOfNodata(value, field_.type);
    return nodata_ ? DeleteNoDataValue() : CE_None;
}

// Stores the description of the band as the CF attribute `long_name`. An existing `long_name` stays
// unchanged, unless it equals the band's old description.
void ZarrRasterBand::StoreLongName(const char* description) {
    if (array_.layout.BandCount() != 1 || zarr::LastName(array_.layout.facts.path) == description)
        return;
    const std::string* const stored_name =
        zarr::StringAttribute(array_.layout.facts.attributes, "long_name");
    const bool is_own = stored_name == nullptr || *stored_name == GetDescription();
    if (is_own)
        ChangeAttribute("long_name", description[0] != '\0' ? json::Value(std::string(description))
                                                            : json::Value());
}

void ZarrRasterBand::SetDescription(const char* pszDescription) {
    Guarded(dataset()->store_path(), [&] {
        if (dataset()->update() == nullptr)
            return GDALPamRasterBand::SetDescription(pszDescription);
        dataset()->OnColoursChange();
        if (pszDescription[0] != '\0') dataset()->AssumeColours({});
        if (!array_.labels->AreNames() && StoreNameInLists(pszDescription)) {
            if (GDALPamRasterBand::GetDescription()[0] != '\0')
                GDALPamRasterBand::SetDescription("");
            has_description_ = false;
            return;
        }
        if (!dataset()->NamesBands()) {
            StoreLongName(pszDescription);
            return GDALPamRasterBand::SetDescription(pszDescription);
        }
        description_ = pszDescription;
        has_description_ = is_named_ = true;
        dataset()->BandNamed(nBand);
    });
}

CPLErr ZarrRasterBand::SetColorInterpretation(GDALColorInterp eInterp) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (dataset()->update() == nullptr || !MayStoreColour())
            return GDALPamRasterBand::SetColorInterpretation(eInterp);
        dataset()->AssumeNoColour(nBand);
        colour_ = eInterp;
        has_new_colour_ = true;
        return CE_None;
    });
}

// Returns the index of this band in the array's list of colours; nullopt if there is no such list.
std::optional<std::size_t> ZarrRasterBand::ColourEntry() const {
    const json::Value* const stated = array_.layout.facts.attributes.Find(zarr::kColoursOfBands);
    const json::Array* const items = stated != nullptr ? stated->as_array() : nullptr;
    if (items == nullptr) return std::nullopt;
    return array_.lists.EntryOfSlice(BandInLists(), SliceInLists(), items->size());
}

bool ZarrRasterBand::MayStoreColour() const {
    if (Base() != nullptr || array_.layout.fields.size() != 1) return false;
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
        if (!StoreInList(zarr::kNodataOfBands, json::Value())) return RemoveNodata();
        ApplyNodata(std::nullopt);
        return CE_None;
    });
}

CPLErr ZarrRasterBand::RemoveNodata() {
    Status status = zarr::CheckNodataIsWritable(field_.type);
    if (status.ok()) status = dataset()->RemoveFillValue(array_);
    if (!status.ok()) return EmitError(dataset()->store_path(), status);
    ApplyNodata(std::nullopt);
    RemoveContradictions({}, std::nullopt);
    return CE_None;
}

// True if the array has an attribute for scale or offset. Otherwise scale 1 and offset 0, which
// rasterio sets for every band, are not stored: xarray would read the values as floats.
bool ZarrRasterBand::IsScaleStored() const {
    const json::Value& attributes = array_.layout.facts.attributes;
    return attributes.Find(kScaleFactor) != nullptr || attributes.Find(kAddOffset) != nullptr;
}

CPLErr ZarrRasterBand::SetScale(double dfNewScale) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (dataset()->update() == nullptr) return GDALPamRasterBand::SetScale(dfNewScale);
        scale_ = dfNewScale;
        if (psPam != nullptr) psPam->bScaleSet = false;
        if (StoreInList(zarr::kScalesOfBands, json::Value(dfNewScale))) return CE_None;
        if (dfNewScale != 1 || IsScaleStored())
            dataset()->ChangeAttribute(array_, kScaleFactor, json::Value(dfNewScale));
        return CE_None;
    });
}

CPLErr ZarrRasterBand::SetOffset(double dfNewOffset) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (dataset()->update() == nullptr) return GDALPamRasterBand::SetOffset(dfNewOffset);
        offset_ = dfNewOffset;
        if (psPam != nullptr) psPam->bOffsetSet = false;
        if (StoreInList(zarr::kOffsetsOfBands, json::Value(dfNewOffset))) return CE_None;
        if (dfNewOffset != 0 || IsScaleStored())
            dataset()->ChangeAttribute(array_, kAddOffset, json::Value(dfNewOffset));
        return CE_None;
    });
}

CPLErr ZarrRasterBand::SetUnitType(const char* pszNewValue) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (dataset()->update() == nullptr) return GDALPamRasterBand::SetUnitType(pszNewValue);
        units_ = pszNewValue != nullptr ? pszNewValue : "";
        if (GDALPamRasterBand::GetUnitType()[0] != '\0') GDALPamRasterBand::SetUnitType("");
        if (StoreInList(zarr::kUnitsOfBands, json::Value(units_))) return CE_None;
        dataset()->ChangeAttribute(array_, "units",
                                   units_.empty() ? json::Value() : json::Value(units_));
        return CE_None;
    });
}

}  // namespace zarr_driver

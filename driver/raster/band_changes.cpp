// SPDX-License-Identifier: MIT
// Methods of ZarrRasterBand that change the store.
#include <cpl_string.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/conventions/attributes.h"
#include "core/conventions/nodata.h"
#include "core/store/keys.h"
#include "driver/base/guard.h"
#include "driver/base/report.h"
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

template <class T>
CPLErr ZarrRasterBand::StoreNodata(T value) {
    const auto element = ElementOf(value, field_.type.Native());
    if (!element) return RejectNodata(TextOf(value));
    auto attribute =
        zarr::NodataAttribute(field_.type, array_.layout.facts.metadata.format, *element);
    if (!attribute.ok()) return EmitError(dataset()->store_path(), attribute.status());
    ApplyNodata(element);
    RemoveContradictions(attribute->first, element);
    dataset()->ChangeAttribute(array_, attribute->first.c_str(), std::move(attribute->second));
    // The fill value is changed after the attribute for nodata. If changing the fill value fails,
    // the attribute still states the nodata value.
    const bool is_whole = field_.name.empty();
    const Status status = is_whole ? dataset()->SetFillValue(array_, *element) : Status();
    return status.ok() ? CE_None : EmitError(dataset()->store_path(), status);
}

void ZarrRasterBand::RemoveContradictions(std::string_view name,
                                          const std::optional<std::string>& element) {
    const zarr::ArrayFacts& facts = array_.layout.facts;
    for (const std::string& other :
         zarr::ContradictingNodata(facts.attributes, facts.metadata, name, element))
        ChangeAttribute(other.c_str(), json::Value());
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
        if (pszDescription[0] != '\0') dataset()->AssumeColours(false);
        if (!dataset()->NamesBands()) {
            StoreLongName(pszDescription);
            return GDALPamRasterBand::SetDescription(pszDescription);
        }
        description_ = pszDescription;
        has_description_ = is_named_ = true;
        dataset()->BandNamed(nBand);
    });
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
        Status status = zarr::CheckNodataIsWritable(field_.type);
        if (status.ok()) status = dataset()->RemoveFillValue(array_);
        if (!status.ok()) return EmitError(dataset()->store_path(), status);
        ApplyNodata(std::nullopt);
        RemoveContradictions({}, std::nullopt);
        return CE_None;
    });
}

// True if the array has an attribute for scale or offset. Otherwise scale 1 and offset 0, which
// rasterio sets for every band, are not stored: xarray would read the values as floats.
bool ZarrRasterBand::IsScaleStored() const {
    const json::Value& attributes = array_.layout.facts.attributes;
    return attributes.Find("scale_factor") != nullptr || attributes.Find("add_offset") != nullptr;
}

CPLErr ZarrRasterBand::SetScale(double dfNewScale) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (dataset()->update() == nullptr) return GDALPamRasterBand::SetScale(dfNewScale);
        scale_ = dfNewScale;
        if (psPam != nullptr) psPam->bScaleSet = false;
        if (dfNewScale != 1 || IsScaleStored())
            dataset()->ChangeAttribute(array_, "scale_factor", json::Value(dfNewScale));
        return CE_None;
    });
}

CPLErr ZarrRasterBand::SetOffset(double dfNewOffset) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (dataset()->update() == nullptr) return GDALPamRasterBand::SetOffset(dfNewOffset);
        offset_ = dfNewOffset;
        if (psPam != nullptr) psPam->bOffsetSet = false;
        if (dfNewOffset != 0 || IsScaleStored())
            dataset()->ChangeAttribute(array_, "add_offset", json::Value(dfNewOffset));
        return CE_None;
    });
}

CPLErr ZarrRasterBand::SetUnitType(const char* pszNewValue) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (dataset()->update() == nullptr) return GDALPamRasterBand::SetUnitType(pszNewValue);
        units_ = pszNewValue != nullptr ? pszNewValue : "";
        if (GDALPamRasterBand::GetUnitType()[0] != '\0') GDALPamRasterBand::SetUnitType("");
        dataset()->ChangeAttribute(array_, "units",
                                   units_.empty() ? json::Value() : json::Value(units_));
        return CE_None;
    });
}

}  // namespace zarr_driver

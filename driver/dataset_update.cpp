// SPDX-License-Identifier: MIT
// The part of ZarrDataset that changes a store.
#include <algorithm>

#include "core/dtype/fill_value.h"
#include "driver/band.h"
#include "driver/dataset.h"
#include "driver/georeferencing_write.h"
#include "driver/report.h"

namespace zarr_driver {

using zarr::Status;
namespace json = zarr::json;

void ZarrDataset::EnableUpdate(std::unique_ptr<StoreUpdate> update, Georeferenced convention) {
    update_ = std::move(update);
    convention_ = convention;
    eAccess = GA_Update;
    for (int i = 1; i <= nBands; ++i) Band(i)->EnableUpdate();
}

// What GDAL saves beside the store it asks of the bands, which need the arrays: not in the base's
// destructor.
ZarrDataset::~ZarrDataset() {
    CloseUpdate();
    GDALPamDataset::FlushCache(true);
}

void ZarrDataset::CloseUpdate() {
    if (update_ == nullptr) return;
    FlushAll(true);
    const Status status = update_->metadata().Finish();
    if (!status.ok()) EmitError(store_path(), status);
    update_.reset();
}

CPLErr ZarrDataset::FlushAll(bool closing) {
    GDALPamDataset::FlushCache(closing);  // blocks that GDAL holds, and PAM
    if (update_ == nullptr) return CE_None;
    CPLErr error = CE_None;
    for (const Status& status : {update_->FlushChunks(options_.threads), FlushAttributes()}) {
        if (status.ok()) continue;
        error = error == CE_None ? EmitError(store_path(), status) : error;
    }
    return error;
}

ZARR_FLUSH_RESULT ZarrDataset::FlushCache(bool bAtClosing) {
    ZARR_FLUSH_RETURN(FlushAll(bAtClosing));
}

void ZarrDataset::ChangeAttribute(BandArray& array, const char* name, json::Value value) {
    auto* members = array.layout.facts.attributes.as_object();
    if (members == nullptr) return;
    SetMember(*members, name, std::move(value));
    array.attributes_changed = true;
}

Status ZarrDataset::FlushPlacement() {
    Placement placement;
    if (georeferencing_ && georeferencing_->srs) placement.srs = &*georeferencing_->srs;
    if (georeferencing_) placement.transform = georeferencing_->transform;
    for (const auto& array : arrays_) {
        auto* members = array->layout.facts.attributes.as_object();
        if (members == nullptr) continue;
        ZARR_RETURN_IF_ERROR(
            WriteGeoreferencing(*update_, array->layout, placement, convention_, *members));
        array->attributes_changed = true;
    }
    return {};
}

// What fails stays marked, for the next flush.
Status ZarrDataset::FlushAttributes() {
    if (placement_changed_) ZARR_RETURN_IF_ERROR(FlushPlacement());
    placement_changed_ = false;
    if (band_names_changed_) ZARR_RETURN_IF_ERROR(WriteBandNames());
    band_names_changed_ = false;
    for (const auto& array : arrays_) {
        if (array->attributes_changed)
            ZARR_RETURN_IF_ERROR(update_->metadata().SetAttributes(array->layout.facts.path,
                                                                   array->layout.facts.attributes));
        array->attributes_changed = false;
    }
    return {};
}

bool ZarrDataset::NamesBands() const {
    if (arrays_.size() != 1) return false;
    const RasterLayout& layout = arrays_[0]->layout;
    return layout.other_axes.size() == 1 && layout.fixed.empty() && layout.fields.size() == 1 &&
           layout.facts.dimensions[layout.other_axes[0]].is_named;
}

Status ZarrDataset::WriteBandNames() {
    const RasterLayout& layout = arrays_[0]->layout;
    std::vector<std::string> names;
    for (int i = 1; i <= nBands; ++i) names.emplace_back(Band(i)->GetDescription());
    return WriteTextCoordinates(*update_, layout, layout.other_axes[0], names);
}

CPLErr ZarrDataset::SetSpatialRef(const OGRSpatialReference* poSRS) {
    if (update_ == nullptr) return GDALPamDataset::SetSpatialRef(poSRS);
    static_cast<void>(Placed());
    georeferencing_->srs.reset();
    if (poSRS != nullptr && !poSRS->IsEmpty()) {
        georeferencing_->srs = *poSRS;
        georeferencing_->srs->SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    }
    placement_changed_ = true;
    return CE_None;
}

CPLErr ZarrDataset::SetGeoTransform(ZARR_NEW_GEOTRANSFORM) {
    if (update_ == nullptr) return GDALPamDataset::SetGeoTransform(transform);
    static_cast<void>(Placed());
    georeferencing_->transform.emplace();
    for (int i = 0; i < 6; ++i)
        (*georeferencing_->transform)[static_cast<std::size_t>(i)] = transform[i];
    placement_changed_ = true;
    return CE_None;
}

Status ZarrDataset::SetFillValue(BandArray& array, const std::string& element) {
    // Chunks that were written mean the old one where they are absent.
    if (update_->HasWritten(*array.layout.array)) return {};
    zarr::ArrayMetadata& metadata = array.layout.facts.metadata;
    ZARR_ASSIGN_OR_RETURN(json::Value value, zarr::FillValueToJson(metadata.dtype, element));
    json::Object document = metadata.document;
    SetMember(document, "fill_value", std::move(value));
    ZARR_RETURN_IF_ERROR(
        update_->metadata().ReplaceArrayDocument(array.layout.facts.path, document));
    ZARR_ASSIGN_OR_RETURN(array.layout.array,
                          location_.hierarchy->OpenArray(array.layout.facts.path));
    metadata = array.layout.array->metadata();
    return {};
}

CPLErr ZarrDataset::SetMetadata(NameValueList papszMetadata, const char* pszDomain) {
    const bool is_default = pszDomain == nullptr || pszDomain[0] == '\0';
    if (update_ == nullptr || !is_default || arrays_.empty())
        return GDALPamDataset::SetMetadata(papszMetadata, pszDomain);
    const CPLStringList old(CSLDuplicate(GDALDataset::GetMetadata()));
    for (int i = 0; i < old.size(); ++i) {
        char* name = nullptr;
        CPLParseNameValue(old[i], &name);
        if (name != nullptr) StoreMetadataItem(name, nullptr);
        CPLFree(name);
    }
    for (int i = 0; papszMetadata != nullptr && papszMetadata[i] != nullptr; ++i) {
        char* name = nullptr;
        const char* value = CPLParseNameValue(papszMetadata[i], &name);
        if (name != nullptr && value != nullptr) StoreMetadataItem(name, value);
        CPLFree(name);
    }
    return GDALDataset::SetMetadata(papszMetadata, pszDomain);
}

CPLErr ZarrDataset::SetMetadataItem(const char* pszName, const char* pszValue,
                                    const char* pszDomain) {
    const bool is_default = pszDomain == nullptr || pszDomain[0] == '\0';
    if (update_ == nullptr || !is_default || arrays_.empty())
        return GDALPamDataset::SetMetadataItem(pszName, pszValue, pszDomain);
    StoreMetadataItem(pszName, pszValue);
    return GDALDataset::SetMetadataItem(pszName, pszValue, pszDomain);
}

void ZarrDataset::StoreMetadataItem(const char* name, const char* value) {
    // What GDAL derives by itself, and what the attributes say in their own way.
    if (EQUAL(name, "AREA_OR_POINT") || STARTS_WITH_CI(name, "STATISTICS_")) return;
    ChangeAttribute(*arrays_[0], name,
                    value != nullptr ? json::Value(std::string(value)) : json::Value());
}

}  // namespace zarr_driver

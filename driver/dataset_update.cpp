// SPDX-License-Identifier: MIT
// The part of ZarrDataset that changes a store.
#include <algorithm>

#include "core/dtype/fill_value.h"
#include "core/store/keys.h"
#include "driver/band.h"
#include "driver/dataset.h"
#include "driver/gdal_types.h"
#include "driver/georeferencing_write.h"
#include "driver/guard.h"
#include "driver/metadata_text.h"
#include "driver/report.h"
#include "driver/zip_writer.h"

namespace zarr_driver {

using zarr::Status;
namespace json = zarr::json;

void ZarrDataset::EnableUpdate(std::shared_ptr<StoreUpdate> update, Georeferenced convention) {
    update_.Set(std::move(update));
    convention_ = convention;
    eAccess = GA_Update;
    for (int i = 1; i <= nBands; ++i) Band(i)->EnableUpdate();
    for (const auto& level : levels_) level->EnableUpdate(update_.Share(), convention);
}

void ZarrDataset::TakeBytesAsSigned() {
    for (int i = 1; i <= nBands; ++i) Band(i)->TakeBytesAsSigned();
}

// What GDAL saves beside the store it asks of the bands, which need the arrays: not in the base's
// destructor.
ZarrDataset::~ZarrDataset() {
    Guarded(store_path(), [&] {
        is_closing_ = true;
        CloseStore();
        GDALPamDataset::FlushCache(true);
    });
}

#if ZARR_HAS_CLOSE
CPLErr ZarrDataset::Close(ZARR_CLOSE_PARAMETERS) {
    return Guarded(store_path(), [&]() -> CPLErr {
        if (nOpenFlags == OPEN_FLAGS_CLOSED) return CE_None;
        is_closing_ = true;
        const bool is_stored = CloseStore();
        const CPLErr closed = GDALPamDataset::Close(ZARR_CLOSE_ARGUMENTS);
        return is_stored ? closed : CE_Failure;
    });
}
#endif

CPLErr ZarrDataset::RefuseToWrite() const {
    // Of what GDAL still holds when a forked child closes it, the parent has a copy.
    if (update_.is_inherited() && is_closing_) return CE_None;
    return EmitError(store_path(), NotForUpdate(update_.is_inherited()));
}

bool ZarrDataset::CloseStore() {
    if (update_ == nullptr) return true;
    const CPLErr built = BuildPlannedOverviews(nullptr, nullptr);
    const CPLErr flushed = FlushAll(true);
    const Status status = update_->Close();
    if (!status.ok()) EmitError(store_path(), status);
    EndUpdate();
    if ((nPamFlags & GPF_DIRTY) != 0) TrySaveXML();  // see FlushAll(): of a zip file
    return built == CE_None && flushed == CE_None && status.ok();
}

void ZarrDataset::EndUpdate() {
    for (const auto& level : levels_) level->EndUpdate();
    update_.Set(nullptr);
}

CPLErr ZarrDataset::FlushAll(bool closing) {
    // Statistics are saved with the state of what they were made from, which is to be there first;
    // and nothing can be looked at in a zip file before it is closed.
    const int unsaved = update_ != nullptr ? nPamFlags & GPF_DIRTY : 0;
    nPamFlags &= ~unsaved;
    GDALPamDataset::FlushCache(closing);  // blocks that GDAL holds, and PAM
    nPamFlags |= unsaved;
    if (update_ == nullptr) return CE_None;
    for (const auto& level : levels_) level->GDALPamDataset::FlushCache(closing);
    CPLErr error = CE_None;
    for (const Status& status : {update_->FlushChunks(options_.threads), FlushAttributes()}) {
        if (status.ok()) continue;
        error = error == CE_None ? EmitError(store_path(), status) : error;
    }
    if ((nPamFlags & GPF_DIRTY) != 0 && !ArchiveOf(store_path())) TrySaveXML();
    return error;
}

ZARR_FLUSH_RESULT ZarrDataset::FlushCache(bool bAtClosing) {
    return Guarded(store_path(),
                   [&]() -> ZARR_FLUSH_RESULT { ZARR_FLUSH_RETURN(FlushAll(bAtClosing)); });
}

void ZarrDataset::ChangeAttribute(BandArray& array, const char* name, json::Value value) {
    auto* members = array.layout.facts.attributes.as_object();
    if (members == nullptr) return;
    SetMember(*members, name, std::move(value));
    array.attributes_changed = true;
}

void ZarrDataset::Abandon() {
    if (update_ == nullptr) return;
    static_cast<void>(update_->EraseMade());
    static_cast<void>(update_->metadata().Finish());
    EndUpdate();
}

void ZarrDataset::WarnOfOverviews() {
    if (levels_.empty()) return;
    std::call_once(overviews_warned_, [&] {
        EmitWarning(store_path() + ": /" + arrays_[0]->layout.facts.path,
                    "its overviews are not updated with it; build them anew when done");
    });
}

void ZarrDataset::WarnOfNodata(const std::string& value, const zarr::DataType& type) {
    std::string message = NodataOutside(value, type);
    if (message == nodata_warned_) return;
    EmitWarning(store_path() + ": /" + arrays_[0]->layout.facts.path, message);
    nodata_warned_ = std::move(message);
}

CoordinateArrays ZarrDataset::Coordinates() {
    std::set<std::string> rasters;
    for (const auto& array : arrays_) rasters.insert(array->layout.facts.path);
    return {*update_, std::move(rasters)};
}

Status ZarrDataset::FlushPlacement() {
    Placement placement;
    if (georeferencing_ && georeferencing_->srs) placement.srs = &*georeferencing_->srs;
    if (georeferencing_) placement.transform = georeferencing_->transform;
    // The arrays of a dataset lie in one group and share their dimensions.
    zarr::Warnings warnings;
    ZARR_ASSIGN_OR_RETURN(const PlacedBeside beside, WriteBeside(Coordinates(), arrays_[0]->layout,
                                                                 placement, convention_, warnings));
    EmitWarnings(store_path() + ": /" + arrays_[0]->layout.facts.path, warnings);
    for (const auto& array : arrays_) {
        auto* members = array->layout.facts.attributes.as_object();
        if (members == nullptr) continue;
        PlaceByAttributes(array->layout, placement, convention_, beside, *members);
        array->attributes_changed = true;
    }
    return {};
}

// What fails stays marked, for the next flush.
Status ZarrDataset::FlushAttributes() {
    levels_behind_ = levels_behind_ || placement_changed_ || band_names_changed_;
    if (placement_changed_) ZARR_RETURN_IF_ERROR(FlushPlacement());
    placement_changed_ = false;
    if (band_names_changed_) ZARR_RETURN_IF_ERROR(WriteBandNames());
    band_names_changed_ = false;
    if (group_attributes_) {
        const std::string group(zarr::ParentPath(arrays_[0]->layout.facts.path));
        ZARR_RETURN_IF_ERROR(
            update_->metadata().SetAttributes(group, json::Value(*group_attributes_)));
    }
    group_attributes_.reset();
    WarnOfBandsThatDiffer();
    for (const auto& array : arrays_) {
        if (!array->attributes_changed) continue;
        levels_behind_ = true;
        ZARR_RETURN_IF_ERROR(update_->metadata().ChangeAttributes(
            array->layout.facts.path, array->attributes_before, array->layout.facts.attributes));
        array->attributes_before = array->layout.facts.attributes;
        array->attributes_changed = false;
    }
    if (levels_behind_) ZARR_RETURN_IF_ERROR(FollowLevels());
    levels_behind_ = false;
    return {};
}

void ZarrDataset::WarnOfBandsThatDiffer() {
    // The bands of an array follow each other.
    for (int i = 2; i <= nBands && !differing_warned_; ++i) {
        const BandArray& array = Band(i)->array();
        if (!array.attributes_changed || &array != &Band(i - 1)->array()) continue;
        if (Band(i)->IsDescribedAs(*Band(i - 1))) continue;
        differing_warned_ = true;
        EmitWarning(store_path() + ": /" + array.layout.facts.path,
                    "its bands differ in scale, offset, unit or nodata, of which an array has one: "
                    "that which was set last; creation option SINGLE_ARRAY=NO gives each band an "
                    "array");
    }
}

bool ZarrDataset::NamesBands() {
    if (names_bands_) return *names_bands_;
    const auto find_out = [&] {
        if (arrays_.size() != 1) return false;
        const RasterLayout& layout = arrays_[0]->layout;
        if (layout.other_axes.size() != 1 || !layout.fixed.empty() || layout.fields.size() != 1)
            return false;
        const zarr::Dimension& dimension = layout.facts.dimensions[layout.other_axes[0]];
        if (!dimension.is_named) return false;
        // Never in place of times or other numbers.
        if (!dimension.coordinate_path.empty()) {
            const auto held = location_.hierarchy->Metadata(dimension.coordinate_path);
            if (!held.ok() || held->dtype.kind != zarr::DataKind::kUnicode) return false;
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

CPLErr ZarrDataset::SetSpatialRef(const OGRSpatialReference* poSRS) {
    return Guarded(store_path(), [&]() -> CPLErr {
        if (update_ == nullptr) return GDALPamDataset::SetSpatialRef(poSRS);
        static_cast<void>(Placed());
        georeferencing_->srs.reset();
        if (poSRS != nullptr && !poSRS->IsEmpty()) {
            georeferencing_->srs = *poSRS;
            georeferencing_->srs->SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
        }
        placement_changed_ = true;
        return CE_None;
    });
}

CPLErr ZarrDataset::SetGeoTransform(ZARR_NEW_GEOTRANSFORM) {
    return Guarded(store_path(), [&]() -> CPLErr {
        if (update_ == nullptr) return GDALPamDataset::SetGeoTransform(transform);
        static_cast<void>(Placed());
        georeferencing_->transform.emplace();
        for (int i = 0; i < 6; ++i)
            (*georeferencing_->transform)[static_cast<std::size_t>(i)] = transform[i];
        placement_changed_ = true;
        return CE_None;
    });
}

Status ZarrDataset::SetFillValue(BandArray& array, const std::string& element) {
    // Chunks that are there mean the old one where others are absent.
    if (!update_->HasMade(array.layout.facts.path) || update_->HasWritten(*array.layout.array))
        return {};
    ZARR_ASSIGN_OR_RETURN(json::Value value,
                          zarr::FillValueToJson(array.layout.facts.metadata.dtype, element));
    return ReplaceFillValue(array, std::move(value));
}

Status ZarrDataset::RemoveFillValue(BandArray& array) {
    const std::string& path = array.layout.facts.path;
    if (!array.layout.facts.metadata.has_fill_value || !options_.fill_value_as_nodata) return {};
    GDALPamDataset::FlushCache(false);  // blocks that GDAL holds
    const bool is_untouched = update_->HasMade(path) && !update_->HasWritten(*array.layout.array);
    // Who wrote with the old one leaves chunks out that hold nothing else.
    ZARR_RETURN_IF_ERROR(update_->Release(path, options_.threads));
    if (!is_untouched) {
        ZARR_ASSIGN_OR_RETURN(const zarr::ChunkListing listing, array.layout.array->ListChunks());
        if (listing.chunks < array.layout.array->chunk_count())
            return Status::Unsupported(
                "/" + path +
                ": the nodata value is the fill value, which absent chunks hold; it cannot be "
                "removed before all pixels are written");
    }
    return ReplaceFillValue(array, json::Value());
}

Status ZarrDataset::ReplaceFillValue(BandArray& array, json::Value value) {
    zarr::ArrayMetadata& metadata = array.layout.facts.metadata;
    json::Object document = metadata.document;
    // SetMember() would take null for a request to remove the member, which is compulsory.
    const auto held =
        std::find_if(document.begin(), document.end(),
                     [](const json::Member& member) { return member.first == "fill_value"; });
    if (held != document.end()) held->second = std::move(value);
    ZARR_RETURN_IF_ERROR(
        update_->metadata().ReplaceArrayDocument(array.layout.facts.path, document));
    ZARR_ASSIGN_OR_RETURN(array.layout.array,
                          location_.hierarchy->OpenArray(array.layout.facts.path));
    metadata = array.layout.array->metadata();
    return {};
}

CPLErr ZarrDataset::SetMetadata(NameValueList papszMetadata, const char* pszDomain) {
    return Guarded(store_path(), [&]() -> CPLErr {
        const bool is_default = pszDomain == nullptr || pszDomain[0] == '\0';
        if (update_ == nullptr || !is_default || arrays_.empty())
            return GDALPamDataset::SetMetadata(papszMetadata, pszDomain);
        const CPLStringList old(CSLDuplicate(GDALDataset::GetMetadata()));
        CPLStringList list(CSLDuplicate(papszMetadata));
        const auto for_each = [](const CPLStringList& items, const auto& act) {
            for (int i = 0; i < items.size(); ++i) {
                char* name = nullptr;
                const char* value = CPLParseNameValue(items[i], &name);
                if (name != nullptr && value != nullptr) act(name, value);
                CPLFree(name);
            }
        };
        for_each(old, [&](const char* name, const char*) {
            if (list.FetchNameValue(name) == nullptr) StoreMetadataItem(name, nullptr);
        });
        for_each(list,
                 [&](const char* name, const char* value) { StoreMetadataItem(name, value); });
        return GDALDataset::SetMetadata(list.List(), pszDomain);
    });
}

CPLErr ZarrDataset::SetMetadataItem(const char* pszName, const char* pszValue,
                                    const char* pszDomain) {
    return Guarded(store_path(), [&]() -> CPLErr {
        const bool is_default = pszDomain == nullptr || pszDomain[0] == '\0';
        if (update_ == nullptr || !is_default || arrays_.empty())
            return GDALPamDataset::SetMetadataItem(pszName, pszValue, pszDomain);
        StoreMetadataItem(pszName, pszValue);
        return GDALDataset::SetMetadataItem(pszName, pszValue, pszDomain);
    });
}

// Sets, or with a null value removes, the attribute that gives a metadata item.
void ZarrDataset::StoreMetadataItem(const char* name, const char* value) {
    // What GDAL derives by itself.
    if (EQUAL(name, "AREA_OR_POINT") || STARTS_WITH_CI(name, "STATISTICS_")) return;
    if (IsInterpretedAttribute(name)) {
        EmitWarning(store_path(), std::string("metadata item ") + name +
                                      " is not stored: the attribute of that name means something "
                                      "of its own");
        return;
    }
    stored_metadata_.SetNameValue(name, value);
    const auto store = [&](json::Object& attributes) {
        // A value that reads as it did keeps its type.
        const auto held =
            std::find_if(attributes.begin(), attributes.end(),
                         [&](const json::Member& member) { return member.first == name; });
        if (value != nullptr && held != attributes.end() && MetadataText(held->second) == value)
            return false;
        if (value == nullptr && held == attributes.end()) return false;
        SetMember(attributes, name,
                  value != nullptr ? json::Value(std::string(value)) : json::Value());
        return true;
    };
    if (arrays_.size() == 1) {
        auto* members = arrays_[0]->layout.facts.attributes.as_object();
        if (members != nullptr && store(*members)) arrays_[0]->attributes_changed = true;
        return;
    }
    json::Object attributes;
    if (group_attributes_) {
        attributes = *group_attributes_;
    } else if (const auto* held = arrays_[0]->layout.facts.group_attributes.as_object()) {
        attributes = *held;
    }
    if (store(attributes)) {
        arrays_[0]->layout.facts.group_attributes = json::Value(attributes);
        group_attributes_ = std::move(attributes);
    }
}

}  // namespace zarr_driver

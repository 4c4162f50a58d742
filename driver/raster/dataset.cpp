// SPDX-License-Identifier: MIT
#include "driver/raster/dataset.h"

#include <algorithm>
#include <iterator>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/facts/array_facts.h"
#include "core/conventions/group/overviews.h"
#include "core/store/keys.h"
#include "driver/base/builtin_driver.h"
#include "driver/base/exception_guard.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/metadata_text.h"
#include "driver/overviews/overview_builder.h"
#include "driver/raster/band.h"
#include "driver/raster/load_ahead.h"
#include "driver/raster/ome_image.h"
#include "driver/raster/pam_merge.h"
#include "driver/raster/pixel_statistics.h"
#include "driver/raster/shown_metadata.h"
#include "driver/raster/stored_pam.h"
#include "driver/store/open_node.h"
#include "driver/store/sidecars.h"
#include "driver/store/store_address.h"

namespace zarr_driver {

using zarr::Status;
namespace json = zarr::json;

namespace {

// True if the metadata item `name` may become an attribute. False for STATISTICS_ items, which GDAL
// computes. If an attribute `name` has a special meaning, warns about the store at `store_path` and
// returns false.
bool MayBeAttribute(const std::string& store_path, const char* name) {
    if (STARTS_WITH_CI(name, "STATISTICS_")) return false;
    if (!IsInterpretedAttribute(name)) return true;
    EmitWarning(
        store_path,
        std::string("metadata item ") + name +
            " is not stored, because the attribute of that name has another meaning in Zarr");
    return false;
}

}  // namespace

ZarrDataset::ZarrDataset(const std::string& name, OpenNode open_node, OpenOptions options)
    : ZarrPamDataset(std::move(open_node), std::move(options)),
      masks_(std::make_unique<StoredMasks>(*this)) {
    eAccess = GA_ReadOnly;
    // The dataset's driver is "Zarr", even if a program opened the dataset with ZarrBuiltin.
    poDriver = GetGDALDriverManager()->GetDriverByName(kDriverName);
    SetDescription(name.c_str());
}

void ZarrDataset::AddArray(RasterLayout layout, bool array_names_bands) {
    nRasterXSize = layout.Width();
    nRasterYSize = layout.Height();
    arrays_.push_back(std::make_unique<BandArray>(open_node_, options_, std::move(layout)));
    BandArray& array = *arrays_.back();
    array.first_band = nBands + 1;
    store_in_use_.Show(array.path());
    zarr::Warnings warnings = array.facts().warnings;
    array.listing = zarr::ListingOf(*open_node_.hierarchy, array.path());
    // Not emitted for an overview level, because the raster has emitted equal warnings.
    zarr::Warnings of_image;
    array.channels = OmeChannels(array.layout(), array.listing, is_level_ ? of_image : warnings);
    array.labels =
        std::make_unique<SliceLabels>(open_node_.hierarchy, array.layout(), array.channels,
                                      array.listing, open_node_.address, options_);
    array.nodata = array.ReadNodata().Report(warnings);
    array.ReadLists(*open_node_.hierarchy, is_level_ ? of_image : warnings);
    EmitWarnings(array.Name(), warnings);
    array.activity = std::make_unique<ArrayActivity>(store_path(), array.elements());
    if (array.facts().colour_axis) LogImage(store_path(), array.facts());
    const std::string array_name(zarr::LastName(array.path()));
    if (array.layout().BandCount() > kMaxBands) {
        EmitWarning(
            array.Name(),
            std::to_string(array.layout().BandCount()) + " slices exceed the maximum of " +
                std::to_string(kMaxBands) +
                " bands of a dataset, which has no bands now; open a slice by its name, such "
                "as " +
                FormatConnectionString(store_path(), array.path(), array.layout().SliceIndices(0)));
        return;
    }
    for (std::uint64_t slice = 0; slice < array.layout().slices; ++slice) {
        for (const ScalarField& field : array.layout().fields) {
            std::string description = array_names_bands ? array_name : "";
            if (!field.name.empty()) description += (description.empty() ? "" : ".") + field.name;
            SetBand(nBands + 1,
                    new ZarrRasterBand(this, nBands + 1, array, slice, field, description));
        }
    }
}

void ZarrDataset::AddSubdataset(const std::string& name, const std::string& description) {
    const std::string prefix = "SUBDATASET_" + std::to_string(subdatasets_.size() / 2 + 1);
    subdatasets_.AddNameValue((prefix + "_NAME").c_str(), name.c_str());
    subdatasets_.AddNameValue((prefix + "_DESC").c_str(), description.c_str());
}

void ZarrDataset::Finish(const OpenedAs& opened) {
    CPLStringList& list = stored_metadata_;
    const bool is_array = open_node_.kind == zarr::NodeKind::kArray;
    const std::string group =
        is_array ? std::string(zarr::ParentPath(open_node_.node)) : open_node_.node;
    // Attributes of an OME image's group apply to all its levels, even to a level in another group.
    if (is_array && arrays_.size() == 1 && arrays_[0]->listing.is_listed() &&
        arrays_[0]->listing.group != group)
        AddAttributes(*arrays_[0]->listing.attributes, list);
    const auto add_group = [&](const std::string& path) {
        const auto attributes = open_node_.hierarchy->Attributes(path);
        if (attributes.ok())
            AddAttributes(*attributes, list);
        else
            EmitWarning(store_path(), attributes.status().message());
    };
    // An array at the root has no group.
    if (!is_array || !open_node_.node.empty()) add_group(group);
    // The opened group may be an ancestor of the group with the bands, for example the parent of a
    // pyramid's level groups. Updates write metadata to the group with the bands, so its attributes
    // are shown, too.
    if (!is_array && !arrays_.empty())
        if (const auto level = zarr::ParentPath(arrays_[0]->path()); level != group)
            add_group(std::string(level));
    if (arrays_.size() == 1) AddArrayAttributes(*arrays_[0], list);
    if (nBands == 1 && arrays_.size() == 1) RemoveBandItems(arrays_[0]->facts().attributes, list);
    if (!arrays_.empty())
        AddOmePlacement(store_path(), arrays_[0]->layout(), arrays_[0]->listing, list);
    CPLStringList shown(list);
    AddShownMetadata(arrays_, shown);
    // GDALPamDataset::SetMetadata() would save the store's metadata in a sidecar file.
    GDALDataset::SetMetadata(shown.List());
    GDALDataset::SetMetadata(subdatasets_.List(), "SUBDATASETS");
    LoadSidecars(opened);
    DescribeStructure();
    activity_ = std::make_unique<StoreActivity>(store_path(), open_node_.hierarchy);
    if (!IsDebugEnabled()) return;
    const auto number = [](std::size_t count) { return std::to_string(count); };
    activity_->Opened("/" + open_node_.node + " as " + std::to_string(nRasterXSize) + " x " +
                      std::to_string(nRasterYSize) + " pixels (bands: " + std::to_string(nBands) +
                      ", overviews: " + number(overviews_.levels().size()) + ", subdatasets: " +
                      number(static_cast<std::size_t>(subdatasets_.size()) / 2) + ")");
}

// Sets the domain IMAGE_STRUCTURE from the arrays. Replaces items of an auxiliary file, which may
// describe other arrays.
void ZarrDataset::DescribeStructure() {
    CPLStringList items;
    if (nBands > 1) {
        const RasterLayout& layout = arrays_[0]->layout();
        const bool interleaved = arrays_.size() == 1 && !layout.other_axes.empty() &&
                                 layout.other_axes.back() == layout.facts.metadata.rank() - 1;
        items.SetNameValue("INTERLEAVE", interleaved ? "PIXEL" : "BAND");
    }
    // The dataset shows a compression only if GeoTIFF has a compression of this name, because
    // rasterio fails for other names. The bands show every compression.
    const std::string compression = CommonCompression(arrays_);
    if (compression == "ZSTD" || compression == "ZLIB")
        items.SetNameValue("COMPRESSION", compression == "ZLIB" ? "DEFLATE" : "ZSTD");
    constexpr const char* kDomain = "IMAGE_STRUCTURE";
    if (!items.empty() || GDALDataset::GetMetadata(kDomain) != nullptr)
        GDALDataset::SetMetadata(items.List(), kDomain);
}

// ---------------------------------------------------------------------------------------------
// Reading and writing the pixels of several bands

CPLErr ZarrDataset::IRasterIO(GDALRWFlag eRWFlag, int nXOff, int nYOff, int nXSize, int nYSize,
                              void* pData, int nBufXSize, int nBufYSize, GDALDataType eBufType,
                              int nBandCount, int* panBandMap, GSpacing nPixelSpace,
                              GSpacing nLineSpace, GSpacing nBandSpace,
                              GDALRasterIOExtraArg* psExtraArg) {
    return Guarded(store_path(), [&]() -> CPLErr {
        // Loads the chunks of all bands in parallel, before GDAL reads the bands one after another.
        const auto load_from = [&](int first) {
            for (int i = first; i < nBandCount; ++i)
                LoadForWindow(*Band(panBandMap[i]), {nXOff, nYOff, nXSize, nYSize},
                              {nBufXSize, nBufYSize}, psExtraArg);
        };
        // In update mode GDAL reads and writes band by band, because each block in GDAL's cache
        // belongs to a single band.
        const bool may_write = eRWFlag != GF_Read || update_ != nullptr;
        const bool is_resampled = nXSize != nBufXSize || nYSize != nBufYSize;
        if (is_resampled && !may_write && nBandCount > 1) load_from(0);
        if (is_resampled || may_write)
            return GDALPamDataset::IRasterIO(eRWFlag, nXOff, nYOff, nXSize, nYSize, pData,
                                             nBufXSize, nBufYSize, eBufType, nBandCount, panBandMap,
                                             nPixelSpace, nLineSpace, nBandSpace, psExtraArg);
        std::vector<const PixelWindows*> bands;
        bands.reserve(static_cast<std::size_t>(nBandCount));
        for (int i = 0; i < nBandCount; ++i) bands.push_back(&Band(panBandMap[i])->pixels());
        for (int done = 0; done < nBandCount;) {
            PixelWindow window{nXOff, nYOff, nXSize, nYSize};
            const int run = PixelWindows::CountRun(bands.data() + done, nBandCount - done, window);
            if (done == 0) load_from(run);
            const Status status = bands[static_cast<std::size_t>(done)]->Read(
                window, static_cast<GByte*>(pData) + nBandSpace * done,
                {eBufType, nPixelSpace, nLineSpace, nBandSpace});
            if (!status.ok()) return EmitError(store_path(), status);
            done += run;
            if (psExtraArg != nullptr && psExtraArg->pfnProgress != nullptr &&
                !psExtraArg->pfnProgress(static_cast<double>(done) / nBandCount, "",
                                         psExtraArg->pProgressData))
                return CE_Failure;
        }
        return CE_None;
    });
}

// ---------------------------------------------------------------------------------------------
// Georeferencing of the dataset

const OGRSpatialReference* ZarrDataset::GetSpatialRef() const {
    return Guarded(store_path(), [&]() -> const OGRSpatialReference* {
        if (const OGRSpatialReference* from_pam = GDALPamDataset::GetSpatialRef()) return from_pam;
        const Georeferencing& placed = georeferencing_.Find();
        return placed.srs ? &*placed.srs : nullptr;
    });
}

CPLErr ZarrDataset::GetGeoTransform(ZARR_GEOTRANSFORM_PARAMETER) ZARR_GEOTRANSFORM_QUALIFIER {
    return Guarded(store_path(), [&]() -> CPLErr {
        if (GDALPamDataset::GetGeoTransform(transform) == CE_None) return CE_None;
        const Georeferencing& placed = georeferencing_.Find();
        if (!placed.transform) return CE_Failure;
        for (int i = 0; i < 6; ++i) transform[i] = (*placed.transform)[static_cast<std::size_t>(i)];
        return CE_None;
    });
}

int ZarrDataset::GetGCPCount() {
    return Guarded(store_path(), [&]() -> int {
        const int from_pam = GDALPamDataset::GetGCPCount();
        const auto own = static_cast<int>(georeferencing_.Points().size());
        return from_pam > 0 ? from_pam : own;
    });
}

const GDAL_GCP* ZarrDataset::GetGCPs() {
    return Guarded(store_path(), [&]() -> const GDAL_GCP* {
        if (GDALPamDataset::GetGCPCount() > 0) return GDALPamDataset::GetGCPs();
        return georeferencing_.Points().data();
    });
}

const OGRSpatialReference* ZarrDataset::GetGCPSpatialRef() const {
    return Guarded(store_path(), [&]() -> const OGRSpatialReference* {
        if (const OGRSpatialReference* from_pam = GDALPamDataset::GetGCPSpatialRef())
            return from_pam;
        return georeferencing_.PointsSrs();
    });
}

char** ZarrDataset::GetMetadataDomainList() {
    return Guarded(store_path(), [&]() -> char** {
        CPLStringList domains(BuildMetadataDomainList(GDALPamDataset::GetMetadataDomainList(), TRUE,
                                                      "GEOLOCATION", kZarrDomain, nullptr));
        // GDAL also lists a domain whose items were removed.
        const int hidden = domains.FindString(kSidecarState);
        return hidden < 0 ? domains.StealList()
                          : CSLRemoveStrings(domains.StealList(), hidden, 1, nullptr);
    });
}

void ZarrDataset::LoadGeolocation() {
    if (GDALPamDataset::GetMetadata("GEOLOCATION") != nullptr) return;
    CPLStringList list(georeferencing_.Find().geolocation);
    // GDALPamDataset::SetMetadata() would save the store's metadata in a sidecar file.
    if (!list.empty()) GDALDataset::SetMetadata(list.List(), "GEOLOCATION");
}

// Returns the items of the metadata domain ZARR. GDALDataset does not store them, because PAM would
// then save them.
NameValueList ZarrDataset::Description() {
    if (!description_.empty()) return description_.List();
    // If the dataset has several arrays, each band describes its array in its own domain ZARR.
    if (arrays_.size() == 1) description_ = arrays_[0]->Description();
    const auto set = [this](const char* name, const std::string& value) {
        if (!value.empty()) description_.SetNameValue(name, value.c_str());
    };
    set("CRS_SOURCE", georeferencing_.Find().srs_origin);
    set("GEOTRANSFORM_SOURCE", georeferencing_.Find().transform_origin);
    set("CONSOLIDATED_METADATA", open_node_.hierarchy->is_consolidated() ? "YES" : "NO");
    DescribeState(open_node_, description_);
    return description_.List();
}

NameValueList ZarrDataset::GetMetadata(const char* pszDomain) {
    return Guarded(store_path(), [&]() -> NameValueList {
        if (pszDomain != nullptr && EQUAL(pszDomain, "GEOLOCATION")) LoadGeolocation();
        if (IsZarrDomain(pszDomain)) return Description();
        return GDALPamDataset::GetMetadata(pszDomain);
    });
}

const char* ZarrDataset::GetMetadataItem(const char* pszName, const char* pszDomain) {
    return Guarded(store_path(), [&]() -> const char* {
        if (pszDomain != nullptr && EQUAL(pszDomain, "GEOLOCATION")) LoadGeolocation();
        if (IsZarrDomain(pszDomain)) return CSLFetchNameValue(Description(), pszName);
        return GDALPamDataset::GetMetadataItem(pszName, pszDomain);
    });
}

// ---------------------------------------------------------------------------------------------
// Overviews of the dataset

LevelSource ZarrDataset::Source() const {
    const Georeferencing& placed = georeferencing_.Find();
    return {Layouts(),
            {placed.srs ? &*placed.srs : nullptr, placed.transform, {}},
            convention_,
            options_.threads,
            samples_};
}

GDALRasterBand* ZarrDataset::StoredMask(int number) { return masks_->Find(number).band; }

void ZarrDataset::FlushBlocks(bool closing) {
    const int unsaved = update_ != nullptr ? nPamFlags & GPF_DIRTY : 0;
    nPamFlags &= ~unsaved;
    GDALPamDataset::FlushCache(closing);
    nPamFlags |= unsaved;
    // A forked child discards dirty blocks of masks when it closes them.
    if (update_ == nullptr) return;
    for (ZarrDataset* const mask : masks_->opened()) mask->GDALPamDataset::FlushCache(closing);
}

zarr::Result<std::unique_ptr<OverviewableDataset>> ZarrDataset::OpenLevel(
    const std::vector<std::string>& paths, std::size_t first) {
    OpenNode open_node = open_node_;
    open_node.node = paths[0];
    open_node.kind = zarr::NodeKind::kArray;
    auto level = std::make_unique<ZarrDataset>(GetDescription(), open_node, options_);
    level->Become({this, arrays_[first]->first_band, false});
    level->colours().SetOfEopf(colours_.is_of_eopf());
    for (std::size_t k = 0; k < paths.size(); ++k) {
        const RasterLayout& base = arrays_[first + k]->layout();
        ZARR_ASSIGN_OR_RETURN(RasterLayout layout,
                              MakeLevelLayout(*open_node.hierarchy, paths[k], options_, base));
        if (layout.BandCount() != base.BandCount())
            return Status::Corrupt("has " + std::to_string(layout.BandCount()) +
                                   " bands, unlike the array at full resolution with " +
                                   std::to_string(base.BandCount()));
        level->AddArray(std::move(layout), paths.size() > 1);
    }
    if (options_.north_up) level->georeferencing().FollowFlip(georeferencing_);
    ShareUpdate(*level);
    return std::unique_ptr<OverviewableDataset>(std::move(level));
}

ZarrRasterBand* RasterRole::BandOf(int number) const {
    return raster != nullptr ? raster->Band(first_band + number - 1) : nullptr;
}

ZarrRasterBand* ZarrDataset::LevelOf(int number, int level) {
    const std::vector<OverviewableDataset*> levels = overviews_.LevelsOf(LayoutOf(number));
    if (level < 0 || static_cast<std::size_t>(level) >= levels.size()) return nullptr;
    const bool is_of_array = overviews_.levels().empty();
    return static_cast<ZarrDataset*>(levels[static_cast<std::size_t>(level)])
        ->Band(is_of_array ? Band(number)->array().NumberOf(number) : number);
}

CPLErr ZarrDataset::IBuildOverviews(const char* pszResampling, int nOverviews,
                                    const int* panOverviewList, int nListBands,
                                    const int* panBandList, GDALProgressFunc pfnProgress,
                                    void* pProgressData, CSLConstList papszOptions) {
    return Guarded(store_path(), [&]() -> CPLErr {
        const OverviewRequest request{pszResampling,
                                      {panOverviewList, panOverviewList + nOverviews},
                                      {panBandList, panBandList + nListBands},
                                      pfnProgress,
                                      pProgressData,
                                      papszOptions};
        if (update_ == nullptr) {
            if (overviews_.All().empty()) return BuildExternalOverviews(request);
            constexpr auto* kWhy = "has overviews in the store; open it for update to change them";
            return EmitError(store_path(), Status::Permission(kWhy));
        }
        if (nBands == 0)
            return EmitError(store_path(),
                             Status::Unsupported("has no bands to build overviews of"));
        // Another process may build or remove levels of the same arrays. Each of them changes the
        // same documents, so the lock is held until the last one is written.
        const auto lock = update_->Lock();
        if (!lock.ok()) return EmitError(store_path(), lock.status());
        // Overviews are computed from the stored pixels and metadata, so pending changes are stored
        // first.
        if (FlushAll(false) != CE_None) return CE_Failure;
        if (const auto taken = TakeOverStored(); !taken.ok())
            return EmitError(store_path(), taken.status());
        OverviewBuilder builder(overviews_);
        const bool is_built_in = builder.Check().ok() || !overviews_.levels().empty();
        if (!is_built_in) return BuildExternalOverviews(request);
        if (nOverviews > 0 && georeferencing_.IsRolled())
            return EmitError(
                store_path(),
                Status::Unsupported(
                    "overviews cannot be built with open option WRAP_LONGITUDE=YES; leave it out"));
        if (nOverviews > 0) return builder.Build(request);
        const CPLErr error = builder.Clean(request);
        return error == CE_None ? BuildExternalOverviews(request) : error;
    });
}

CPLErr ZarrDataset::BuildPlannedOverviews(GDALProgressFunc progress, void* progress_data) {
    const OverviewPlan plan = std::exchange(overviews_.pending().plan, OverviewPlan());
    const std::vector<int> factors = plan.FactorsFor(nRasterXSize, nRasterYSize);
    if (factors.empty()) return CE_None;
    std::vector<int> bands;
    for (int i = 1; i <= nBands; ++i) bands.push_back(i);
    return IBuildOverviews(plan.resampling.c_str(), static_cast<int>(factors.size()),
                           factors.data(), nBands, bands.data(), progress, progress_data, nullptr);
}

Status ZarrDataset::Refresh() {
    for (const auto& array : arrays_) {
        ZARR_ASSIGN_OR_RETURN(const zarr::ArrayMetadata metadata,
                              open_node_.hierarchy->Metadata(array->path()));
        if (!zarr::SameMetadata(metadata, array->facts().metadata))
            ZARR_RETURN_IF_ERROR(array->Reopen());
    }
    return {};
}

CPLErr ZarrDataset::CreateMask(int number, int flags, const std::function<CPLErr()>& make) {
    if (update_ == nullptr || !IsWholeNode() || has_mask_) return MakeMask(make);
    const Status status = masks_->Create(number, flags);
    if (status.ok()) overviews_.WarnOfWrite(LayoutOf(std::max(number, 1)));
    return status.ok() ? CE_None : EmitError(store_path(), status);
}

CPLErr ZarrDataset::CreateMaskBand(int nFlagsIn) {
    return Guarded(store_path(), [&]() -> CPLErr {
        return CreateMask(0, nFlagsIn | GMF_PER_DATASET,
                          [&] { return GDALPamDataset::CreateMaskBand(nFlagsIn); });
    });
}

// ---------------------------------------------------------------------------------------------
// Changes of a store

void ZarrDataset::EnableUpdate(std::shared_ptr<StoreUpdate> update, GeoreferencingForm convention) {
    update_.Set(std::move(update));
    convention_ = convention;
    eAccess = GA_Update;
    // Properties that are set on an overview or mask are only shown. Stored, they would make an
    // overview differ from the raster.
    const auto stored = is_level_ ? StoredChanges::kNone : StoredChanges::kDifferences;
    for (const auto& array : arrays_) array->SetUpdate(update_.Share(), stored);
    if (!ome_image_) ome_image_ = FindOmeImage(*this);
    EnablePam();
    for (int i = 1; i <= nBands; ++i) Band(i)->EnableUpdate();
    for (OverviewableDataset* const level : overviews_.All())
        level->EnableUpdate(update_.Share(), convention);
}

// The base class's destructor cannot save PAM: saving asks the bands, which need the arrays of this
// class.
ZarrDataset::~ZarrDataset() {
    Guarded(store_path(), [&] {
        if (update_ == nullptr && !options_.north_up) georeferencing_.AdviseNorthUp(store_path());
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

CPLErr ZarrDataset::ReportReadOnly() const {
    // In a forked child, GDAL's unwritten (dirty) blocks are discarded without an error, because
    // the parent process has them, too.
    if (update_.is_inherited() && is_closing_) return CE_None;
    return EmitError(store_path(), NotForUpdate(update_.is_inherited()));
}

bool ZarrDataset::FinishStore() {
    if (update_ == nullptr) return true;
    Status shared = NewRasterWork::Do(new_raster_.before_pixels);
    if (shared.ok()) shared = NewRasterWork::Do(new_raster_.before_closing);
    if (!shared.ok()) EmitError(store_path(), shared);
    const CPLErr built = BuildPlannedOverviews(nullptr, nullptr);
    if (std::exchange(new_raster_.has_statistics, false)) {
        // IsUnwritten() ignores GDAL's dirty blocks, so they are written first.
        FlushBlocks(false);
        if (std::any_of(arrays_.begin(), arrays_.end(),
                        [&](const auto& array) { return !update_->IsUnwritten(array->path()); }))
            ComputeMissingStatistics(*this);
    }
    colours_.SetAssumed();
    // A new store in an object store becomes visible if everything before has succeeded.
    std::optional<CreationHold> hold(std::in_place, update_->store());
    const CPLErr flushed = FlushAll(is_closing_);
    // Chunks that could not be written are not defined as absent ones.
    Status defined;
    if (flushed == CE_None) defined = update_->DefineAbsentChunks(options_.threads);
    if (shared.ok() && built == CE_None && flushed == CE_None && defined.ok()) hold.reset();
    const Status closed = update_->Close();
    hold.reset();
    const Status status = defined.ok() ? closed : defined;
    if (!status.ok()) EmitError(store_path(), status);
    return shared.ok() && built == CE_None && flushed == CE_None && status.ok();
}

bool ZarrDataset::CloseStore() {
    if (update_ == nullptr) return true;
    is_closing_ = true;
    const bool is_finished = FinishStore();
    const std::shared_ptr<StoreUpdate> update = update_.Share();
    EndUpdate();
    // FlushAll() could not save the PAM of a zip file, because the zip file was not closed yet.
    const bool is_saved = SavePam();
    if (!is_finished || !is_saved) return false;
    const Status placed = update->RenameToFinal();
    if (!placed.ok()) EmitError(store_path(), placed);
    return placed.ok();
}

void ZarrDataset::EndUpdate() {
    for (OverviewableDataset* const level : overviews_.All()) level->EndUpdate();
    for (ZarrDataset* const mask : masks_->opened()) mask->EndUpdate();
    for (const auto& array : arrays_) array->SetUpdate(nullptr);
    update_.Set(nullptr);
}

Status ZarrDataset::FlushPixels() {
    if (update_ == nullptr) return {};
    FlushBlocks(false);
    return update_->FlushChunks(options_.threads);
}

CPLErr ZarrDataset::FlushAll(bool closing) {
    // PAM contains the state of the chunks, with which outdated statistics are recognised. It is
    // therefore saved after the chunks, and after closing a zip file (CloseStore()).
    FlushBlocks(closing);
    if (update_ == nullptr) return CE_None;
    for (OverviewableDataset* const level : overviews_.All()) level->FlushBlocks(closing);
    colours_.Store();
    CPLErr error = CE_None;
    const auto note = [&](const Status& status) {
        if (!status.ok() && error == CE_None) error = EmitError(store_path(), status);
    };
    for (const Status& status :
         {update_->FlushChunks(options_.threads), StorePam(), FlushAttributes()})
        note(status);
    std::optional<CreationHold> hold;
    if (error != CE_None) hold.emplace(update_->store());
    note(update_->store()->Flush());
    return address().is_below_vsizip() || SavePam() ? error : CE_Failure;
}

// Reads again what this dataset has not changed, because other datasets may have changed it since
// this one was opened. The store's lock must be held. Nobody else changes arrays that this dataset
// has created. Returns false if another process has changed the size of an array. The levels then
// do not fit this dataset, and are not read.
zarr::Result<bool> ZarrDataset::TakeOverStored() {
    const auto is_own = [&](const auto& array) { return update_->HasCreated(array->path()); };
    if (update_->is_of_new_store() || std::any_of(arrays_.begin(), arrays_.end(), is_own))
        return true;
    const zarr::Hierarchy& current = *open_node_.hierarchy;
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
    // Properties of an overview or a mask are not stored. Pending changes are those of the raster,
    // which gives them to its overviews when it is flushed itself.
    if (is_level_) return {};
    for (int i = 1; i <= nBands; ++i) Band(i)->ShareEqualValues();
    bool& is_due = overviews_.pending().is_description;
    const bool is_moved = georeferencing_.has_changed();
    const bool is_changed = std::any_of(arrays_.begin(), arrays_.end(),
                                        [](const auto& array) { return array->HasChanges(); });
    if (is_moved || names_.HasChanges() || is_changed) is_due = true;
    // Georeferencing and overviews are written after reading what is stored.
    zarr::StoreLock lock;
    bool has_own_size = true;
    if (is_due) {
        ZARR_ASSIGN_OR_RETURN(lock, update_->Lock());
        ZARR_ASSIGN_OR_RETURN(has_own_size, TakeOverStored());
    }
    // The list of level groups states the position, and Describe() fails for another size.
    if (is_due && (is_moved || has_own_size) && !arrays_.empty() &&
        zarr::ListingOfOverviews(*open_node_.hierarchy, arrays_[0]->path()).has_level_groups)
        ZARR_RETURN_IF_ERROR(OverviewBuilder(overviews_).Describe());
    ZARR_RETURN_IF_ERROR(georeferencing_.Flush(*update_, convention_));
    ZARR_RETURN_IF_ERROR(names_.Flush());
    WarnOfDifferingBands();
    ZARR_RETURN_IF_ERROR(update_->StoreAttributes(MergeAttribute));
    // Levels of another size keep their description until overviews are built again.
    if (is_due && has_own_size && !overviews_.levels().empty())
        ZARR_RETURN_IF_ERROR(OverviewBuilder(overviews_).Update());
    is_due = false;
    const bool is_written = ome_image_ && IsWholeNode();
    return is_written ? StoreOmeImage(*this, *ome_image_, *update_) : Status();
}

void ZarrDataset::WarnOfDifferingBands() {
    // The bands of an array are consecutive, so comparing each band with the one before suffices.
    for (int i = 2; i <= nBands && !has_differing_warning_; ++i) {
        const BandArray& array = Band(i)->array();
        if (!array.WasChanged() || i == array.first_band || Band(i)->IsStorableWith(*Band(i - 1)))
            continue;
        has_differing_warning_ = true;
        EmitWarning(
            array.Name(),
            "its bands differ in scale, offset, unit or nodata, but an array stores only the value "
            "that was set last; creation option SINGLE_ARRAY=NO gives each band an array");
    }
}

ZARR_FLUSH_RESULT ZarrDataset::FlushCache(bool bAtClosing) {
    return Guarded(store_path(),
                   [&]() -> ZARR_FLUSH_RESULT { ZARR_FLUSH_RETURN(FlushAll(bAtClosing)); });
}

void ZarrDataset::WarnOfNodata(const BandArray& array, const std::string& warning) {
    if (warning.empty() || warning == nodata_warning_) return;
    EmitWarning(array.Name(), warning);
    nodata_warning_ = warning;
}

Status ZarrDataset::ChangeNodata(BandArray& array, const ScalarField& field,
                                 const std::optional<std::string>& element) {
    if (element && field.name.empty()) WarnOfNodata(array, array.FilterWarning(*element));
    // An array with dirty blocks counts as written if its nodata value is removed, so that all
    // other elements keep their values. If one is set, elements that nobody has written become
    // nodata.
    if (!element || !update_->IsUnwritten(array.path())) FlushBlocks(false);
    ZARR_ASSIGN_OR_RETURN(const bool are_chunks_stored,
                          element ? array.SetNodata(field, *element) : array.RemoveNodata(field));
    if (!are_chunks_stored) return {};
    overviews_.pending().is_description = true;
    OnAbsentChunksStored(array);
    return {};
}

void ZarrDataset::Abandon() {
    if (update_ == nullptr) return;
    static_cast<void>(update_->DeleteCreated());
    static_cast<void>(update_->metadata().Finish());
    EndUpdate();
}

CPLErr ZarrDataset::SetSpatialRef(const OGRSpatialReference* poSRS) {
    return Guarded(store_path(), [&]() -> CPLErr {
        if (update_ == nullptr) return GDALPamDataset::SetSpatialRef(poSRS);
        if (GDALPamDataset::GetSpatialRef() != nullptr) GDALPamDataset::SetSpatialRef(nullptr);
        georeferencing_.SetSrs(poSRS);
        return CE_None;
    });
}

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

bool ZarrDataset::StoresMetadata(const char* domain) const {
    return update_ != nullptr && (domain == nullptr || domain[0] == '\0') && !arrays_.empty();
}

CPLErr ZarrDataset::SetMetadata(NameValueList papszMetadata, const char* pszDomain) {
    return Guarded(store_path(), [&]() -> CPLErr {
        if (!StoresMetadata(pszDomain))
            return GDALPamDataset::SetMetadata(papszMetadata, pszDomain);
        const CPLStringList old(CSLDuplicate(GDALDataset::GetMetadata()));
        CPLStringList list(CSLDuplicate(papszMetadata));
        for (const auto& [name, value] : ItemsOf(old))
            if (list.FetchNameValue(name.c_str()) == nullptr)
                StoreMetadataItem(name.c_str(), nullptr);
        for (const auto& [name, value] : ItemsOf(list))
            StoreMetadataItem(name.c_str(), value.c_str());
        return GDALDataset::SetMetadata(list.List(), pszDomain);
    });
}

CPLErr ZarrDataset::SetMetadataItem(const char* pszName, const char* pszValue,
                                    const char* pszDomain) {
    return Guarded(store_path(), [&]() -> CPLErr {
        if (!StoresMetadata(pszDomain))
            return GDALPamDataset::SetMetadataItem(pszName, pszValue, pszDomain);
        StoreMetadataItem(pszName, pszValue);
        return GDALDataset::SetMetadataItem(pszName, pszValue, pszDomain);
    });
}

void ZarrDataset::StoreBandItem(BandArray& array, const char* name, const char* value) {
    if (array.layout().BandCount() != 1 || !MayBeAttribute(store_path(), name)) return;
    if (arrays_.size() == 1 && stored_metadata_.FetchNameValue(name) != nullptr) return;
    array.SetItem(name, value);
}

namespace {

// Gives bands without a unit the unit `units`. Returns false if another band has another unit.
bool SetUnitOfBands(ZarrDataset& dataset, const char* units) {
    bool is_set = dataset.GetRasterCount() > 0;
    for (int i = 1; i <= dataset.GetRasterCount(); ++i) {
        ZarrRasterBand& band = *dataset.Band(i);
        if (band.GetUnitType()[0] == '\0') band.SetUnitType(units);
        is_set = is_set && EQUAL(band.GetUnitType(), units);
    }
    return is_set;
}

}  // namespace

void ZarrDataset::StoreMetadataItem(const char* name, const char* value) {
    // rioxarray states the unit of all bands as an item of the dataset.
    if (EQUAL(name, zarr::kUnitsOfBands.data()) && value != nullptr && SetUnitOfBands(*this, value))
        return;
    if (IsOfCoordinates(arrays_, name) || !MayBeAttribute(store_path(), name)) return;
    stored_metadata_.SetNameValue(name, value);
    if (arrays_.size() == 1)
        arrays_[0]->SetItem(name, value);
    else
        arrays_[0]->SetGroupItem(name, value);
}

}  // namespace zarr_driver

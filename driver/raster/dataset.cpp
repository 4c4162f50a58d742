// SPDX-License-Identifier: MIT
#include "driver/raster/dataset.h"

#include <cpl_conv.h>
#include <cpl_minixml.h>

#include <algorithm>
#include <new>

#include "core/conventions/attributes.h"
#include "core/dtype/fill_value.h"
#include "core/store/keys.h"
#include "driver/base/builtin_driver.h"
#include "driver/base/gdal_types.h"
#include "driver/base/guard.h"
#include "driver/base/metadata_text.h"
#include "driver/base/report.h"
#include "driver/georef/georeferencing_write.h"
#include "driver/raster/band.h"
#include "driver/raster/overview_builder.h"
#include "driver/store/location.h"
#include "driver/store/sidecars.h"
#include "driver/store/store_path.h"
#include "driver/store/vsi_store.h"
#include "driver/store/zip_file.h"

namespace zarr_driver {

using zarr::Status;
namespace json = zarr::json;

namespace {

// How many of the `count` bands, from the first on, are slices of one array at a constant step
// along one dimension, so that one read of the array serves them all. At least 1. Sets what Window
// needs.
int CountRun(ZarrRasterBand* const* bands, int count, ZarrRasterBand::Window& window) {
    window.slice_count = 1;
    const ZarrRasterBand& first = *bands[0];
    for (int i = 1; i < count; ++i) {
        const ZarrRasterBand& next = *bands[i];
        const ZarrRasterBand& last = *bands[i - 1];
        if (&next.array() != &first.array() || &next.field() != &first.field()) break;
        std::size_t differing = 0;
        for (std::size_t axis = 0; axis < next.indices().size(); ++axis) {
            if (next.indices()[axis] == last.indices()[axis]) continue;
            const auto step = static_cast<std::int64_t>(next.indices()[axis]) -
                              static_cast<std::int64_t>(last.indices()[axis]);
            ++differing;
            if (i == 1) {
                window.axis = axis;
                window.slice_step = step;
            } else if (axis != window.axis || step != window.slice_step) {
                ++differing;
            }
        }
        if (differing != 1) break;
        ++window.slice_count;
    }
    return static_cast<int>(window.slice_count);
}

// When a file that GDAL can look at without a request was written; none where it is not there.
std::optional<std::int64_t> WrittenAt(const std::string& path) {
    VSIStatBufL stat;
    if (!VSIIsLocal(path.c_str()) || VSIStatL(path.c_str(), &stat) != 0) return std::nullopt;
    return ModificationTime(stat);
}

// True where the auxiliary file would have something that was made from pixels.
bool HoldsStatistics(const CPLXMLNode* tree) {
    for (const CPLXMLNode* node = tree; node != nullptr; node = node->psNext) {
        if (node->eType != CXT_Element) continue;
        if (EQUAL(node->pszValue, "Histograms")) return true;
        if (EQUAL(node->pszValue, "MDI") &&
            STARTS_WITH_CI(CPLGetXMLValue(node, "key", ""), "STATISTICS_"))
            return true;
        if (HoldsStatistics(node->psChild)) return true;
    }
    return false;
}

void AddItem(CPLXMLNode* domain, const char* key, const std::string& value) {
    CPLXMLNode* const item = CPLCreateXMLElementAndValue(domain, "MDI", value.c_str());
    CPLAddXMLAttributeAndValue(item, "key", key);
}

}  // namespace

ZarrDataset::ZarrDataset(const std::string& name, Location location, OpenOptions options)
    : location_(std::move(location)), options_(std::move(options)) {
    eAccess = GA_ReadOnly;
    // Also where ZarrBuiltin was asked to open it.
    poDriver = GetGDALDriverManager()->GetDriverByName(kDriverName);
    SetDescription(name.c_str());
}

void ZarrDataset::AddArray(RasterLayout layout, bool array_names_bands) {
    nRasterXSize = layout.Width();
    nRasterYSize = layout.Height();
    arrays_.push_back(std::make_unique<BandArray>());
    BandArray& array = *arrays_.back();
    array.layout = std::move(layout);
    array.attributes_before = array.layout.facts.attributes;
    zarr::Warnings warnings = array.layout.facts.warnings;
    array.listing = zarr::LevelListings(*location_.hierarchy).Find(array.layout.facts.path);
    array.channels = OmeChannels(array.layout, array.listing, warnings);
    array.labels = std::make_unique<SliceLabels>(location_.hierarchy, array.layout, array.channels,
                                                 location_.store_path, options_);
    EmitWarnings(store_path() + ": /" + array.layout.facts.path, warnings);
    array.activity = std::make_unique<ArrayActivity>(store_path(), array.layout.array);
    if (array.layout.facts.colour_axis) LogImage(store_path(), array.layout.facts);
    const std::string array_name(zarr::LastName(array.layout.facts.path));
    if (array.layout.BandCount() > kMaxBands) {
        EmitWarning(store_path() + ": /" + array.layout.facts.path,
                    std::to_string(array.layout.BandCount()) + " slices are more than the " +
                        std::to_string(kMaxBands) +
                        " bands of a dataset, so it has none; open a slice by its name, such as " +
                        FormatConnectionString(store_path(), array.layout.facts.path,
                                               array.layout.SliceIndices(0)));
        return;
    }
    for (std::uint64_t slice = 0; slice < array.layout.slices; ++slice) {
        for (const ScalarField& field : array.layout.fields) {
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
    const bool is_array = location_.kind == zarr::NodeKind::kArray;
    const std::string group =
        is_array ? std::string(zarr::ParentPath(location_.node)) : location_.node;
    // What an image says is said of its levels, too, that do not lie directly in it.
    if (is_array && arrays_.size() == 1 && arrays_[0]->listing.is_listed() &&
        arrays_[0]->listing.group != group)
        AddAttributes(*arrays_[0]->listing.attributes, list);
    if (!is_array || !location_.node.empty()) {  // an array that is the whole store has no group
        const auto attributes = location_.hierarchy->Attributes(group);
        if (attributes.ok())
            AddAttributes(*attributes, list);
        else
            EmitWarning(store_path(), attributes.status().message());
    }
    if (arrays_.size() == 1) AddAttributes(arrays_[0]->layout.facts.attributes, list);
    if (!arrays_.empty()) AddOmeUnits(arrays_[0]->layout, arrays_[0]->listing, list);
    // Past PAM: what comes from the store is not to be written beside it.
    GDALDataset::SetMetadata(list.List());
    GDALDataset::SetMetadata(subdatasets_.List(), "SUBDATASETS");
    if (nBands > 1) {
        const RasterLayout& layout = arrays_[0]->layout;
        const bool interleaved = arrays_.size() == 1 && !layout.other_axes.empty() &&
                                 layout.other_axes.back() == layout.facts.metadata.rank() - 1;
        GDALDataset::SetMetadataItem("INTERLEAVE", interleaved ? "PIXEL" : "BAND",
                                     "IMAGE_STRUCTURE");
    }
    LoadSidecars(opened);
    activity_ = std::make_unique<StoreActivity>(store_path(), location_.hierarchy);
    const auto number = [](std::size_t count) { return std::to_string(count); };
    activity_->Opened("/" + location_.node + " as " + std::to_string(nRasterXSize) + " x " +
                      std::to_string(nRasterYSize) + " pixels (bands: " + std::to_string(nBands) +
                      ", overviews: " + number(levels_.size()) + ", subdatasets: " +
                      number(static_cast<std::size_t>(subdatasets_.size()) / 2) + ")");
}

ZarrRasterBand* ZarrDataset::Band(int number) {
    return static_cast<ZarrRasterBand*>(GetRasterBand(number));
}

bool ZarrDataset::BandsHaveArrays() const { return arrays_.size() > 1; }

// ---------------------------------------------------------------------------------------------
// Pixels of several bands

CPLErr ZarrDataset::IRasterIO(GDALRWFlag eRWFlag, int nXOff, int nYOff, int nXSize, int nYSize,
                              void* pData, int nBufXSize, int nBufYSize, GDALDataType eBufType,
                              int nBandCount, int* panBandMap, GSpacing nPixelSpace,
                              GSpacing nLineSpace, GSpacing nBandSpace,
                              GDALRasterIOExtraArg* psExtraArg) {
    return Guarded(store_path(), [&]() -> CPLErr {
        // Of several bands each is written by itself: blocks that GDAL holds are each band's own.
        if (eRWFlag != GF_Read || nXSize != nBufXSize || nYSize != nBufYSize || update_ != nullptr)
            return GDALPamDataset::IRasterIO(eRWFlag, nXOff, nYOff, nXSize, nYSize, pData,
                                             nBufXSize, nBufYSize, eBufType, nBandCount, panBandMap,
                                             nPixelSpace, nLineSpace, nBandSpace, psExtraArg);
        std::vector<ZarrRasterBand*> bands;
        bands.reserve(static_cast<std::size_t>(nBandCount));
        for (int i = 0; i < nBandCount; ++i) bands.push_back(Band(panBandMap[i]));
        for (int done = 0; done < nBandCount;) {
            ZarrRasterBand::Window window{};
            window.x_off = nXOff;
            window.y_off = nYOff;
            window.x_size = nXSize;
            window.y_size = nYSize;
            const int run = CountRun(bands.data() + done, nBandCount - done, window);
            const CPLErr error = bands[static_cast<std::size_t>(done)]->ReadWindow(
                window, static_cast<GByte*>(pData) + nBandSpace * done, eBufType, nPixelSpace,
                nLineSpace, nBandSpace);
            if (error != CE_None) return error;
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
// Where it lies

const Georeferencing& ZarrDataset::FindGeoreferencing() const {
    if (georeferencing_) return *georeferencing_;
    georeferencing_.emplace();
    if (arrays_.empty()) return *georeferencing_;
    const zarr::ArrayFacts& facts = arrays_[0]->layout.facts;
    georeferencing_ =
        ReadGeoreferencing(*location_.hierarchy, facts, location_.store_path,
                           {options_.assume_longlat, options_.wrap_longitude, options_.threads});
    EmitWarnings(store_path() + ": /" + facts.path, georeferencing_->warnings);
    WarnOfFailure(*location_.hierarchy, location_.store_path);
    return *georeferencing_;
}

const OGRSpatialReference* ZarrDataset::GetSpatialRef() const {
    return Guarded(store_path(), [&]() -> const OGRSpatialReference* {
        if (const OGRSpatialReference* from_pam = GDALPamDataset::GetSpatialRef()) return from_pam;
        const Georeferencing& placed = FindGeoreferencing();
        return placed.srs && placed.points.empty() ? &*placed.srs : nullptr;
    });
}

CPLErr ZarrDataset::GetGeoTransform(ZARR_GEOTRANSFORM_PARAMETER) ZARR_GEOTRANSFORM_QUALIFIER {
    return Guarded(store_path(), [&]() -> CPLErr {
        if (GDALPamDataset::GetGeoTransform(transform) == CE_None) return CE_None;
        const Georeferencing& placed = FindGeoreferencing();
        if (!placed.transform) return CE_Failure;
        for (int i = 0; i < 6; ++i) transform[i] = (*placed.transform)[static_cast<std::size_t>(i)];
        return CE_None;
    });
}

void ZarrDataset::LoadPoints() {
    const Georeferencing& placed = FindGeoreferencing();
    if (!points_.empty() || placed.points.empty()) return;
    for (std::size_t i = 0; i < placed.points.size(); ++i)
        point_ids_.push_back(std::to_string(i + 1));
    static char no_info[] = "";
    for (std::size_t i = 0; i < placed.points.size(); ++i) {
        const zarr::GroundControlPoint& point = placed.points[i];
        points_.push_back({point_ids_[i].data(), no_info, point.pixel, point.line, point.longitude,
                           point.latitude, point.height});
    }
}

int ZarrDataset::GetGCPCount() {
    return Guarded(store_path(), [&]() -> int {
        const int from_pam = GDALPamDataset::GetGCPCount();
        LoadPoints();
        return from_pam > 0 ? from_pam : static_cast<int>(points_.size());
    });
}

const GDAL_GCP* ZarrDataset::GetGCPs() {
    return Guarded(store_path(), [&]() -> const GDAL_GCP* {
        if (GDALPamDataset::GetGCPCount() > 0) return GDALPamDataset::GetGCPs();
        LoadPoints();
        return points_.data();
    });
}

const OGRSpatialReference* ZarrDataset::GetGCPSpatialRef() const {
    return Guarded(store_path(), [&]() -> const OGRSpatialReference* {
        if (const OGRSpatialReference* from_pam = GDALPamDataset::GetGCPSpatialRef())
            return from_pam;
        if (FindGeoreferencing().points.empty()) return nullptr;
        if (points_srs_.IsEmpty()) {
            points_srs_.importFromEPSG(4326);
            points_srs_.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
        }
        return &points_srs_;
    });
}

char** ZarrDataset::GetMetadataDomainList() {
    return Guarded(store_path(), [&]() -> char** {
        CPLStringList domains(BuildMetadataDomainList(GDALPamDataset::GetMetadataDomainList(), TRUE,
                                                      "GEOLOCATION", kZarrDomain, nullptr));
        const int hidden = domains.FindString(kSidecarDomain);
        return hidden < 0 ? domains.StealList()
                          : CSLRemoveStrings(domains.StealList(), hidden, 1, nullptr);
    });
}

void ZarrDataset::LoadGeolocation() {
    if (GDALPamDataset::GetMetadata("GEOLOCATION") != nullptr) return;
    CPLStringList list(FindGeoreferencing().geolocation);
    // Past PAM: what comes from the store is not to be written beside it.
    if (!list.empty()) GDALDataset::SetMetadata(list.List(), "GEOLOCATION");
}

// Not among what GDAL keeps of metadata, which PAM would save.
NameValueList ZarrDataset::Description() {
    if (!description_.empty()) return description_.List();
    if (arrays_.size() == 1) {  // those of several are their bands'
        const RasterLayout& layout = arrays_[0]->layout;
        DescribeStorage(*layout.array, layout.listing, description_);
        DescribeCodecs(layout.facts.metadata, description_);
    }
    const auto set = [this](const char* name, const std::string& value) {
        if (!value.empty()) description_.SetNameValue(name, value.c_str());
    };
    set("CRS_SOURCE", FindGeoreferencing().srs_origin);
    set("GEOTRANSFORM_SOURCE", FindGeoreferencing().transform_origin);
    set("CONSOLIDATED_METADATA", location_.hierarchy->is_consolidated() ? "YES" : "NO");
    return description_.List();
}

NameValueList ZarrDataset::GetMetadata(const char* pszDomain) {
    return Guarded(store_path(), [&]() -> NameValueList {
        if (pszDomain != nullptr && EQUAL(pszDomain, "GEOLOCATION")) LoadGeolocation();
        if (pszDomain != nullptr && EQUAL(pszDomain, kZarrDomain)) return Description();
        return GDALPamDataset::GetMetadata(pszDomain);
    });
}

const char* ZarrDataset::GetMetadataItem(const char* pszName, const char* pszDomain) {
    return Guarded(store_path(), [&]() -> const char* {
        if (pszDomain != nullptr && EQUAL(pszDomain, "GEOLOCATION")) LoadGeolocation();
        if (pszDomain != nullptr && EQUAL(pszDomain, kZarrDomain))
            return CSLFetchNameValue(Description(), pszName);
        return GDALPamDataset::GetMetadataItem(pszName, pszDomain);
    });
}

// ---------------------------------------------------------------------------------------------
// Overviews

CPLErr ZarrDataset::IBuildOverviews(const char* pszResampling, int nOverviews,
                                    const int* panOverviewList, int nListBands,
                                    const int* panBandList, GDALProgressFunc pfnProgress,
                                    void* pProgressData, CSLConstList papszOptions) {
    return Guarded(store_path(), [&]() -> CPLErr {
        const auto beside_the_store = [&] {
            // TIFF counts bands in 16 bits, and GDAL does not look.
            constexpr int kMaxTiffBands = 65535;
            if (nOverviews > 0 && nBands > kMaxTiffBands)
                return EmitError(
                    store_path(),
                    Status::Unsupported(
                        "has " + std::to_string(nBands) +
                        " bands, and overviews beside the store can have 65535; where it "
                        "is opened for update they are made in the store"));
            DropOldOverviews();
            if (!oOvManager.IsInitialized()) oOvManager.Initialize(this, sidecar_base_.c_str());
            return GDALPamDataset::IBuildOverviews(pszResampling, nOverviews, panOverviewList,
                                                   nListBands, panBandList, pfnProgress,
                                                   pProgressData, papszOptions);
        };
        if (update_ == nullptr) {
            if (levels_.empty()) return beside_the_store();
            return EmitError(
                store_path(),
                Status::Permission("has overviews in the store, which only change where "
                                   "it is opened for update"));
        }
        if (nBands == 0)
            return EmitError(store_path(),
                             Status::Unsupported("has no bands to build overviews of"));
        OverviewRequest request;
        request.resampling = pszResampling;
        request.factors.assign(panOverviewList, panOverviewList + nOverviews);
        request.bands.assign(panBandList, panBandList + nListBands);
        request.progress = pfnProgress;
        request.progress_data = pProgressData;
        request.options = papszOptions;
        // What the raster is to say, and its pixels, are in the store first.
        if (FlushAll(false) != CE_None) return CE_Failure;
        OverviewBuilder builder(*this);
        if (!builder.Check().ok() && levels_.empty()) return beside_the_store();
        if (nOverviews > 0) return builder.Build(request);
        const CPLErr error = builder.Clean(request);
        return error == CE_None ? beside_the_store() : error;
    });
}

CPLErr ZarrDataset::BuildPlannedOverviews(GDALProgressFunc progress, void* progress_data) {
    const OverviewPlan plan = std::move(planned_overviews_);
    planned_overviews_ = OverviewPlan();
    const std::vector<int> factors = plan.FactorsFor(nRasterXSize, nRasterYSize);
    if (factors.empty()) return CE_None;
    std::vector<int> bands;
    for (int i = 1; i <= nBands; ++i) bands.push_back(i);
    return IBuildOverviews(plan.resampling.c_str(), static_cast<int>(factors.size()),
                           factors.data(), nBands, bands.data(), progress, progress_data, nullptr);
}

Status ZarrDataset::UpdateLevels() {
    return levels_.empty() ? Status() : OverviewBuilder(*this).UpdateDescriptions();
}

// ---------------------------------------------------------------------------------------------
// Files beside the store

// The files beside a store on a web server that GDAL looks for: its auxiliary file, which
// takes one question in place of half a dozen. One of its own a dataset has where the store has
// one, too. Empty for other stores, where GDAL looks itself.
CPLStringList ZarrDataset::RemoteSiblings(const PlainAuxiliary& plain, bool is_plain) const {
    CPLStringList siblings;
    const std::string auxiliary = sidecar_base_ + ".aux.xml";
    if (!location_.store_path.is_remote()) return siblings;
    if (CPLTestBool(CPLGetConfigOption("GDAL_PAM_ENABLED", "YES")) && !StorePath(auxiliary).Url())
        return siblings;
    siblings.AddString(CPLGetFilename(sidecar_base_.c_str()));
    if (plain.is_there && (is_plain || FetchSidecar(auxiliary, nullptr)))
        siblings.AddString(CPLGetFilename(auxiliary.c_str()));
    return siblings;
}

SourceState ZarrDataset::StateOfSources() const {
    SourceState state;
    for (const auto& array : arrays_) {
        state.Add(store_path(), *array->layout.array);
        for (const char* name : {"_FillValue", "missing_value", "_Unsigned"})
            if (const json::Value* value = array->layout.facts.attributes.Find(name))
                state.Add(name + json::Dump(*value));
    }
    return state;
}

void ZarrDataset::LoadSidecars(const OpenedAs& opened) {
    dataset_id_ = DatasetId(location_.node, opened.indices, options_);
    const PlainAuxiliary plain =
        opened.is_new ? PlainAuxiliary() : LookAtPlainAuxiliary(store_path());
    sidecar_base_ = SidecarBase(store_path(), dataset_id_, opened.is_by_path, plain);
    if (sidecar_base_ != GetDescription()) SetPhysicalFilename(sidecar_base_.c_str());
    // A zip file that is being written cannot be looked into, and holds nothing else yet.
    const bool is_being_written = opened.is_new && ArchiveOf(sidecar_base_).has_value();
    CPLStringList siblings(RemoteSiblings(plain, sidecar_base_ == store_path()));
    if (is_being_written) siblings.AddString(CPLGetFilename(sidecar_base_.c_str()));
    TryLoadXML(siblings.List());
    const auto take = [&](const char* item) {
        const char* value = GDALPamDataset::GetMetadataItem(item, kSidecarDomain);
        return std::string(value != nullptr ? value : "");
    };
    made_from_ = take(kSidecarMadeFrom);
    const std::string mask = take(kSidecarMask);
    GDALDataset::SetMetadata(nullptr, kSidecarDomain);
    if (nBands == 0) return;
    if (HasStatistics() && !AreStatisticsCurrent()) ForgetStatistics();
    statistics_are_of_pixels_ = HasStatistics();
    nPamFlags &= ~GPF_DIRTY;
    if (is_being_written)
        return oOvManager.Initialize(this, sidecar_base_.c_str(), siblings.List());
    LoadOverviewFile(siblings);
    LoadMask(siblings, !mask.empty());
}

bool ZarrDataset::HasStatistics() {
    for (int i = 1; i <= nBands; ++i)
        if (Band(i)->HasStatistics()) return true;
    return false;
}

bool ZarrDataset::AreStatisticsCurrent() {
    const SourceState state = StateOfSources();
    const auto written = WrittenAt(sidecar_base_ + ".aux.xml");
    if (!made_from_.empty()) return state.Matches(made_from_, written);
    // Another program has written them, which does not say of what.
    return !written || std::max(state.newest_chunk(), state.newest_document()) <= *written;
}

void ZarrDataset::ForgetStatistics() {
    made_from_.clear();
    for (int i = 1; i <= nBands; ++i) Band(i)->ForgetStatistics();
}

void ZarrDataset::PixelsChange() {
    if (!statistics_are_of_pixels_) return;
    statistics_are_of_pixels_ = false;
    ForgetStatistics();
    MarkPamDirty();
}

void ZarrDataset::StatisticsSet() {
    // Set before there are pixels, they belong to the pixels that will be written.
    const auto is_empty = [&](const auto& array) {
        return update_ != nullptr && update_->HasMade(array->layout.facts.path) &&
               !update_->HasWritten(*array->layout.array);
    };
    if (!std::all_of(arrays_.begin(), arrays_.end(), is_empty)) statistics_are_of_pixels_ = true;
}

// GDAL is shown those that are as new as the store; what else there is stays until they are built
// again.
void ZarrDataset::LoadOverviewFile(const CPLStringList& siblings) {
    const std::string path = sidecar_base_ + ".ovr";
    const auto written = WrittenAt(path);
    CPLStringList alone;
    if (written) {
        const SourceState state = StateOfSources();
        has_old_overviews_ = std::max(state.newest_chunk(), state.newest_document()) > *written;
    }
    if (has_old_overviews_) {
        alone.AddString(CPLGetFilename(sidecar_base_.c_str()));
        EmitWarning(path,
                    "is older than what it was made from, so it is not used; gdaladdo -ro "
                    "builds it anew");
    }
    oOvManager.Initialize(this, sidecar_base_.c_str(),
                          has_old_overviews_ ? alone.List() : CPLStringList(siblings).List());
}

void ZarrDataset::DropOldOverviews() {
    if (!has_old_overviews_) return;
    has_old_overviews_ = false;
    VSIUnlink((sidecar_base_ + ".ovr").c_str());
    oOvManager.Initialize(this, sidecar_base_.c_str());
}

// GDAL looks for a mask by the name of the dataset, which may be a connection string.
void ZarrDataset::LoadMask(const CPLStringList& siblings, bool is_known) {
    const std::string path = sidecar_base_ + ".msk";
    const auto written = WrittenAt(path);
    if (written && StateOfSources().newest_document() > *written) {
        CPLStringList alone;
        alone.AddString(CPLGetFilename(sidecar_base_.c_str()));
        oOvManager.HaveMaskFile(alone.List(),
                                sidecar_base_.c_str());  // remembers that there is none
        return EmitWarning(path,
                           "is older than the array that it is the mask of, so it is not used; "
                           "touch says that it still is right");
    }
    CPLStringList with_mask(siblings);
    if (is_known && !siblings.empty()) with_mask.AddString(CPLGetFilename(path.c_str()));
    if (!written && !is_known && VSIIsLocal(path.c_str())) return;
    has_mask_ = oOvManager.HaveMaskFile(with_mask.List(), sidecar_base_.c_str()) != FALSE;
}

CPLErr ZarrDataset::MakeMask(const std::function<CPLErr()>& make) {
    // GDAL names the file after the dataset, and writes it here and there, as no object store can.
    const std::string name = GetDescription();
    const CPLConfigOptionSetter through_a_file("CPL_VSIL_USE_TEMP_FILE_FOR_RANDOM_WRITE", "YES",
                                               true);
    GDALMajorObject::SetDescription(sidecar_base_.c_str());
    const CPLErr error = make();
    GDALMajorObject::SetDescription(name.c_str());
    if (error != CE_None) return error;
    has_mask_ = true;
    MarkPamDirty();
    return CE_None;
}

CPLErr ZarrDataset::CreateMaskBand(int nFlagsIn) {
    return Guarded(store_path(), [&]() -> CPLErr {
        return MakeMask([&] { return GDALPamDataset::CreateMaskBand(nFlagsIn); });
    });
}

CPLXMLNode* ZarrDataset::SerializeToXML(const char* pszPath) {
    return Guarded(store_path(), [&]() -> CPLXMLNode* {
        CPLXMLNode* tree = WithoutStored(GDALPamDataset::SerializeToXML(pszPath), stored_metadata_);
        if (tree == nullptr && !has_mask_) return nullptr;
        if (tree == nullptr) tree = CPLCreateXMLNode(nullptr, CXT_Element, "PAMDataset");
        CPLXMLNode* const domain = CPLCreateXMLNode(nullptr, CXT_Element, "Metadata");
        CPLAddXMLAttributeAndValue(domain, "domain", kSidecarDomain);
        AddItem(domain, kSidecarOf, dataset_id_);
        if (has_mask_) AddItem(domain, kSidecarMask, "YES");
        if (HoldsStatistics(tree->psChild)) {
            if (made_from_.empty()) made_from_ = StateOfSources().Text();
            AddItem(domain, kSidecarMadeFrom, made_from_);
        }
        CPLAddXMLChild(tree, domain);
        return tree;
    });
}

// The store is one thing, its folder. Of files in it GDAL would delete those that are not also the
// source's, before a copy onto a store that the source is made of could be refused.
char** ZarrDataset::GetFileList() {
    return Guarded(store_path(), [&]() -> char** {
        CPLStringList files(GDALPamDataset::GetFileList());
        // GDAL takes what the sidecars are named after for a file.
        const int base = files.FindString(sidecar_base_.c_str());
        if (base >= 0 && sidecar_base_ != store_path())
            files = CPLStringList(CSLRemoveStrings(files.StealList(), base, 1, nullptr));
        if (files.FindString(store_path().c_str()) < 0 && PathExists(store_path()))
            files = CPLStringList(CSLInsertString(files.StealList(), 0, store_path().c_str()));
        return files.StealList();
    });
}

// ---------------------------------------------------------------------------------------------
// Changing a store

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

Status ZarrDataset::FlushGeoreferencing() {
    RasterPosition placement;
    if (georeferencing_ && georeferencing_->srs) placement.srs = &*georeferencing_->srs;
    if (georeferencing_) placement.transform = georeferencing_->transform;
    // The arrays of a dataset lie in one group and share their dimensions.
    zarr::Warnings warnings;
    ZARR_ASSIGN_OR_RETURN(const GeoreferencingArrays beside,
                          WriteGeoreferencingArrays(Coordinates(), arrays_[0]->layout, placement,
                                                    convention_, warnings));
    EmitWarnings(store_path() + ": /" + arrays_[0]->layout.facts.path, warnings);
    for (const auto& array : arrays_) {
        auto* members = array->layout.facts.attributes.as_object();
        if (members == nullptr) continue;
        SetGeoreferencingAttributes(array->layout, placement, convention_, beside, *members);
        array->attributes_changed = true;
    }
    return {};
}

// What fails stays marked, for the next flush.
Status ZarrDataset::FlushAttributes() {
    levels_behind_ = levels_behind_ || georeferencing_changed_ || band_names_changed_;
    if (georeferencing_changed_) ZARR_RETURN_IF_ERROR(FlushGeoreferencing());
    georeferencing_changed_ = false;
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
    if (levels_behind_) ZARR_RETURN_IF_ERROR(UpdateLevels());
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
        static_cast<void>(FindGeoreferencing());
        georeferencing_->srs.reset();
        if (poSRS != nullptr && !poSRS->IsEmpty()) {
            georeferencing_->srs = *poSRS;
            georeferencing_->srs->SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
        }
        georeferencing_changed_ = true;
        return CE_None;
    });
}

CPLErr ZarrDataset::SetGeoTransform(ZARR_NEW_GEOTRANSFORM) {
    return Guarded(store_path(), [&]() -> CPLErr {
        if (update_ == nullptr) return GDALPamDataset::SetGeoTransform(transform);
        static_cast<void>(FindGeoreferencing());
        georeferencing_->transform.emplace();
        for (int i = 0; i < 6; ++i)
            (*georeferencing_->transform)[static_cast<std::size_t>(i)] = transform[i];
        georeferencing_changed_ = true;
        return CE_None;
    });
}

Status ZarrDataset::SetFillValue(BandArray& array, const std::string& element) {
    // Chunks that are there mean the old one where others are absent.
    if (!update_->HasMade(array.layout.facts.path) || update_->HasWritten(*array.layout.array))
        return {};
    return ReplaceFillValue(array, element);
}

Status ZarrDataset::RemoveFillValue(BandArray& array) {
    const std::string& path = array.layout.facts.path;
    if (!array.layout.facts.metadata.has_fill_value || !options_.fill_value_as_nodata) return {};
    GDALPamDataset::FlushCache(false);  // blocks that GDAL holds
    const bool is_untouched = update_->HasMade(path) && !update_->HasWritten(*array.layout.array);
    // With the old one, chunks that hold nothing else were left out.
    ZARR_RETURN_IF_ERROR(update_->Release(path, options_.threads));
    if (!is_untouched) {
        ZARR_ASSIGN_OR_RETURN(const zarr::ChunkListing listing, array.layout.array->ListChunks());
        if (listing.chunks < array.layout.array->chunk_count())
            return Status::Unsupported(
                "/" + path +
                ": the nodata value is the fill value, which absent chunks hold; it cannot be "
                "removed before all pixels are written");
    }
    return ReplaceFillValue(array, std::nullopt);
}

Status ZarrDataset::ReplaceFillValue(BandArray& array, const std::optional<std::string>& element) {
    zarr::ArrayMetadata& metadata = array.layout.facts.metadata;
    ZARR_ASSIGN_OR_RETURN(zarr::ArrayMetadata changed, zarr::WithFillValue(metadata, element));
    ZARR_RETURN_IF_ERROR(
        update_->metadata().ReplaceMetadata(array.layout.facts.path, std::move(changed)));
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

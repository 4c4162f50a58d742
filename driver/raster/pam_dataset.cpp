// SPDX-License-Identifier: MIT
#include "driver/raster/pam_dataset.h"

#include <cpl_conv.h>
#include <cpl_minixml.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "core/conventions/crs/crs_text.h"
#include "driver/base/exception_guard.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/metadata_text.h"
#include "driver/raster/band.h"
#include "driver/raster/pam_merge.h"
#include "driver/store/multidim_pam.h"
#include "driver/store/sidecars.h"
#include "driver/store/store_address.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Status;
namespace json = zarr::json;

namespace {

// Returns the contents of the local auxiliary file; nullptr if it is missing or not GDAL's.
XmlTree ReadAuxiliary(const std::string& sidecar_base) {
    const std::string path = sidecar_base + ".aux.xml";
    return WrittenAt(path) ? ReadPamFile(path) : nullptr;
}

bool HaveChunksChanged(const zarr::ChunkFiles& before, const zarr::ChunkFiles& now) {
    return !before.times.empty() && !now.times.empty() &&
           (before.sizes != now.sizes || before.times != now.times || before.oldest != now.oldest ||
            before.newest != now.newest);
}

}  // namespace

ZarrRasterBand* ZarrPamDataset::Band(int number) {
    return static_cast<ZarrRasterBand*>(GetRasterBand(number));
}

bool ZarrPamDataset::BandsHaveArrays() const { return arrays_.size() > 1; }

std::vector<const RasterLayout*> ZarrPamDataset::Layouts() const {
    std::vector<const RasterLayout*> layouts;
    for (const auto& array : arrays_) layouts.push_back(&array->layout());
    return layouts;
}

const RasterLayout& ZarrPamDataset::LayoutOf(int number) { return Band(number)->array().layout(); }

// Returns the names of files next to a store as far as they are known. GDAL looks for sidecar files
// only under these names. An empty list means that GDAL must look for them, with half a dozen
// requests to a server. `plain` describes the auxiliary file of the store's own dataset, such as
// x.zarr.aux.xml. The auxiliary file of another dataset is requested only if `plain` exists.
CPLStringList ZarrPamDataset::SiblingsFor(const AuxiliaryFile& plain, bool is_being_written) const {
    CPLStringList siblings;
    const std::string auxiliary = sidecar_base_ + ".aux.xml";
    const bool is_remote = open_node_.address.is_remote();
    const bool is_on = CPLTestBool(CPLGetConfigOption("GDAL_PAM_ENABLED", "YES"));
    // A zip file that is being written cannot be read and contains no sidecar files. Creation has
    // deleted those of an old remote store.
    if (is_being_written || (is_remote && (is_new_ || !is_on || StorePath(auxiliary).Url())))
        siblings.AddString(CPLGetFilename(sidecar_base_.c_str()));
    if (is_remote && plain.is_there && (sidecar_base_ == store_path() || FetchSidecar(auxiliary)))
        siblings.AddString(CPLGetFilename(auxiliary.c_str()));
    return siblings;
}

bool ZarrPamDataset::IsWholeNode() const {
    return !is_level_ && !arrays_.empty() && dataset_id_ == DatasetId(open_node_.node, {}, {});
}

bool ZarrPamDataset::ShowsWholeNode() const {
    OpenOptions options = EffectiveOptions();
    const std::string id = DatasetId(open_node_.node, {}, options);
    options.north_up = false;
    options.wrap_longitude = false;
    options.fill_value_as_nodata = zarr::FillAsNodata::kAuto;
    return !is_level_ && !arrays_.empty() && dataset_id_ == id &&
           DatasetId(open_node_.node, {}, options) == DatasetId(open_node_.node, {}, {});
}

// Returns the open options without DIM_X and DIM_Y, if the dataset has the same axes without these
// options.
OpenOptions ZarrPamDataset::EffectiveOptions() const {
    OpenOptions options = options_;
    const auto are_chosen = [](const auto& array) { return array->layout().are_axes_chosen; };
    if (std::any_of(arrays_.begin(), arrays_.end(), are_chosen)) return options;
    options.dim_x.clear();
    options.dim_y.clear();
    return options;
}

void ZarrPamDataset::EnablePam() {
    if (psPam != nullptr) return;
    const bool is_on = CPLTestBool(CPLGetConfigOption("GDAL_PAM_ENABLED", "YES"));
    const CPLConfigOptionSetter on("GDAL_PAM_ENABLED", "YES", false);
    nPamFlags &= ~GPF_DISABLED;
    PamInitialize();
    if (!is_on) nPamFlags |= GPF_NOSAVE;
}

namespace {

// Further items of the domain kPamState.
constexpr const char* kSize = "SIZE";    // size of the raster that control points refer to
constexpr const char* kBands = "BANDS";  // number of bands when PAM was stored

}  // namespace

// True if the statistics of `array` were computed from its pixels, as far as it is recorded.
bool ZarrPamDataset::AreStatisticsOfPixels(const BandArray& array) {
    const auto found = made_from_.find(&array);
    zarr::Fingerprint now = SourceArrays::FingerprintOf(array);
    bool are_of_pixels = true;
    if (found != made_from_.end())
        are_of_pixels = Sources().IsSame(array, now, found->second, statistics_written_);
    else if (now.files(); statistics_written_)  // a later list would have later changes
        are_of_pixels = Sources().IsOlderThan(array, *statistics_written_);
    if (are_of_pixels)
        chunks_of_statistics_[&array] = {now.files(), now.is_exact() ? found->second : ""};
    return are_of_pixels;
}

std::vector<std::string> ZarrPamDataset::BandNames(const BandArray& array) {
    const bool are_names = array.labels->AreNames();
    std::vector<std::string> names;
    for (int i = 1; i <= nBands; ++i)
        if (&Band(i)->array() == &array) names.push_back(Band(i)->StoredName(are_names));
    return names;
}

std::vector<int> ZarrPamDataset::BandCounts() {
    std::vector<int> counts(arrays_.size());
    std::size_t array = 0;
    for (int i = 1; i <= nBands; ++i) {
        while (&Band(i)->array() != arrays_[array].get()) ++array;
        ++counts[array];
    }
    return counts;
}

const BuiltinPamFile& ZarrPamDataset::BuiltinFileOf(const BandArray& array) {
    const auto known = builtin_files_.find(&array);
    if (known != builtin_files_.end()) return known->second;
    return builtin_files_.emplace(&array, ReadBuiltinPamFile(store_path(), array)).first->second;
}

// Returns the PAM in the array's attributes, and behind it the PAM of GDAL's built-in driver.
XmlTree ZarrPamDataset::StoredPamOf(const BandArray& array) {
    XmlTree tree = ReadPam(array.facts().attributes);
    if (tree != nullptr && array.facts().attributes.Find(zarr::kColoursOfBands) != nullptr)
        RemoveColours(*tree);
    if (is_new_) return tree;
    XmlTree builtin = BuiltinPam(BuiltinFileOf(array), array, [&](std::int64_t time) {
        return TimesOf(address(), *array.elements()).newest_chunk > time;
    });
    if (builtin == nullptr || tree == nullptr)
        return tree != nullptr ? std::move(tree) : std::move(builtin);
    if (HoldsStatistics(*tree)) RemoveStatistics(*builtin);
    AddMissing(*builtin, *tree);
    return tree;
}

void ZarrPamDataset::LoadStoredPam() {
    if (!ShowsWholeNode()) return;
    const bool has_own_nodata = options_.fill_value_as_nodata != zarr::FillAsNodata::kAuto;
    std::vector<XmlTree> trees;
    bool has_any = false;
    for (const auto& array : arrays_) {
        trees.push_back(StoredPamOf(*array));
        if (trees.back() == nullptr) continue;
        has_any = true;
        if (has_own_nodata) RemoveStatistics(*trees.back());
        const std::string made_from = PamItem(*trees.back(), kPamState, kStatisticsMadeFrom);
        if (!made_from.empty()) made_from_[array.get()] = made_from;
    }
    XmlTree tree;
    if (arrays_.size() == 1) {
        tree = std::move(trees[0]);
    } else {
        XmlTree group = ReadPam(arrays_[0]->facts().group_attributes);
        if (has_any || group != nullptr)
            tree = JoinPam(std::move(group), std::move(trees), BandCounts());
    }
    if (tree == nullptr) return;
    if (HasPixelReferences(*tree)) CheckPixelReferences(*tree);
    const std::string written = PamItem(*tree, kPamState, kBands);
    if (arrays_.size() == 1 && !written.empty())
        RenumberBands(*tree,
                      HasNamedBands(*tree)
                          ? BandNames(*arrays_[0])
                          : std::vector<std::string>(static_cast<std::size_t>(nBands)),
                      std::strtoul(written.c_str(), nullptr, 10));
    EnablePam();
    const int flags = nPamFlags;
    XMLInit(tree.get(), "");
    GDALDataset::SetMetadata(nullptr, kPamState);
    stored_pam_.reset(GDALPamDataset::SerializeToXML(""));
    nPamFlags = flags;
}

void ZarrPamDataset::CheckStatistics() {
    if (!std::exchange(are_statistics_unchecked_, false)) return;
    for (const BandArray* const array : ArraysWithStatistics())
        if (!AreStatisticsOfPixels(*array)) ForgetStatisticsOf(*array);
    statistics_are_of_pixels_ = HasStatistics();
}

std::set<const BandArray*> ZarrPamDataset::ArraysWithStatistics() {
    std::set<const BandArray*> arrays;
    for (int i = 1; i <= nBands; ++i)
        if (Band(i)->HasStatistics()) arrays.insert(&Band(i)->array());
    return arrays;
}

void ZarrPamDataset::ForgetStatisticsOf(const BandArray& array) {
    chunks_of_statistics_.erase(&array);
    for (int i = 1; i <= nBands; ++i)
        if (&Band(i)->array() == &array) Band(i)->ForgetStatistics();
}

// Removes statistics whose chunks another process has changed since. Returns the fingerprints of
// the arrays whose statistics stay. `are_beside` is true for a file beside the store.
std::map<const BandArray*, std::string> ZarrPamDataset::ForgetOutdatedStatistics(bool are_beside) {
    std::map<const BandArray*, std::string> texts;
    for (const BandArray* const array : ArraysWithStatistics()) {
        zarr::Fingerprint now = SourceArrays::FingerprintOf(*array);
        // A zip file that is being written cannot be read.
        const bool is_written = address().is_below_vsizip() && update() != nullptr;
        const auto recorded = chunks_of_statistics_.find(array);
        std::string text;
        if (recorded != chunks_of_statistics_.end()) text = recorded->second.text;
        const zarr::BaseSamples samples =
            are_beside ? Sources().SamplesBeside(*array, samples_) : samples_;
        const bool has_samples = samples == zarr::BaseSamples::kNone || zarr::HasSamples(text);
        if (!has_samples || text.compare(0, text.find(':'), now.Grid()) != 0) text.clear();
        if (text.empty() && !is_written) text = now.Text(samples);
        if (recorded != chunks_of_statistics_.end()) {
            if (HaveChunksChanged(recorded->second.files, now.files())) {
                ForgetStatisticsOf(*array);
                continue;
            }
            if (!now.files().times.empty()) recorded->second.text = text;
        }
        texts.emplace(array, std::move(text));
    }
    return texts;
}

void ZarrPamDataset::RecordChunks(const BandArray& array) {
    // Pending pixels would change the chunks afterwards. An error stays for the next flush.
    if (address().is_below_vsizip() && update() != nullptr) return;
    if (!FlushPixels().ok()) return;
    chunks_of_statistics_[&array] = {zarr::ListChunkFiles(*array.elements()), ""};
}

void ZarrPamDataset::BeforeStatistics(ZarrRasterBand& band) {
    CheckStatistics();
    if (is_level_) return;
    const BandArray& array = band.array();
    const auto recorded = chunks_of_statistics_.find(&array);
    // Chunks are listed again only for statistics that replace others, because listings are slow.
    if (recorded != chunks_of_statistics_.end() && !band.HasStatistics()) return;
    const zarr::ChunkFiles before =
        recorded != chunks_of_statistics_.end() ? recorded->second.files : zarr::ChunkFiles();
    RecordChunks(array);
    const zarr::ChunkFiles now = chunks_of_statistics_[&array].files;
    if (!HaveChunksChanged(before, now)) return;
    ForgetStatisticsOf(array);
    chunks_of_statistics_[&array] = {now, ""};
}

std::string ZarrPamDataset::SizeText() const {
    return std::to_string(nRasterXSize) + " x " + std::to_string(nRasterYSize);
}

// Removes control points, RPC and GEOLOCATION if they refer to a raster of another size, or to
// pixels in another order. Such references occur because programs that copy a part of an array keep
// its attributes.
void ZarrPamDataset::CheckPixelReferences(CPLXMLNode& tree) {
    const std::string size = PamItem(tree, kPamState, kSize);
    const bool is_of_other = !size.empty() && size != SizeText();
    if (is_of_other)
        EmitWarning(store_path(), "attribute " + std::string(kPamAttribute) +
                                      ": control points, RPC and GEOLOCATION are for a raster of " +
                                      size + ", not " + SizeText() + "; they are left out");
    if (is_of_other || ArePixelsMoved()) RemovePixelReferences(tree);
}

bool ZarrPamDataset::SavePam() {
    if ((nPamFlags & GPF_DIRTY) == 0) return true;
    const CPLErr saved = TrySaveXML();
    if (saved == CE_None) return true;
    if (saved != CE_Failure)  // GDAL has warned, but what cannot be stored is lost
        EmitError(store_path(), Status::Io("its .aux.xml file cannot be written"));
    return false;
}

Status ZarrPamDataset::StorePam() {
    if ((nPamFlags & GPF_DIRTY) == 0 || !IsWholeNode()) return {};
    CheckStatistics();
    const auto fingerprints = ForgetOutdatedStatistics(false);
    // A CRS in PAM is also stored in the attributes of the arrays, which other software reads.
    if (const OGRSpatialReference* srs = GDALPamDataset::GetSpatialRef()) {
        const OGRSpatialReference kept(*srs);
        SetSpatialRef(&kept);
    }
    XmlTree tree = RemoveStoredItems(XmlTree(GDALPamDataset::SerializeToXML("")), stored_metadata_);
    if (tree == nullptr) tree = NewPam();
    if (HasPixelReferences(*tree)) AddPamItems(*tree, kPamState, {{kSize, SizeText()}});
    std::vector<XmlTree> trees;
    if (arrays_.size() > 1) {
        trees = SplitPam(*tree, BandCounts());
        json::Value value = PamValue(tree.get());
        const json::Value* existing = arrays_[0]->facts().group_attributes.Find(kPamAttribute);
        if (existing != nullptr || !value.is_null())
            arrays_[0]->ChangeGroupAttribute(kPamAttribute, std::move(value));
    } else {
        if (nBands > 1 && NameBands(*tree, BandNames(*arrays_[0])))
            AddPamItems(*tree, kPamState, {{kBands, std::to_string(nBands)}});
        trees.push_back(std::move(tree));
    }
    // In a dataset with several arrays, the PAM of each band is stored in the band's array.
    for (std::size_t i = 0; i < arrays_.size() && i < trees.size(); ++i) {
        BandArray& array = *arrays_[i];
        // Statistics are stored with the fingerprint of their array. In a zip file it is known only
        // after the file is closed, so it is not stored.
        const auto found = fingerprints.find(&array);
        if (trees[i] != nullptr && found != fingerprints.end() && !address().is_below_vsizip())
            AddPamItems(*trees[i], kPamState, {{kStatisticsMadeFrom, found->second}});
        json::Value value = PamValue(trees[i].get());
        if (value.is_null() && array.facts().attributes.Find(kPamAttribute) == nullptr) continue;
        array.ChangeAttribute(kPamAttribute, std::move(value));
    }
    // The auxiliary file must record a mask file and an overview file, so it is kept for them.
    if (has_mask_ || !overviews_made_from_.empty()) {
        stored_pam_.reset(GDALPamDataset::SerializeToXML(""));
        return {};
    }
    nPamFlags &= ~GPF_DIRTY;
    // The store has all of the auxiliary file that this dataset knows.
    const XmlTree written = has_auxiliary_ ? ReadAuxiliary(sidecar_base_) : nullptr;
    const bool is_stored = written == nullptr || auxiliary_pam_ == nullptr ||
                           ElementText(*written) == ElementText(*auxiliary_pam_);
    if (has_auxiliary_ && is_stored) VSIUnlink((sidecar_base_ + ".aux.xml").c_str());
    has_auxiliary_ = has_auxiliary_ && !is_stored;
    return {};
}

namespace {

// True if a file of Erdas Imagine lies next to `base`, under a name that GDAL looks for. This check
// is faster than GDAL's attempt to open such a file.
bool MayHaveErdasFiles(const std::string& base) {
    constexpr const char* kExtensions[] = {"aux", "AUX"};
    return std::any_of(std::begin(kExtensions), std::end(kExtensions), [&](const char* extension) {
        return PathExists(CPLResetExtension(base.c_str(), extension)) ||
               PathExists(base + "." + extension);
    });
}

}  // namespace

// Loads PAM from the auxiliary file. `siblings` tells GDAL whether a local auxiliary file exists,
// so that GDAL need not look for it. GDAL still looks for files of Erdas Imagine.
void ZarrPamDataset::LoadAuxiliary(const CPLStringList& siblings) {
    CPLStringList shown(siblings);
    if (siblings.empty()) {
        shown.AddString(CPLGetFilename(sidecar_base_.c_str()));
        if (has_auxiliary_) shown.AddString(CPLGetFilename((sidecar_base_ + ".aux.xml").c_str()));
    }
    TryLoadXML(shown.List());
    if (siblings.empty() && !has_auxiliary_ && MayHaveErdasFiles(sidecar_base_)) TryLoadAux();
}

// Reads from which content statistics, the overview file and the mask file were made, if the
// auxiliary file records it.
void ZarrPamDataset::ReadState() {
    const auto take = [&](const char* item) {
        const char* value = GDALPamDataset::GetMetadataItem(item, kSidecarState);
        return std::string(value != nullptr ? value : "");
    };
    const std::string record = take(kStatisticsMadeFrom);
    overviews_made_from_ = take(kOverviewsMadeFrom);
    mask_made_from_ = take(kMaskMadeFrom);
    GDALDataset::SetMetadata(nullptr, kSidecarState);
    if (auxiliary_pam_ != nullptr ? !HoldsStatistics(*auxiliary_pam_) : record.empty()) return;
    are_statistics_unchecked_ = true;
    made_from_.clear();
    statistics_written_ = WrittenAt(sidecar_base_ + ".aux.xml");
    const CPLStringList texts(CSLTokenizeString2(record.c_str(), " ", 0));
    for (std::size_t i = 0; !texts.empty() && i < arrays_.size(); ++i) {
        const int index = static_cast<int>(i);
        made_from_[arrays_[i].get()] =
            index < texts.size() ? Sources().ComparedBeside(*arrays_[i], texts[index]) : "";
    }
}

void ZarrPamDataset::LoadSidecars(const OpenedAs& opened) {
    dataset_id_ = DatasetId(open_node_.node, opened.indices, EffectiveOptions());
    is_new_ = opened.is_new;
    LoadStoredPam();
    const AuxiliaryFile plain = opened.is_new          ? AuxiliaryFile()
                                : open_node_.auxiliary ? *open_node_.auxiliary
                                                       : LoadAuxiliaryFile(address());
    sidecar_base_ = SidecarBase(address(), dataset_id_, opened.is_by_path, plain);
    if (sidecar_base_ != GetDescription()) SetPhysicalFilename(sidecar_base_.c_str());
    const bool is_being_written = opened.is_new && StorePath(sidecar_base_).is_below_vsizip();
    const bool is_on = CPLTestBool(CPLGetConfigOption("GDAL_PAM_ENABLED", "YES"));
    has_auxiliary_ = is_on && WrittenAt(sidecar_base_ + ".aux.xml").has_value();
    CPLStringList siblings = SiblingsFor(plain, is_being_written);
    are_statistics_unchecked_ = HasStatistics();
    // Outdated statistics of the store are removed before GDAL loads the statistics of the
    // auxiliary file, because the removal affects all loaded statistics.
    if (has_auxiliary_) CheckStatistics();
    if (has_auxiliary_) auxiliary_pam_ = ReadAuxiliary(sidecar_base_);
    const XmlTree stored(auxiliary_pam_ != nullptr ? GDALPamDataset::SerializeToXML("") : nullptr);
    if (is_on) LoadAuxiliary(siblings);
    if (stored != nullptr) {
        // For each band that the file describes, GDAL has replaced what the file lacks by defaults.
        const XmlTree merged = CopyOf(*auxiliary_pam_);
        if (HoldsStatistics(*merged)) RemoveStatistics(*stored);
        AddMissing(*stored, *merged);
        XMLInit(merged.get(), "");
    }
    for (int i = 1; i <= nBands; ++i) Band(i)->PamLoaded();
    ReadState();
    if (nBands == 0) return;
    statistics_are_of_pixels_ = HasStatistics();
    if (!is_being_written) LoadMultidimPam();
    nPamFlags &= ~GPF_DIRTY;
    if (is_being_written)
        return oOvManager.Initialize(this, sidecar_base_.c_str(), siblings.List());
    LoadOverviewFile(siblings);
    LoadMask(siblings);
}

// Loads metadata that a user has set through the multidimensional API, or with GDAL's built-in
// driver.
void ZarrPamDataset::LoadMultidimPam() {
    const bool is_on = CPLTestBool(CPLGetConfigOption("GDAL_PAM_ENABLED", "YES"));
    if (!is_on || arrays_.size() != 1 || !IsWholeNode()) return;
    zarr::ChunkFiles files;
    const auto has_changed_since = [&](std::int64_t time) {
        files = zarr::ListChunkFiles(*arrays_[0]->elements());
        return !Sources().AreOlderThan(time);
    };
    const MultidimPam pam = ReadMultidimPam(store_path(), arrays_[0]->path(), has_changed_since);
    if (pam.crs.empty() && pam.statistics.empty()) return;
    const auto crs = zarr::SafeCrsText(pam.crs).value;
    OGRSpatialReference srs;
    srs.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    if (crs.ok() && GDALPamDataset::GetSpatialRef() == nullptr &&
        srs.importFromWkt(crs->c_str()) == OGRERR_NONE)
        GDALPamDataset::SetSpatialRef(&srs);
    CheckStatistics();
    if (nBands != 1 || HasStatistics()) return;
    for (const auto& [name, value] : ItemsOf(pam.statistics))
        Band(1)->GDALRasterBand::SetMetadataItem(name.c_str(), value.c_str());
    if (HasStatistics()) chunks_of_statistics_[arrays_[0].get()] = {std::move(files), ""};
}

void ZarrPamDataset::ForgetStatistics() {
    made_from_.clear();
    chunks_of_statistics_.clear();
    for (int i = 1; i <= nBands; ++i) Band(i)->ForgetStatistics();
}

void ZarrPamDataset::OnPixelsChange() {
    are_statistics_unchecked_ = false;
    chunks_of_statistics_.clear();
    if (!statistics_are_of_pixels_) return;
    statistics_are_of_pixels_ = false;
    ForgetStatistics();
    MarkPamDirty();
}

void ZarrPamDataset::OnStatisticsSet(const BandArray& array) {
    CheckStatistics();
    // Statistics are kept if the array is empty, because a user may set statistics for pixels that
    // will be written later.
    const auto is_empty = [&](const auto& one) {
        return update() != nullptr && update()->IsUnwritten(one->path());
    };
    if (std::all_of(arrays_.begin(), arrays_.end(), is_empty)) return;
    statistics_are_of_pixels_ = true;
    if (!is_level_ && chunks_of_statistics_.count(&array) == 0) RecordChunks(array);
}

// Shows an overview file to GDAL only if it was made from the present pixels. An outdated overview
// file is ignored, and stays until overviews are built again.
void ZarrPamDataset::LoadOverviewFile(const CPLStringList& siblings) {
    std::string base;
    if (arrays_.size() == 1 && IsWholeNode() && !WrittenAt(sidecar_base_ + ".ovr"))
        base = BuiltinOverviewBase(store_path(), *arrays_[0], BuiltinFileOf(*arrays_[0]));
    const bool is_own = base.empty();
    if (is_own) base = sidecar_base_;
    const std::string path = base + ".ovr";
    const auto written = WrittenAt(path);
    CPLStringList alone;
    // An older record is that of other overviews, before these were built without PAM.
    if (!overviews_made_from_.empty() && WrittenAt(sidecar_base_ + ".aux.xml") < written)
        overviews_made_from_.clear();
    const bool are_outdated =
        written && !(is_own ? Sources().AreSame(overviews_made_from_, *written)
                            : Sources().AreOlderThan(*written));
    if (are_outdated || !written || !is_own) overviews_made_from_.clear();
    replaces_overviews_ = are_outdated || !is_own;
    if (are_outdated) {
        alone.AddString(CPLGetFilename(base.c_str()));
        EmitWarning(path,
                    "is older than the raster, so it is not used; gdaladdo -ro "
                    "builds it again");
    }
    if (!are_outdated && is_own) alone = siblings;
    oOvManager.Initialize(this, base.c_str(), alone.List());
}

CPLErr ZarrPamDataset::BuildExternalOverviews(const OverviewRequest& request) {
    // The number of bands is checked here, because a TIFF file counts bands in 16 bits and GDAL
    // does not check it.
    constexpr int kMaxTiffBands = 65535;
    const bool has_any = !request.factors.empty();
    if (has_any && nBands > kMaxTiffBands)
        return EmitError(
            store_path(),
            Status::Unsupported("has " + std::to_string(nBands) +
                                " bands, more than the maximum of 65535 for overviews beside the "
                                "store; open it for update to build overviews in the store"));
    if (std::exchange(replaces_overviews_, false)) {
        VSIUnlink((sidecar_base_ + ".ovr").c_str());
        oOvManager.Initialize(this, sidecar_base_.c_str());
    }
    bool is_masked = false;
    for (int i = 1; has_any && !is_masked && i <= nBands; ++i) is_masked = StoredMask(i) != nullptr;
    if (is_masked)
        EmitWarning(store_path(),
                    "overviews beside the store have no mask, unlike the raster: they show "
                    "masked pixels as valid; open it for update to build them in the store");
    if (!oOvManager.IsInitialized()) oOvManager.Initialize(this, sidecar_base_.c_str());
    if (const Status flushed = FlushPixels(); !flushed.ok())
        return EmitError(store_path(), flushed);
    std::string made_from = has_any ? Sources().Record(samples_) : std::string();
    const CPLErr error = GDALPamDataset::IBuildOverviews(
        request.resampling.c_str(), static_cast<int>(request.factors.size()),
        request.factors.data(), static_cast<int>(request.bands.size()), request.bands.data(),
        request.progress, request.progress_data, request.options);
    if (error != CE_None) return error;
    const std::string before = std::exchange(overviews_made_from_, std::move(made_from));
    if (has_any || !before.empty()) MarkPamDirty();
    return CE_None;
}

// Loads the mask file by its path. GDAL itself would derive the file name from the name of the
// dataset, which may be a connection string.
void ZarrPamDataset::LoadMask(const CPLStringList& siblings) {
    const std::string path = sidecar_base_ + ".msk";
    const bool is_known = !mask_made_from_.empty();
    const auto written = WrittenAt(path);
    if (!written && !is_known && TakesNoRequests(path)) return;
    if (!Sources().AreMasked(mask_made_from_, written)) {
        CPLStringList alone;
        alone.AddString(CPLGetFilename(sidecar_base_.c_str()));
        // The list lacks the mask file, so GDAL remembers that no mask exists.
        oOvManager.HaveMaskFile(alone.List(), sidecar_base_.c_str());
        mask_made_from_.clear();
        return EmitWarning(path,
                           "is older than the array that it masks, so it is not used; write the "
                           "mask again, or touch the file if the mask is still right");
    }
    // GDAL would else look among the names that LoadOverviewFile() has given.
    CPLStringList with_mask(siblings);
    if (written || (is_known && !siblings.empty()))
        with_mask.AddString(CPLGetFilename(path.c_str()));
    has_mask_ = oOvManager.HaveMaskFile(with_mask.List(), sidecar_base_.c_str()) != FALSE;
    mask_made_from_ = has_mask_ ? Sources().RecordOf() : std::string();
}

CPLErr ZarrPamDataset::MakeMask(const std::function<CPLErr()>& make) {
    // The dataset's name is changed for a while, because GDAL derives the name of the mask file
    // from it. GDAL writes to a temporary file, because it writes at random offsets, which object
    // stores do not support.
    const std::string name = GetDescription();
    const CPLConfigOptionSetter through_a_file("CPL_VSIL_USE_TEMP_FILE_FOR_RANDOM_WRITE", "YES",
                                               true);
    GDALMajorObject::SetDescription(sidecar_base_.c_str());
    const CPLErr error = make();
    GDALMajorObject::SetDescription(name.c_str());
    if (error != CE_None) return error;
    has_mask_ = true;
    mask_made_from_ = Sources().RecordOf();
    MarkPamDirty();
    return CE_None;
}

XmlTree ZarrPamDataset::AuxiliaryPam(const std::map<const BandArray*, std::string>& fingerprints) {
    XmlTree own(GDALPamDataset::SerializeToXML(""));
    // Metadata that the store already holds is left out of the auxiliary file, because a copy there
    // would hide later changes of the store.
    if (own != nullptr && stored_pam_ != nullptr) RemoveShared(*own, *stored_pam_);
    XmlTree tree = RemoveStoredItems(std::move(own), stored_metadata_);
    if (tree == nullptr && mask_made_from_.empty() && overviews_made_from_.empty()) return tree;
    if (tree == nullptr) tree = NewPam();
    std::vector<std::pair<std::string, std::string>> items = {{kOwner, dataset_id_}};
    if (!mask_made_from_.empty()) items.emplace_back(kMaskMadeFrom, mask_made_from_);
    if (!overviews_made_from_.empty()) items.emplace_back(kOverviewsMadeFrom, overviews_made_from_);
    if (HoldsStatistics(*tree))
        items.emplace_back(kStatisticsMadeFrom, Sources().RecordOf(fingerprints));
    AddPamItems(*tree, kSidecarState, items);
    return tree;
}

CPLXMLNode* ZarrPamDataset::SerializeToXML(const char* /*pszPath*/) {
    return Guarded(store_path(), [&]() -> CPLXMLNode* {
        CheckStatistics();
        XmlTree tree = AuxiliaryPam(ForgetOutdatedStatistics(true));
        XmlTree before = std::exchange(auxiliary_pam_, tree != nullptr ? CopyOf(*tree) : nullptr);
        XmlTree written = ReadAuxiliary(sidecar_base_);
        if (written == nullptr) return tree.release();
        MergePam(before.get(), tree.get(), *written);
        return IsEmptyElement(*written) ? nullptr : written.release();
    });
}

// Returns the store's folder instead of its files, because GDAL deletes the listed files of the
// target before a copy. If a store were copied onto itself, the source would be lost.
char** ZarrPamDataset::GetFileList() {
    return Guarded(store_path(), [&]() -> char** {
        CPLStringList files(GDALPamDataset::GetFileList());
        // GDAL lists the base path of the sidecar files as a file, although no such file exists.
        // The entry is removed.
        const int base = files.FindString(sidecar_base_.c_str());
        if (base >= 0 && sidecar_base_ != store_path())
            files = CPLStringList(CSLRemoveStrings(files.StealList(), base, 1, nullptr));
        if (files.FindString(store_path().c_str()) < 0 && PathExists(store_path()))
            files = CPLStringList(CSLInsertString(files.StealList(), 0, store_path().c_str()));
        return files.StealList();
    });
}

}  // namespace zarr_driver

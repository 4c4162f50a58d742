// SPDX-License-Identifier: MIT
#include "driver/raster/pam_dataset.h"

#include <cpl_conv.h>
#include <cpl_minixml.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <utility>

#include "core/conventions/attributes/base_state.h"
#include "core/conventions/crs/crs_text.h"
#include "core/metadata/fill_meaning.h"
#include "core/store/local_file.h"
#include "driver/base/exception_guard.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/metadata_text.h"
#include "driver/raster/band.h"
#include "driver/raster/pam_merge.h"
#include "driver/store/store_address.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Status;
namespace json = zarr::json;

namespace {

// Returns the modification time of a local file; nullopt if the file is missing or remote.
std::optional<std::int64_t> WrittenAt(const std::string& path) {
    VSIStatBufL stat;
    if (!TakesNoRequests(path) || VSIStatL(path.c_str(), &stat) != 0) return std::nullopt;
    return zarr::ModificationTime(stat);
}

// Returns the contents of the local auxiliary file; nullptr if it is missing or not GDAL's.
XmlTree ReadAuxiliary(const std::string& sidecar_base) {
    const std::string path = sidecar_base + ".aux.xml";
    if (!WrittenAt(path)) return nullptr;
    const QuietErrors quiet;
    XmlTree tree(CPLParseXMLFile(path.c_str()));
    return tree != nullptr && EQUAL(tree->pszValue, "PAMDataset") ? std::move(tree) : nullptr;
}

void AddItem(CPLXMLNode* domain, const char* key, const std::string& value) {
    CPLXMLNode* const item = CPLCreateXMLElementAndValue(domain, "MDI", value.c_str());
    CPLAddXMLAttributeAndValue(item, "key", key);
}

// Compares two results of SourceState::Chunks(), which are empty if chunks could not be listed.
bool HaveChunksChanged(const std::string& before, const std::string& now) {
    return !before.empty() && !now.empty() && before != now;
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

// Returns the names of files next to a remote store. GDAL looks for sidecar files only under these
// names. An empty list means that GDAL must send requests to find the sidecar files.
// `plain` describes the auxiliary file of the store's own dataset, such as x.zarr.aux.xml.
// `is_plain` is true if this dataset uses that file. The auxiliary file of another dataset is
// requested only if `plain` exists. Most stores thus need one request, and not the half dozen that
// GDAL sends.
CPLStringList ZarrPamDataset::RemoteSiblings(const AuxiliaryFile& plain, bool is_plain) const {
    CPLStringList siblings;
    const std::string auxiliary = sidecar_base_ + ".aux.xml";
    if (!open_node_.address.is_remote()) return siblings;
    if (CPLTestBool(CPLGetConfigOption("GDAL_PAM_ENABLED", "YES")) && !StorePath(auxiliary).Url())
        return siblings;
    siblings.AddString(CPLGetFilename(sidecar_base_.c_str()));
    if (plain.is_there && (is_plain || FetchSidecar(auxiliary, nullptr)))
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

// Enables PAM in memory, even if options forbid GDAL to write sidecar files, because an attribute
// of the store can hold PAM.
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
constexpr const char* kMadeIn = "MADE_IN";  // SourceState::folder_id(), stored with MADE_FROM
constexpr const char* kMadeOf = "MADE_OF";  // BaseState() of the array, stored with MADE_FROM
constexpr const char* kSize = "SIZE";       // size of the raster that control points refer to
constexpr const char* kBands = "BANDS";     // number of bands when PAM was stored

void AddState(const StoreAddress& store, const BandArray& array, SourceState& state) {
    state.Add(store, *array.elements());
    const auto add = [&](std::string_view name) {
        if (const json::Value* value = array.facts().attributes.Find(name))
            state.Add(std::string(name) + json::Dump(*value));
    };
    for (const std::string_view name : zarr::kNodataAttributes) add(name);
    add("_Unsigned");
    const zarr::ArrayMetadata& metadata = array.facts().metadata;
    const bool is_v3 = metadata.format == zarr::Format::kV3;
    if (is_v3 && zarr::FillMeansMissing(metadata, array.facts().attributes))
        state.Add("fill value is nodata");
}

// Returns the state of the chunks and metadata of `array`. Statistics of `array` are valid as long
// as this state does not change.
SourceState StateOf(const StoreAddress& store, const BandArray& array) {
    SourceState state = SourceState::LikeFolder();
    AddState(store, array, state);
    return state;
}

}  // namespace

// True if the statistics in `tree` were computed from the current pixels of `array`. Compares the
// array's metadata, and the sizes and modification times of its chunks, with the record in `tree`.
// If the array's folder has another inode than recorded, the store was copied and its times are
// new. Digests of sampled chunks are compared in this case, because equal sizes of chunks do not
// prove equal pixels.
bool ZarrPamDataset::AreStatisticsOfPixels(const CPLXMLNode& tree, const BandArray& array) {
    const std::string made_from = PamItem(tree, kPamState, kMadeFrom);
    if (made_from.empty()) return true;
    const SourceState state = StateOf(address(), array);
    chunks_of_statistics_[&array] = state.Chunks();
    if (state.Text() == made_from) return true;
    const bool is_copy = PamItem(tree, kPamState, kMadeIn) != std::to_string(state.folder_id());
    constexpr auto kNeverOlder = std::numeric_limits<std::int64_t>::max();
    if (!state.Matches(made_from, is_copy ? std::optional(kNeverOlder) : std::nullopt))
        return false;
    return zarr::IsInState(*array.elements(), PamItem(tree, kPamState, kMadeOf));
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
    XmlTree builtin = BuiltinPam(BuiltinFileOf(array), array,
                                 [&] { return StateOf(address(), array).newest_chunk(); });
    if (builtin == nullptr || tree == nullptr)
        return tree != nullptr ? std::move(tree) : std::move(builtin);
    if (HoldsStatistics(*tree)) RemoveStatistics(*builtin);
    AddMissing(*builtin, *tree);
    return tree;
}

bool ZarrPamDataset::LoadStoredPam() {
    if (!ShowsWholeNode()) return false;
    const bool has_own_nodata = options_.fill_value_as_nodata != zarr::FillAsNodata::kAuto;
    std::vector<XmlTree> trees;
    bool has_any = false, has_statistics = false;
    for (const auto& array : arrays_) {
        trees.push_back(StoredPamOf(*array));
        if (trees.back() == nullptr) continue;
        has_any = true;
        if (has_own_nodata) RemoveStatistics(*trees.back());
        has_statistics = has_statistics || HoldsStatistics(*trees.back());
    }
    XmlTree tree;
    if (arrays_.size() == 1) {
        tree = std::move(trees[0]);
    } else {
        XmlTree group = ReadPam(arrays_[0]->facts().group_attributes);
        if (has_any || group != nullptr)
            tree = JoinPam(std::move(group), std::move(trees), BandCounts());
    }
    if (tree == nullptr) return false;
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
    return has_statistics;
}

void ZarrPamDataset::CheckStatistics() {
    if (!std::exchange(are_statistics_unchecked_, false)) return;
    for (const auto& array : arrays_) {
        const XmlTree tree = ReadPam(array->facts().attributes);
        if (tree == nullptr || !HoldsStatistics(*tree) || AreStatisticsOfPixels(*tree, *array))
            continue;
        ForgetStatisticsOf(*array);
    }
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

// Removes statistics whose chunks another process has changed since. Returns the states of the
// arrays whose statistics stay, as they were compared.
std::map<const BandArray*, SourceState> ZarrPamDataset::ForgetOutdatedStatistics() {
    std::map<const BandArray*, SourceState> states;
    for (const BandArray* const array : ArraysWithStatistics()) {
        const SourceState state = StateOf(address(), *array);
        const auto recorded = chunks_of_statistics_.find(array);
        if (recorded != chunks_of_statistics_.end() &&
            HaveChunksChanged(recorded->second, state.Chunks()))
            ForgetStatisticsOf(*array);
        else
            states.emplace(array, state);
    }
    return states;
}

void ZarrPamDataset::RecordChunks(const BandArray& array) {
    // Pending pixels would change the chunks afterwards. An error stays for the next flush.
    if (address().is_below_vsizip() && update() != nullptr) return;
    if (!FlushPixels().ok()) return;
    chunks_of_statistics_[&array] = StateOf(address(), array).Chunks();
}

void ZarrPamDataset::RecordLoadedStatistics() {
    if (are_statistics_unchecked_) return;
    for (const BandArray* const array : ArraysWithStatistics())
        if (chunks_of_statistics_.count(array) == 0) RecordChunks(*array);
}

void ZarrPamDataset::BeforeStatistics(ZarrRasterBand& band) {
    CheckStatistics();
    if (is_level_) return;
    const BandArray& array = band.array();
    const auto recorded = chunks_of_statistics_.find(&array);
    // Chunks are listed again only for statistics that replace others, because listings are slow.
    if (recorded != chunks_of_statistics_.end() && !band.HasStatistics()) return;
    const std::string before =
        recorded != chunks_of_statistics_.end() ? recorded->second : std::string();
    RecordChunks(array);
    const std::string now = chunks_of_statistics_[&array];
    if (!HaveChunksChanged(before, now)) return;
    ForgetStatisticsOf(array);
    chunks_of_statistics_[&array] = now;
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
    const std::map<const BandArray*, SourceState> states = ForgetOutdatedStatistics();
    // A CRS in PAM is also stored in the attributes of the arrays, which other software reads.
    if (const OGRSpatialReference* srs = GDALPamDataset::GetSpatialRef()) {
        const OGRSpatialReference kept(*srs);
        SetSpatialRef(&kept);
    }
    XmlTree tree(RemoveStoredItems(GDALPamDataset::SerializeToXML(""), stored_metadata_));
    if (tree == nullptr) tree.reset(CPLCreateXMLNode(nullptr, CXT_Element, "PAMDataset"));
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
        // Statistics are stored with the state of their chunks. In a zip file this state is known
        // only after the file is closed, so it is not stored.
        const auto found = states.find(&array);
        if (trees[i] != nullptr && found != states.end() && !address().is_below_vsizip()) {
            const SourceState& state = found->second;
            AddPamItems(*trees[i], kPamState,
                        {{kMadeFrom, state.Text()},
                         {kMadeIn, std::to_string(state.folder_id())},
                         {kMadeOf, zarr::BaseState(*array.elements(), samples_)}});
        }
        json::Value value = PamValue(trees[i].get());
        if (value.is_null() && array.facts().attributes.Find(kPamAttribute) == nullptr) continue;
        array.ChangeAttribute(kPamAttribute, std::move(value));
    }
    // The auxiliary file must record a mask file and an overview file, so it is kept for them.
    if (has_mask_ || !overview_documents_.empty()) {
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

// Loads the PAM of the store, `stored`, again behind that of the auxiliary file: for each band that
// the file describes, GDAL has replaced what the file lacks by defaults.
void ZarrPamDataset::RestoreMissing(CPLXMLNode& stored) {
    const XmlTree merged = ReadAuxiliary(sidecar_base_);
    if (merged == nullptr) return;
    if (HoldsStatistics(*merged)) RemoveStatistics(stored);
    AddMissing(stored, *merged);
    XMLInit(merged.get(), "");
}

void ZarrPamDataset::LoadSidecars(const OpenedAs& opened) {
    dataset_id_ = DatasetId(open_node_.node, opened.indices, EffectiveOptions());
    is_new_ = opened.is_new;
    const bool has_stored_statistics = LoadStoredPam();
    const AuxiliaryFile plain = opened.is_new          ? AuxiliaryFile()
                                : open_node_.auxiliary ? *open_node_.auxiliary
                                                       : LoadAuxiliaryFile(address());
    sidecar_base_ = SidecarBase(address(), dataset_id_, opened.is_by_path, plain);
    if (sidecar_base_ != GetDescription()) SetPhysicalFilename(sidecar_base_.c_str());
    // A zip file that is being written cannot be read and contains no sidecar files, so none are
    // looked for.
    const bool is_being_written = opened.is_new && StorePath(sidecar_base_).is_below_vsizip();
    const bool is_on = CPLTestBool(CPLGetConfigOption("GDAL_PAM_ENABLED", "YES"));
    const bool is_plain = sidecar_base_ == store_path();
    has_auxiliary_ = plain.is_local && is_plain
                         ? plain.is_there
                         : is_on && WrittenAt(sidecar_base_ + ".aux.xml").has_value();
    CPLStringList siblings(RemoteSiblings(plain, is_plain));
    // Creation has deleted the sidecar files of an old remote store.
    const bool is_new_remote = opened.is_new && open_node_.address.is_remote();
    if (siblings.empty() && (is_being_written || is_new_remote))
        siblings.AddString(CPLGetFilename(sidecar_base_.c_str()));
    are_statistics_unchecked_ = has_stored_statistics;
    // Outdated statistics of the store are removed before GDAL loads the statistics of the
    // auxiliary file, because the removal affects all loaded statistics.
    if (has_auxiliary_) CheckStatistics();
    const XmlTree stored(is_on && has_auxiliary_ ? GDALPamDataset::SerializeToXML("") : nullptr);
    if (is_on) LoadAuxiliary(siblings);
    if (stored != nullptr) RestoreMissing(*stored);
    for (int i = 1; i <= nBands; ++i) Band(i)->PamLoaded();
    const auto take = [&](const char* item) {
        const char* value = GDALPamDataset::GetMetadataItem(item, kSidecarDomain);
        return std::string(value != nullptr ? value : "");
    };
    source_state_ = take(kSidecarMadeFrom);
    mask_documents_ = take(kSidecarMask);
    overview_documents_ = take(kSidecarOverviews);
    GDALDataset::SetMetadata(nullptr, kSidecarDomain);
    if (has_auxiliary_) auxiliary_pam_ = ReadAuxiliary(sidecar_base_);
    if (nBands == 0) return;
    if (HasStatistics() && !AreStatisticsCurrent()) ForgetStatistics();
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
    const MultidimPam pam = ReadMultidimPam(store_path(), arrays_[0]->path(),
                                            [this] { return StateOfSources().newest_chunk(); });
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
}

SourceState ZarrPamDataset::StateOfSources() const {
    SourceState state;
    for (const auto& array : arrays_) AddState(address(), *array, state);
    return state;
}

bool ZarrPamDataset::HasStatistics() {
    for (int i = 1; i <= nBands; ++i)
        if (Band(i)->HasStatistics()) return true;
    return false;
}

bool ZarrPamDataset::AreStatisticsCurrent() {
    const auto written = WrittenAt(sidecar_base_ + ".aux.xml");
    // Without a sidecar file, all statistics come from attributes. CheckStatistics() checks
    // statistics from attributes, so this function accepts them.
    if (!written && source_state_.empty()) return true;
    const SourceState state = StateOfSources();
    if (!source_state_.empty()) return state.Matches(source_state_, written);
    // Another program has written the statistics, so the sidecar file does not record the state of
    // the chunks. Modification times decide whether the statistics are current.
    return !written || std::max(state.newest_chunk(), state.newest_document()) <= *written;
}

void ZarrPamDataset::ForgetStatistics() {
    source_state_.clear();
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

// Shows an overview file to GDAL only if the file is at least as new as the store. An outdated
// overview file is ignored, and stays until overviews are built again.
void ZarrPamDataset::LoadOverviewFile(const CPLStringList& siblings) {
    std::string base = sidecar_base_;
    if (arrays_.size() == 1 && IsWholeNode() && !WrittenAt(base + ".ovr"))
        if (std::string builtin =
                BuiltinOverviewBase(store_path(), *arrays_[0], BuiltinFileOf(*arrays_[0]));
            !builtin.empty())
            base = std::move(builtin);
    const bool is_own = base == sidecar_base_;
    const std::string path = base + ".ovr";
    const auto written = WrittenAt(path);
    CPLStringList alone;
    bool are_outdated = false;
    std::string documents;
    if (written) {
        const SourceState state = StateOfSources();
        are_outdated = state.newest_chunk() > *written ||
                       (is_own && state.MayBeReplacedSince(*written, overview_documents_));
        if (is_own && !are_outdated) documents = state.Documents();
    }
    overview_documents_ = std::move(documents);
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
    const CPLErr error = GDALPamDataset::IBuildOverviews(
        request.resampling.c_str(), static_cast<int>(request.factors.size()),
        request.factors.data(), static_cast<int>(request.bands.size()), request.bands.data(),
        request.progress, request.progress_data, request.options);
    if (error != CE_None) return error;
    const bool had_any = !overview_documents_.empty();
    overview_documents_ = has_any ? StateOfSources().Documents() : std::string();
    if (has_any || had_any) MarkPamDirty();
    return CE_None;
}

// Loads the mask file by its path. GDAL itself would derive the file name from the name of the
// dataset, which may be a connection string.
void ZarrPamDataset::LoadMask(const CPLStringList& siblings) {
    const std::string path = sidecar_base_ + ".msk";
    const bool is_known = !mask_documents_.empty();
    const auto written = WrittenAt(path);
    if (!written && !is_known && TakesNoRequests(path)) return;
    const SourceState state = StateOfSources();
    if (written && state.MayBeReplacedSince(*written, mask_documents_)) {
        CPLStringList alone;
        alone.AddString(CPLGetFilename(sidecar_base_.c_str()));
        // The list lacks the mask file, so GDAL remembers that no mask exists.
        oOvManager.HaveMaskFile(alone.List(), sidecar_base_.c_str());
        mask_documents_.clear();
        return EmitWarning(path,
                           "is older than the array that it masks, so it is not used; write the "
                           "mask again, or touch the file if the mask is still right");
    }
    CPLStringList with_mask(siblings);
    if (is_known && !siblings.empty()) with_mask.AddString(CPLGetFilename(path.c_str()));
    has_mask_ = oOvManager.HaveMaskFile(with_mask.List(), sidecar_base_.c_str()) != FALSE;
    mask_documents_ = has_mask_ ? state.Documents() : std::string();
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
    mask_documents_ = StateOfSources().Documents();
    MarkPamDirty();
    return CE_None;
}

XmlTree ZarrPamDataset::AuxiliaryPam() {
    CPLXMLNode* const own = GDALPamDataset::SerializeToXML("");
    // Metadata that the store already holds is left out of the auxiliary file, because a copy there
    // would hide later changes of the store.
    if (own != nullptr && stored_pam_ != nullptr) RemoveShared(*own, *stored_pam_);
    XmlTree tree(RemoveStoredItems(own, stored_metadata_));
    if (tree == nullptr && mask_documents_.empty() && overview_documents_.empty()) return tree;
    if (tree == nullptr) tree.reset(CPLCreateXMLNode(nullptr, CXT_Element, "PAMDataset"));
    CPLXMLNode* const domain = CPLCreateXMLNode(tree.get(), CXT_Element, "Metadata");
    CPLAddXMLAttributeAndValue(domain, "domain", kSidecarDomain);
    AddItem(domain, kSidecarOwner, dataset_id_);
    if (!mask_documents_.empty()) AddItem(domain, kSidecarMask, mask_documents_);
    if (!overview_documents_.empty()) AddItem(domain, kSidecarOverviews, overview_documents_);
    if (HoldsStatistics(*tree)) AddItem(domain, kSidecarMadeFrom, source_state_);
    return tree;
}

CPLXMLNode* ZarrPamDataset::SerializeToXML(const char* /*pszPath*/) {
    return Guarded(store_path(), [&]() -> CPLXMLNode* {
        CheckStatistics();
        if (HasStatistics() && source_state_.empty()) source_state_ = StateOfSources().Text();
        ForgetOutdatedStatistics();
        XmlTree tree = AuxiliaryPam();
        XmlTree before = std::exchange(auxiliary_pam_, tree != nullptr ? CopyOf(*tree) : nullptr);
        XmlTree written = ReadAuxiliary(sidecar_base_);
        if (written == nullptr) return tree.release();
        MergePam(before.get(), tree.get(), {kSidecarDomain, kSidecarMadeFrom}, *written);
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

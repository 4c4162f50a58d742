// SPDX-License-Identifier: MIT
// The part of ZarrDataset that knows the files beside the store.
#include <cpl_conv.h>
#include <cpl_minixml.h>

#include <algorithm>

#include "core/conventions/values.h"
#include "driver/auxiliary.h"
#include "driver/band.h"
#include "driver/dataset.h"
#include "driver/guard.h"
#include "driver/remote_url.h"
#include "driver/report.h"
#include "driver/sidecar_names.h"
#include "driver/vsi_store.h"
#include "driver/zip_writer.h"

namespace zarr_driver {

namespace json = zarr::json;

namespace {

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

// What lies beside a store on a web server, as far as GDAL looks for it: its auxiliary file, which
// takes one question in place of half a dozen. One of its own a dataset has where the store has
// one, too. Empty for other stores, where GDAL looks itself.
CPLStringList ZarrDataset::RemoteSiblings(const PlainAuxiliary& plain, bool is_plain) const {
    CPLStringList siblings;
    const std::string auxiliary = sidecar_base_ + ".aux.xml";
    if (!IsRemote(sidecar_base_)) return siblings;
    if (CPLTestBool(CPLGetConfigOption("GDAL_PAM_ENABLED", "YES")) && !RemoteUrl(auxiliary, ""))
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
    // Whoever sets them before there are pixels means those that will be.
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

}  // namespace zarr_driver

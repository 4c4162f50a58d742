// SPDX-License-Identifier: MIT
#include "driver/raster/band.h"

#include <cpl_string.h>

#include <algorithm>
#include <climits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/cf/flags.h"
#include "core/conventions/cf/nodata.h"
#include "core/conventions/facts/array_facts.h"
#include "core/dtype/fill_value.h"
#include "core/store/keys.h"
#include "driver/base/exception_guard.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/metadata_text.h"
#include "driver/raster/absent_blocks.h"
#include "driver/raster/band_colours.h"
#include "driver/raster/load_ahead.h"
#include "driver/raster/nodata_element.h"
#include "driver/raster/pixel_statistics.h"
#include "driver/raster/shown_metadata.h"
#include "driver/raster/stored_pam.h"

namespace zarr_driver {

using zarr::Status;
namespace json = zarr::json;

namespace {

int BlockSize(const RasterLayout& layout, const std::optional<std::size_t>& axis) {
    if (!axis) return 1;
    return static_cast<int>(std::min<std::uint64_t>(layout.facts.metadata.chunks[*axis], INT_MAX));
}

// True for the default metadata domain. Only this domain shows the coordinates of slices, which are
// slow to read. GDAL asks for items of other domains whenever it reads pixels.
bool IsDefaultDomain(const char* domain) { return domain == nullptr || domain[0] == '\0'; }

void SetSuccess(int* success, bool value) {
    if (success != nullptr) *success = value ? TRUE : FALSE;
}

}  // namespace

ZarrRasterBand::ZarrRasterBand(ZarrDataset* dataset, int number, BandArray& array,
                               std::uint64_t slice, const ScalarField& field,
                               std::string description)
    : array_(array),
      slice_(slice),
      field_(field),
      pixels_(*dataset, array, slice, field),
      description_(std::move(description)),
      has_description_(!description_.empty()) {
    poDS = dataset;
    nBand = number;
    eDataType = GdalTypeOf(field.type);
    nRasterXSize = array.layout().Width();
    nRasterYSize = array.layout().Height();
    nBlockXSize = BlockSize(array.layout(), array.layout().x_axis);
    nBlockYSize = BlockSize(array.layout(), array.layout().y_axis);
    ReadConventions();
    DescribeStructure();
}

void ZarrRasterBand::DescribeStructure() {
    CPLStringList items;
    if (field_.type.kind == zarr::DataKind::kBool) items.SetNameValue("NBITS", "1");
    if (const std::string name = CompressionName(array_.facts().metadata); !name.empty())
        items.AddString(("COMPRESSION=" + name).c_str());
    constexpr const char* kDomain = "IMAGE_STRUCTURE";
    if (!items.empty() || GDALRasterBand::GetMetadata(kDomain) != nullptr)
        GDALRasterBand::SetMetadata(items.List(), kDomain);
}

void ZarrRasterBand::ReadConventions() {
    const zarr::ArrayFacts& facts = array_.facts();
    const zarr::Packing& packing = array_.packing.value;
    zarr::Warnings warnings = array_.packing.warnings;
    const zarr::BandStatement own = array_.lists.Of(facts.attributes, BandInLists());
    scale_ = packing.scale ? packing.scale : own.scale;
    offset_ = packing.offset ? packing.offset : own.offset;
    for (const std::string& name : zarr::FlagNames(facts.attributes).Report(warnings))
        categories_.AddString(name.c_str());
    units_ = zarr::UnitsOf(field_.type, packing);
    if (units_.empty()) units_ = own.units.value_or("");
    const std::optional<zarr::FillValue> nodata = ArrayNodata();
    if (nodata && field_.type.kind != zarr::DataKind::kBool) {
        const bool is_field = facts.metadata.dtype.kind == zarr::DataKind::kStruct;
        nodata_ = nodata->Part(is_field ? field_.offset : 0, field_.type.size);
    }
    if (const ZarrRasterBand* const base = Base()) FollowLists(*base);
    if (slice_ == 0 && (nBand == 1 || !field_.name.empty()))
        EmitWarnings(dataset()->store_path() + ": /" + facts.path, warnings);
}

std::size_t ZarrRasterBand::BandInLists() const {
    const std::vector<std::size_t>& axes = array_.layout().other_axes;
    for (std::size_t i = 0; i < axes.size(); ++i)
        if (array_.lists.axis() == axes[i]) return static_cast<std::size_t>(indices()[i]);
    return 0;
}

// Returns the nodata value that the array states for this band.
std::optional<zarr::FillValue> ZarrRasterBand::ArrayNodata() const {
    const auto entry = array_.lists.EntryOf(BandInLists(), array_.nodata_of_bands.size());
    return entry ? array_.nodata_of_bands[*entry] : array_.nodata;
}

// Takes over the values that lists state for the band at full resolution. The array of an overview
// has copies of the lists, but may lack the coordinates that number their entries.
void ZarrRasterBand::FollowLists(const ZarrRasterBand& base) {
    const zarr::BandStatement own =
        base.array_.lists.Of(base.array_.facts().attributes, base.BandInLists());
    if (own.scale) scale_ = base.scale_;
    if (own.offset) offset_ = base.offset_;
    if (own.units) units_ = base.units_;
    if (!base.array_.nodata_of_bands.empty()) nodata_ = base.nodata_;
}

// ---------------------------------------------------------------------------------------------
// Pixels

PixelWindow ZarrRasterBand::BlockWindow(int block_x, int block_y) const {
    PixelWindow window{};
    window.x_off = block_x * nBlockXSize;
    window.y_off = block_y * nBlockYSize;
    window.x_size = std::min(nBlockXSize, nRasterXSize - window.x_off);
    window.y_size = std::min(nBlockYSize, nRasterYSize - window.y_off);
    // GDAL's block cache keeps the whole block. This driver's cache therefore keeps only chunks of
    // which the block is a part.
    window.keep = zarr::CachePolicy::kPartlyRead;
    return window;
}

ZarrRasterBand::BlockRange ZarrRasterBand::BlocksOf(const PixelWindow& window) const {
    return {window.x_off / nBlockXSize, window.y_off / nBlockYSize,
            (window.x_off + window.x_size - 1) / nBlockXSize,
            (window.y_off + window.y_size - 1) / nBlockYSize};
}

void ZarrRasterBand::ArrayReplaced() {
    pixels_.SetIndices(array_.layout().SliceIndices(slice_));
    has_labels_ = false;
    if (!is_named_) return;
    const std::string name = std::exchange(description_, std::string());
    has_description_ = is_named_ = false;
    if (name != ArrayDescription()) SetDescription(name.c_str());
}

CPLErr ZarrRasterBand::Report(const Status& status) const {
    return status.ok() ? CE_None : EmitError(dataset()->store_path(), status);
}

CPLErr ZarrRasterBand::Write(const PixelWindow& window, const void* data,
                             const BufferLayout& buffer) {
    if (dataset()->update() == nullptr) return dataset()->ReportReadOnly();
    const RasterRole& role = dataset()->role();
    if (role.is_mask) role.raster->overviews().WarnOfWrite(role.BandOf(nBand)->array_.layout());
    const Status prepared = NewRasterWork::Do(dataset()->new_raster().before_pixels);
    if (!prepared.ok()) return Report(prepared);
    dataset()->overviews().WarnOfWrite(array_.layout());
    dataset()->OnPixelsChange();
    return Report(pixels_.Write(window, data, buffer));
}

CPLErr ZarrRasterBand::IReadBlock(int nBlockXOff, int nBlockYOff, void* pData) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        const int size = GDALGetDataTypeSizeBytes(eDataType);
        const PixelWindow window = BlockWindow(nBlockXOff, nBlockYOff);
        return Report(
            pixels_.Read(window, pData, {eDataType, size, GSpacing{size} * nBlockXSize, 0}));
    });
}

CPLErr ZarrRasterBand::IWriteBlock(int nBlockXOff, int nBlockYOff, void* pData) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        const int size = GDALGetDataTypeSizeBytes(eDataType);
        PixelWindow window = BlockWindow(nBlockXOff, nBlockYOff);
        // The chunk becomes pending and is stored later, because GDAL would discard all its dirty
        // blocks if storing failed here. Pending chunks are encoded in parallel.
        window.whole_chunks = zarr::WholeChunks::kPending;
        return Write(window, pData, {eDataType, size, GSpacing{size} * nBlockXSize, 0});
    });
}

CPLErr ZarrRasterBand::IRasterIO(GDALRWFlag eRWFlag, int nXOff, int nYOff, int nXSize, int nYSize,
                                 void* pData, int nBufXSize, int nBufYSize, GDALDataType eBufType,
                                 GSpacing nPixelSpace, GSpacing nLineSpace,
                                 GDALRasterIOExtraArg* psExtraArg) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        const PixelWindow window{nXOff, nYOff, nXSize, nYSize};
        const bool is_resampled = nXSize != nBufXSize || nYSize != nBufYSize;
        if (is_resampled) {
            if (eRWFlag == GF_Read)
                LoadBlocksFor(*this, window, {nBufXSize, nBufYSize}, psExtraArg);
            return GDALPamRasterBand::IRasterIO(eRWFlag, nXOff, nYOff, nXSize, nYSize, pData,
                                                nBufXSize, nBufYSize, eBufType, nPixelSpace,
                                                nLineSpace, psExtraArg);
        }
        // GDAL's block cache is written to the store first, because its dirty blocks are newer than
        // the store. All other cached blocks are discarded, because this write makes them outdated.
        if (dataset()->update() != nullptr && GDALRasterBand::FlushCache(false) != CE_None)
            return CE_Failure;
        const BufferLayout buffer{eBufType, nPixelSpace, nLineSpace, 0};
        const CPLErr error = eRWFlag == GF_Read ? Report(pixels_.Read(window, pData, buffer))
                                                : Write(window, pData, buffer);
        if (error != CE_None || psExtraArg == nullptr || psExtraArg->pfnProgress == nullptr)
            return error;
        return psExtraArg->pfnProgress(1.0, "", psExtraArg->pProgressData) ? CE_None : CE_Failure;
    });
}

CPLErr ZarrRasterBand::AdviseRead(int nXOff, int nYOff, int nXSize, int nYSize, int nBufXSize,
                                  int nBufYSize, GDALDataType /*eBufType*/,
                                  NameValueList /*papszOptions*/) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        const bool is_inside = nXOff >= 0 && nYOff >= 0 && nXSize > 0 && nYSize > 0 &&
                               nXSize <= nRasterXSize - nXOff && nYSize <= nRasterYSize - nYOff;
        // If the window lies outside of the raster, nothing is loaded. The later read reports the
        // error.
        if (is_inside && dataset()->update() == nullptr)
            LoadForWindow(*this, {nXOff, nYOff, nXSize, nYSize}, {nBufXSize, nBufYSize}, nullptr);
        return CE_None;
    });
}

CPLErr ZarrRasterBand::ComputeStatistics(int bApproxOK, double* pdfMin, double* pdfMax,
                                         double* pdfMean, double* pdfStdDev,
                                         GDALProgressFunc pfnProgress, void* pProgressData) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        dataset()->BeforeStatistics(*this);
        AbsentBlocks absent(*this);
        if (bApproxOK != FALSE || !absent.SaveMostReads())
            return GDALPamRasterBand::ComputeStatistics(bApproxOK, pdfMin, pdfMax, pdfMean,
                                                        pdfStdDev, pfnProgress, pProgressData);
        PixelStatistics statistics;
        Status status = absent.AddPixels(statistics, pfnProgress, pProgressData);
        if (status.ok() && statistics.count() == 0)
            status = Status::Invalid("Failed to compute statistics, no valid pixels found");
        if (!status.ok()) return Report(status);
        const auto all = static_cast<GUIntBig>(nRasterXSize) * static_cast<GUIntBig>(nRasterYSize);
        SetStatistics(statistics.minimum(), statistics.maximum(), statistics.mean(),
                      statistics.standard_deviation());
        SetValidPercent(all, statistics.count());
        const auto give = [](double* to, double value) {
            if (to != nullptr) *to = value;
        };
        give(pdfMin, statistics.minimum());
        give(pdfMax, statistics.maximum());
        give(pdfMean, statistics.mean());
        give(pdfStdDev, statistics.standard_deviation());
        return CE_None;
    });
}

int ZarrRasterBand::IGetDataCoverageStatus(int nXOff, int nYOff, int nXSize, int nYSize,
                                           int nMaskFlagStop, double* pdfDataPct) {
    return Guarded(dataset()->store_path(), [&]() -> int {
        const auto coverage =
            AbsentBlocks(*this).CoverageOf({nXOff, nYOff, nXSize, nYSize}, nMaskFlagStop);
        if (!coverage)
            return GDALPamRasterBand::IGetDataCoverageStatus(nXOff, nYOff, nXSize, nYSize,
                                                             nMaskFlagStop, pdfDataPct);
        if (pdfDataPct != nullptr) *pdfDataPct = coverage->percent;
        return coverage->status;
    });
}

// ---------------------------------------------------------------------------------------------
// Metadata

CPLXMLNode* ZarrRasterBand::SerializeToXML(const char* pszVRTPath) {
    return Guarded(dataset()->store_path(), [&]() -> CPLXMLNode* {
        is_serializing_ = true;
        CPLXMLNode* node = GDALPamRasterBand::SerializeToXML(pszVRTPath);
        is_serializing_ = false;
        return RemoveStoredItems(XmlTree(node), stored_metadata_).release();
    });
}

void ZarrRasterBand::PamLoaded() {
    if (psPam == nullptr) return;
    if (psPam->dfScale == 1) psPam->bScaleSet = false;
    if (psPam->dfOffset == 0) psPam->bOffsetSet = false;
    DescribeStructure();
}

const char* ZarrRasterBand::GetDescription() const {
    return Guarded(
        dataset()->store_path(),
        [&]() -> const char* {
            if (is_serializing_) return GDALPamRasterBand::GetDescription();
            const char* from_pam = GDALPamRasterBand::GetDescription();
            return from_pam[0] != '\0' ? from_pam : ArrayDescription().c_str();
        },
        "");
}

const std::string& ZarrRasterBand::ArrayDescription() const {
    if (!has_description_) {
        has_description_ = true;
        description_ = array_.labels->Description(slice_, NamedAxis());
    }
    return description_;
}

// Returns the name that lists of the array give this band; nullopt if they give none.
std::optional<SliceLabels::Name> ZarrRasterBand::NamedAxis() const {
    auto name = array_.lists.Of(array_.facts().attributes, BandInLists()).name;
    if (!name) return std::nullopt;
    return SliceLabels::Name{array_.lists.axis(), std::move(*name)};
}

std::string ZarrRasterBand::StoredName(bool are_names) const {
    return are_names || is_named_ ? ArrayDescription() : std::string();
}

void ZarrRasterBand::LoadAttributes() {
    if (has_attributes_) return;
    has_attributes_ = true;
    if (dataset()->BandsHaveArrays()) AddArrayAttributes(array_, stored_metadata_);
    if (const zarr::OmeroChannel* channel = array_.channels.Find(indices()))
        AddChannelMetadata(*channel, stored_metadata_);
    if (field_.type.is_time())
        stored_metadata_.SetNameValue("ZARR_DTYPE", field_.type.ToString().c_str());
    ShowStoredMetadata();
}

// Shows the store's metadata as metadata of the band. Calls functions of GDALRasterBand, because
// the functions of GDALPamRasterBand would save the metadata in a sidecar file.
void ZarrRasterBand::ShowStoredMetadata() {
    MetadataItems items(GDALPamRasterBand::GetMetadata());
    items.Add(stored_metadata_.List());
    GDALRasterBand::SetMetadata(items.List().List());
}

void ZarrRasterBand::LoadLabels() {
    dataset()->CheckStatistics();
    LoadAttributes();
    if (has_labels_) return;
    has_labels_ = true;
    array_.labels->AddMetadata(slice_, stored_metadata_);
    ShowStoredMetadata();
}

bool ZarrRasterBand::IsDescription(const char* domain) const {
    return domain != nullptr && EQUAL(domain, kZarrDomain) && dataset()->BandsHaveArrays();
}

char** ZarrRasterBand::GetMetadataDomainList() {
    return Guarded(dataset()->store_path(), [&]() -> char** {
        LoadLabels();
        char** domains = GDALPamRasterBand::GetMetadataDomainList();
        return IsDescription(kZarrDomain)
                   ? BuildMetadataDomainList(domains, TRUE, kZarrDomain, nullptr)
                   : domains;
    });
}

NameValueList ZarrRasterBand::GetMetadata(const char* pszDomain) {
    return Guarded(dataset()->store_path(), [&]() -> NameValueList {
        if (IsDefaultDomain(pszDomain)) LoadLabels();
        if (IsDescription(pszDomain)) return array_.Description().List();
        return GDALPamRasterBand::GetMetadata(pszDomain);
    });
}

const char* ZarrRasterBand::GetMetadataItem(const char* pszName, const char* pszDomain) {
    return Guarded(dataset()->store_path(), [&]() -> const char* {
        // GDAL asks each overview for the item RESAMPLING before it reads pixels. Coordinates are
        // slow to read, so they are read for DIM_ items only.
        if (IsDefaultDomain(pszDomain)) {
            if (STARTS_WITH_CI(pszName, "DIM_"))
                LoadLabels();
            else
                LoadAttributes();
            if (IsStatistic(pszName)) dataset()->CheckStatistics();
        } else if (IsDescription(pszDomain)) {
            return array_.Description().FetchNameValue(pszName);
        }
        return GDALPamRasterBand::GetMetadataItem(pszName, pszDomain);
    });
}

CPLErr ZarrRasterBand::SetMetadata(NameValueList papszMetadata, const char* pszDomain) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        const bool is_default = IsDefaultDomain(pszDomain);
        const bool is_stored = is_default && dataset()->update() != nullptr;
        if (is_default) dataset()->CheckStatistics();
        if (is_stored) LoadLabels();
        const CPLStringList before(is_stored ? CSLDuplicate(GDALPamRasterBand::GetMetadata())
                                             : nullptr);
        const CPLStringList after(is_stored ? CSLDuplicate(papszMetadata) : nullptr);
        const CPLErr error = GDALPamRasterBand::SetMetadata(papszMetadata, pszDomain);
        for (const auto& [name, value] : ItemsOf(before))
            if (after.FetchNameValue(name.c_str()) == nullptr) StoreItem(name.c_str(), nullptr);
        for (const auto& [name, value] : ItemsOf(after)) StoreItem(name.c_str(), value.c_str());
        if (is_default && HasStatistics()) dataset()->OnStatisticsSet(array_);
        return error;
    });
}

CPLErr ZarrRasterBand::SetMetadataItem(const char* pszName, const char* pszValue,
                                       const char* pszDomain) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (IsDefaultDomain(pszDomain) && IsStatistic(pszName)) dataset()->OnStatisticsSet(array_);
        if (IsDefaultDomain(pszDomain) && dataset()->update() != nullptr) {
            LoadLabels();
            StoreItem(pszName, pszValue);
        }
        return GDALPamRasterBand::SetMetadataItem(pszName, pszValue, pszDomain);
    });
}

// Stores a metadata item as an attribute, if the array has no other band. DIM_ items are not
// stored, because they are computed from the coordinates of the slice.
void ZarrRasterBand::StoreItem(const char* name, const char* value) {
    if (STARTS_WITH_CI(name, "DIM_")) return;
    dataset()->StoreBandItem(array_, name, value);
    if (dataset()->BandsHaveArrays() && !IsStatistic(name))
        stored_metadata_.SetNameValue(name, value);
}

CPLErr ZarrRasterBand::CreateMaskBand(int nFlagsIn) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        const bool is_of_all = (nFlagsIn & GMF_PER_DATASET) != 0;
        return dataset()->CreateMask(is_of_all ? 0 : nBand, nFlagsIn,
                                     [&] { return GDALPamRasterBand::CreateMaskBand(nFlagsIn); });
    });
}

GDALRasterBand* ZarrRasterBand::GetMaskBand() {
    return Guarded(dataset()->store_path(), [&]() -> GDALRasterBand* {
        if (const StoredMasks::Mask mask = dataset()->masks().Find(nBand); mask.band != nullptr)
            return mask.band;
        dataset()->colours().KeepAssumed();
        return GDALPamRasterBand::GetMaskBand();
    });
}

int ZarrRasterBand::GetMaskFlags() {
    return Guarded(dataset()->store_path(), [&]() -> int {
        if (const StoredMasks::Mask mask = dataset()->masks().Find(nBand); mask.band != nullptr)
            return mask.flags;
        dataset()->colours().KeepAssumed();
        return GDALPamRasterBand::GetMaskFlags();
    });
}

// Stores class names as CF attributes, which use underscores instead of spaces. The exact names are
// stored in PAM.
void ZarrRasterBand::StoreClasses(CSLConstList names) {
    const zarr::DataKind kind = field_.type.kind;
    const bool is_integer = kind == zarr::DataKind::kInt || kind == zarr::DataKind::kUint;
    if (array_.layout().BandCount() != 1 || !is_integer ||
        array_.facts().attributes.Find("flag_masks") != nullptr)
        return;
    json::Array values;
    std::string meanings;
    for (int i = 0; names != nullptr && names[i] != nullptr; ++i) {
        std::string word = names[i];
        std::replace_if(
            word.begin(), word.end(), [](char c) { return c == ' ' || c == '\t'; }, '_');
        if (word.empty()) continue;
        values.emplace_back(std::int64_t{i});
        meanings += (meanings.empty() ? "" : " ") + word;
    }
    const bool is_empty = values.empty();
    array_.ChangeAttribute("flag_values",
                           is_empty ? json::Value() : json::Value(std::move(values)));
    array_.ChangeAttribute("flag_meanings", is_empty ? json::Value() : json::Value(meanings));
}

CPLErr ZarrRasterBand::SetCategoryNames(char** papszNames) {
    return Guarded(dataset()->store_path(), [&]() -> CPLErr {
        if (dataset()->update() != nullptr) {
            StoreClasses(papszNames);
            categories_.Clear();
        }
        return GDALPamRasterBand::SetCategoryNames(papszNames);
    });
}

double ZarrRasterBand::GetNoDataValue(int* pbSuccess) {
    return Guarded(dataset()->store_path(), [&]() -> double {
        // A nodata value that a user has set in PAM overrides the nodata value in the store.
        const bool is_set = psPam != nullptr && psPam->bNoDataValueSet;
        if (!nodata_ && !is_set && Base() != nullptr) return Base()->GetNoDataValue(pbSuccess);
        if (!nodata_ || is_set) return GDALPamRasterBand::GetNoDataValue(pbSuccess);
        SetSuccess(pbSuccess, true);
        return NumberInElement<double>(*nodata_, field_.type.Native());
    });
}

int64_t ZarrRasterBand::GetNoDataValueAsInt64(int* pbSuccess) {
    return Guarded(dataset()->store_path(), [&]() -> int64_t {
        const bool is_set = psPam != nullptr && psPam->bNoDataValueSetAsInt64;
        if (!nodata_ || is_set || eDataType != GDT_Int64)
            return GDALPamRasterBand::GetNoDataValueAsInt64(pbSuccess);
        SetSuccess(pbSuccess, true);
        return NumberInElement<std::int64_t>(*nodata_, field_.type.Native());
    });
}

uint64_t ZarrRasterBand::GetNoDataValueAsUInt64(int* pbSuccess) {
    return Guarded(dataset()->store_path(), [&]() -> uint64_t {
        const bool is_set = psPam != nullptr && psPam->bNoDataValueSetAsUInt64;
        if (!nodata_ || is_set || eDataType != GDT_UInt64)
            return GDALPamRasterBand::GetNoDataValueAsUInt64(pbSuccess);
        SetSuccess(pbSuccess, true);
        return NumberInElement<std::uint64_t>(*nodata_, field_.type.Native());
    });
}

double ZarrRasterBand::GetScale(int* pbSuccess) {
    return Guarded(dataset()->store_path(), [&]() -> double {
        const bool is_set = psPam != nullptr && psPam->bScaleSet;
        if (!scale_ || is_set) return GDALPamRasterBand::GetScale(pbSuccess);
        SetSuccess(pbSuccess, true);
        return *scale_;
    });
}

double ZarrRasterBand::GetOffset(int* pbSuccess) {
    return Guarded(dataset()->store_path(), [&]() -> double {
        const bool is_set = psPam != nullptr && psPam->bOffsetSet;
        if (!offset_ || is_set) return GDALPamRasterBand::GetOffset(pbSuccess);
        SetSuccess(pbSuccess, true);
        return *offset_;
    });
}

const char* ZarrRasterBand::GetUnitType() {
    return Guarded(
        dataset()->store_path(),
        [&]() -> const char* {
            const char* const from_pam = GDALPamRasterBand::GetUnitType();
            return from_pam != nullptr && from_pam[0] != '\0' ? from_pam : units_.c_str();
        },
        "");
}

char** ZarrRasterBand::GetCategoryNames() {
    return Guarded(dataset()->store_path(), [&]() -> char** {
        char** from_pam = GDALPamRasterBand::GetCategoryNames();
        return from_pam != nullptr || categories_.empty() ? from_pam : categories_.List();
    });
}

GDALColorTable* ZarrRasterBand::GetColorTable() {
    return Guarded(dataset()->store_path(), [&]() -> GDALColorTable* {
        if (Base() != nullptr) return Base()->GetColorTable();
        GDALColorTable* const from_pam = GDALPamRasterBand::GetColorTable();
        if (from_pam != nullptr || label_colours_ != nullptr)
            return from_pam != nullptr ? from_pam : label_colours_.get();
        label_colours_ = LabelColours(array_.listing);
        if (!label_colours_) label_colours_ = ClassColours(array_.facts().attributes);
        return label_colours_.get();
    });
}

GDALRasterAttributeTable* ZarrRasterBand::GetDefaultRAT() {
    return Guarded(dataset()->store_path(), [&]() -> GDALRasterAttributeTable* {
        GDALRasterAttributeTable* const from_pam = GDALPamRasterBand::GetDefaultRAT();
        if (from_pam != nullptr || label_table_ != nullptr)
            return from_pam != nullptr ? from_pam : label_table_.get();
        label_table_ = LabelTable(array_.listing);
        return label_table_.get();
    });
}

// Returns the number of overviews of this band. An overview of a mask band is the mask band of an
// overview of the raster.
int ZarrRasterBand::GetOverviewCount() {
    return Guarded(dataset()->store_path(), [&]() -> int {
        if (dataset()->role().is_mask) {
            int masked = 0;
            while (GetOverview(masked) != nullptr) ++masked;
            return masked;
        }
        const auto count =
            static_cast<int>(dataset()->overviews().LevelsOf(array_.layout()).size());
        return count != 0 ? count : GDALPamRasterBand::GetOverviewCount();
    });
}

GDALRasterBand* ZarrRasterBand::GetOverview(int nIdx) {
    return Guarded(dataset()->store_path(), [&]() -> GDALRasterBand* {
        if (dataset()->role().is_mask) {
            ZarrRasterBand& masked = *dataset()->role().BandOf(nBand);
            ZarrRasterBand* const level = masked.dataset()->LevelOf(masked.GetBand(), nIdx);
            return level != nullptr ? level->dataset()->masks().Find(level->GetBand()).band
                                    : nullptr;
        }
        if (dataset()->overviews().LevelsOf(array_.layout()).empty())
            return GDALPamRasterBand::GetOverview(nIdx);
        return dataset()->LevelOf(nBand, nIdx);
    });
}

GDALColorInterp ZarrRasterBand::StatedColour() {
    static constexpr GDALColorInterp kColours[] = {GCI_RedBand, GCI_GreenBand, GCI_BlueBand,
                                                   GCI_AlphaBand};
    if (const auto colour = array_.layout().ColourOf(indices())) return kColours[*colour];
    if (dataset()->BandsHaveArrays() && dataset()->colours().is_of_eopf())
        if (const GDALColorInterp of_satellite =
                ColourOfSentinel2(std::string(zarr::LastName(array_.path())));
            of_satellite != GCI_Undefined)
            return of_satellite;
    // Band names are read as colours only if the dataset has few bands with text coordinates.
    // Reading the coordinates of a long series would be slow and find no colours.
    constexpr int kMaxColours = 4;
    const bool may_be_colour = dataset()->GetRasterCount() <= kMaxColours &&
                               (!description_.empty() || array_.labels->AreNames() || NamedAxis());
    return may_be_colour ? ColourByName(GetDescription()) : GCI_Undefined;
}

std::size_t ZarrRasterBand::SliceInLists() const {
    const RasterLayout& layout = array_.layout();
    std::uint64_t slice = 0;
    for (std::size_t i = 0; i < layout.other_axes.size(); ++i)
        slice = slice * layout.facts.metadata.shape[layout.other_axes[i]] + indices()[i];
    return static_cast<std::size_t>(slice);
}

bool ZarrRasterBand::IsColourSet() {
    const GDALColorInterp set = colour_.value_or(GDALPamRasterBand::GetColorInterpretation());
    return (set != GCI_Undefined && set != GCI_AlphaBand) ||
           GDALPamRasterBand::GetColorTable() != nullptr;
}

GDALColorInterp ZarrRasterBand::GetColorInterpretation() {
    return Guarded(dataset()->store_path(), [&]() -> GDALColorInterp {
        if (Base() != nullptr) return Base()->GetColorInterpretation();
        if (colour_) return *colour_;
        const GDALColorInterp from_pam = GDALPamRasterBand::GetColorInterpretation();
        if (from_pam != GCI_Undefined) return from_pam;
        if (const GDALColorInterp assumed = dataset()->colours().Assumed(nBand);
            assumed != GCI_Undefined)
            return assumed;
        if (const auto stored = StoredColour(array_.lists, array_.facts().attributes, BandInLists(),
                                             SliceInLists()))
            return *stored;
        // A channel of an OME image states the colour in which viewers draw it, so no other colour
        // is looked for.
        if (const zarr::OmeroChannel* channel = array_.channels.Find(indices()))
            return ColorOf(*channel);
        const GDALColorInterp stated = StatedColour();
        // Red, green and blue are reported only if all three bands exist. Otherwise viewers would
        // draw a lone red band as a colour picture.
        if (stated != GCI_Undefined &&
            (!IsRedGreenOrBlue(stated) || dataset()->colours().HasRedGreenBlue()))
            return stated;
        if (GetColorTable() != nullptr) return GCI_PaletteIndex;
        return dataset()->GetRasterCount() == 1 ? GCI_GrayIndex : GCI_Undefined;
    });
}

}  // namespace zarr_driver

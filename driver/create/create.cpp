// SPDX-License-Identifier: MIT
#include "driver/create/create.h"

#include <cpl_string.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/store/keys.h"
#include "driver/base/debug_log.h"
#include "driver/base/gdal_compat.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/gdal_types.h"
#include "driver/base/metadata_text.h"
#include "driver/base/progress.h"
#include "driver/base/store_options.h"
#include "driver/create/append.h"
#include "driver/create/band_nodata.h"
#include "driver/create/copied_attributes.h"
#include "driver/create/copied_metadata.h"
#include "driver/create/copy_record.h"
#include "driver/create/create_store.h"
#include "driver/create/cube_dimensions.h"
#include "driver/create/image_layout.h"
#include "driver/create/pixel_copy.h"
#include "driver/create/profile.h"
#include "driver/raster/band.h"
#include "driver/raster/band_colours.h"
#include "driver/raster/dataset.h"
#include "driver/raster/pixel_statistics.h"
#include "driver/store/open_node.h"
#include "driver/store/resolve.h"
#include "driver/store/store_address.h"
#include "driver/store/store_kind.h"
#include "driver/store/store_management.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// Returns a GDAL data type that can represent the values of all bands.
GDALDataType CommonType(GDALDataset& source) {
    GDALDataType type = source.GetRasterBand(1)->GetRasterDataType();
    for (int i = 2; i <= source.GetRasterCount(); ++i)
        type = GDALDataTypeUnion(type, source.GetRasterBand(i)->GetRasterDataType());
    return type;
}

// Returns a Zarr data type that can represent the values of all bands.
Result<zarr::DataType> StoredTypeLike(GDALDataset& source, const std::string& option) {
    bool is_signed = true;
    for (int i = 1; is_signed && i <= source.GetRasterCount(); ++i)
        is_signed = HasSignedPixelType(*source.GetRasterBand(i));
    const GDALDataType type = CommonType(source);
    return StoredTypeFor(type,
                         option.empty() && is_signed && type == GDT_Byte ? "SIGNEDBYTE" : option);
}

bool IsNan(const std::optional<Nodata>& nodata) {
    const double* const number = nodata ? std::get_if<double>(&*nodata) : nullptr;
    return number != nullptr && std::isnan(*number);
}

// Returns the scale of a band; 1 if the band has no scale, as in GDAL.
double ScaleOf(GDALRasterBand& band) {
    int is_known = FALSE;
    const double scale = band.GetScale(&is_known);
    return is_known != FALSE ? scale : 1;
}

double OffsetOf(GDALRasterBand& band) {
    int is_known = FALSE;
    const double offset = band.GetOffset(&is_known);
    return is_known != FALSE ? offset : 0;
}

// True if bands differ in scale, offset, unit or nodata value. Such bands cannot be stored in a
// single array.
bool DoBandsDiffer(GDALDataset& source) {
    GDALRasterBand& first = *source.GetRasterBand(1);
    const double scale = ScaleOf(first);
    const double offset = OffsetOf(first);
    const std::string unit = first.GetUnitType();
    const std::optional<Nodata> nodata = NodataOf(first);
    for (int i = 2; i <= source.GetRasterCount(); ++i) {
        GDALRasterBand& band = *source.GetRasterBand(i);
        const std::optional<Nodata> other = NodataOf(band);
        const bool has_same_nodata = nodata == other || (IsNan(nodata) && IsNan(other));
        if (!has_same_nodata || ScaleOf(band) != scale || OffsetOf(band) != offset ||
            band.GetUnitType() != unit)
            return true;
    }
    return false;
}

// Copies the properties of a band. Fails if the nodata value cannot be stored, because a copy
// without it would have other valid pixels.
CPLErr CopyBand(GDALRasterBand& from, GDALRasterBand& to,
                const std::vector<BandDimension>& dimensions) {
    const std::optional<Nodata> nodata = NodataOf(from);
    const auto set = [&](auto value) { return SetNodata(to, value); };
    if (nodata && std::visit(set, *nodata) != CE_None) return CE_Failure;
    if (const double scale = ScaleOf(from); scale != 1) to.SetScale(scale);
    if (const double offset = OffsetOf(from); offset != 0) to.SetOffset(offset);
    if (from.GetUnitType()[0] != '\0') to.SetUnitType(from.GetUnitType());
    if (const std::string name = CopiedDescription(from);
        !name.empty() && name != to.GetDescription())
        to.SetDescription(name.c_str());
    CopyClasses(from, to);
    CPLStringList kept = CopiedBandMetadata(from, dimensions);
    RemoveStoredByCf(from, kept);
    if (!kept.empty()) to.SetMetadata(kept.List());
    CopyDomains(from, to);
    return CE_None;
}

Status CopyGeoreferencing(GDALDataset& from, ZarrDataset& to) {
    double transform[6];
    if (GDALGetGeoTransform(GDALDataset::ToHandle(&from), transform) == CE_None)
        GDALSetGeoTransform(GDALDataset::ToHandle(&to), transform);
    if (from.GetSpatialRef() != nullptr) to.SetSpatialRef(from.GetSpatialRef());
    // A source may have control points beside a geotransform; ZarrDataset would keep only one.
    if (from.GetGCPCount() > 0)
        to.GDALPamDataset::SetGCPs(from.GetGCPCount(), from.GetGCPs(), from.GetGCPSpatialRef());
    if (from.GetMetadata("GEOLOCATION") == nullptr) return {};
    ZARR_ASSIGN_OR_RETURN(const bool is_stored, CopyGeolocation(from, to));
    if (!is_stored) to.SetMetadata(from.GetMetadata("GEOLOCATION"), "GEOLOCATION");
    return {};
}

void CopyMetadata(GDALDataset& from, GDALDataset& to,
                  const std::vector<BandDimension>& dimensions) {
    CPLStringList kept = CopiedMetadata(from, dimensions);
    if (!kept.empty()) to.SetMetadata(kept.List());
    CopyDomains(from, to);
}

// True if the dataset `source` is in `folder`, or reads files that are in `folder`.
bool IsReadFrom(GDALDataset& source, const std::string& folder) {
    const auto address = Resolve(source.GetDescription());
    if (address.ok() && zarr::IsAtOrBelow(address->text(), folder)) return true;
    const CPLStringList files(source.GetFileList());
    for (int i = 0; i < files.size(); ++i)
        if (zarr::IsAtOrBelow(files[i], folder)) return true;
    return false;
}

// Returns the name by which a created store is opened: its path in GDAL's file systems.
std::string CreatedDatasetName(const char* name) {
    const auto parsed = ParseConnectionString(name);
    return parsed.ok() && !parsed->has_node ? parsed->path.text() : name;
}

NewRaster Describe(GDALDataset& source, const zarr::DataType& dtype) {
    NewRaster raster;
    raster.is_copied = true;
    raster.width = static_cast<std::uint64_t>(source.GetRasterXSize());
    raster.height = static_cast<std::uint64_t>(source.GetRasterYSize());
    raster.bands = static_cast<std::uint64_t>(source.GetRasterCount());
    raster.dtype = dtype;
    for (int i = 1; i <= source.GetRasterCount(); ++i)
        raster.band_names.push_back(CopiedDescription(*source.GetRasterBand(i)));
    return raster;
}

// Adds to `raster` the dimension of bands that the option BAND_DIM names. `source` is nullptr if
// the pixels are written later.
Result<NewRaster> WithBandDimension(NewRaster raster, const CreationOptions& options,
                                    GDALDataset* source) {
    if (options.band_dim.empty()) return raster;
    ZARR_ASSIGN_OR_RETURN(
        BandDimension dimension,
        MakeBandDimension(options.band_dim, options.band_dim_values, raster.bands, source));
    raster.band_dimensions = {std::move(dimension)};
    raster.is_dimension_asked_for = true;
    return raster;
}

// True if BLOCKSIZE and SHARD_CHUNK_SHAPE each have at most two numbers, or a number for each of
// the cube's `band_dimensions` + 2 dimensions.
bool IsShapeOfCube(const CreationOptions& options, std::size_t band_dimensions) {
    const auto fits = [&](const std::vector<std::uint64_t>* shape) {
        return shape->size() <= 2 || shape->size() == band_dimensions + 2;
    };
    return fits(&options.array.chunks) && fits(&options.array.shard_chunks);
}

// True if pixels are classes: a band has a colour table or category names.
bool IsCategorical(GDALDataset& source) {
    for (int i = 1; i <= source.GetRasterCount(); ++i) {
        GDALRasterBand& band = *source.GetRasterBand(i);
        if (band.GetColorTable() != nullptr || band.GetCategoryNames() != nullptr) return true;
    }
    return false;
}

// Applies the profile of the parsed `options`, and completes them for `raster` at `target`.
Status Complete(CreationOptions& options, const StoreAddress& target, ProfiledRaster raster) {
    const bool is_added = IsInStore(target) || options.append_subdataset;
    if (options.append_dim.empty()) {
        if (is_added && options.profile != Profile::kNone) {
            ZARR_ASSIGN_OR_RETURN(const auto store, OpenStore(target, {}));
            ZARR_ASSIGN_OR_RETURN(const auto hierarchy, CurrentHierarchy(store));
            raster.store_format = hierarchy->format();
        }
        ZARR_RETURN_IF_ERROR(ChooseImageLayout(options, raster));
        ZARR_RETURN_IF_ERROR(ApplyProfile(options, raster));
    }
    ZARR_RETURN_IF_ERROR(options.Complete(raster.dtype));
    options.node = target.node;
    options.keeps_nodes = options.IsAppend();
    if (IsInStore(target) && options.append_dim.empty()) options.append_subdataset = true;
    return {};
}

// If the bands of a new raster form a cube, gives the raster the dimensions that their metadata
// describes. Called before the first pixels are written, because a program such as gdalwarp sets
// the metadata only after Create().
Status BecomeCube(ZarrDataset& dataset, NewRaster raster, const CreationOptions& options) {
    raster.band_dimensions = FindCubeDimensions(dataset);
    if (raster.band_dimensions.empty() || !raster.IsCube() ||
        !IsShapeOfCube(options, raster.band_dimensions.size()))
        return {};
    const auto drop = [&](GDALMajorObject& object) {
        const CPLStringList items(CSLDuplicate(object.GetMetadata()));
        for (const auto& [name, value] : ItemsOf(items))
            if (IsOfCubeDimension(name, raster.band_dimensions))
                object.SetMetadataItem(name.c_str(), nullptr);
    };
    drop(dataset);
    for (int i = 1; i <= dataset.GetRasterCount(); ++i) drop(*dataset.GetRasterBand(i));
    return SetBandDimensions(dataset, raster, options);
}

// Creation options and properties of the raster that CreateCopy() makes.
struct PlannedCopy {
    CreationOptions options;
    NewRaster raster;
};

Result<PlannedCopy> PlanCopy(GDALDataset& source, const StoreAddress& target, NameValueList given) {
    const std::string folder = TargetOf(target);
    if (source.GetRasterCount() == 0) return Status::Invalid("the source has no bands");
    ZARR_ASSIGN_OR_RETURN(CreationOptions parsed, CreationOptions::Parse(given));
    ZARR_ASSIGN_OR_RETURN(const zarr::DataType dtype, StoredTypeLike(source, parsed.pixel_type));
    ProfiledRaster raster{Describe(source, dtype)};
    raster.are_bands_split = !parsed.wants_single_array && DoBandsDiffer(source);
    raster.is_categorical = IsCategorical(source);
    raster.source = &source;
    if (!raster.are_bands_split && parsed.may_be_cube)
        raster.band_dimensions = FindCubeDimensions(source);
    ZARR_RETURN_IF_ERROR(Complete(parsed, target, raster));
    EmitWarnings(folder, parsed.array.warnings);
    if (parsed.may_split && parsed.append_dim.empty() && DoBandsDiffer(source))
        parsed.single_array = false;
    PlannedCopy planned{std::move(parsed), std::move(raster)};
    planned.raster.is_source_in_target = IsReadFrom(source, folder);
    const std::size_t dimensions = planned.raster.band_dimensions.size();
    if (dimensions != 0 && !IsShapeOfCube(planned.options, dimensions)) {
        LogDebug(folder +
                 ": its bands become one dimension, because BLOCKSIZE, CHUNKS or "
                 "SHARD_CHUNK_SHAPE have another number of sizes than the cube of the source");
        planned.raster.band_dimensions.clear();
    }
    if (!planned.options.append_dim.empty()) return planned;
    ZARR_ASSIGN_OR_RETURN(planned.raster,
                          WithBandDimension(std::move(planned.raster), planned.options, &source));
    planned.raster.source_text = SourceText(source);
    return planned;
}

// True if a band of the source has a mask that is neither a nodata value nor an alpha band.
bool HasMask(GDALDataset& source) {
    constexpr int kOthers = GMF_ALL_VALID | GMF_ALPHA | GMF_NODATA;
    for (int i = 1; i <= source.GetRasterCount(); ++i)
        if ((source.GetRasterBand(i)->GetMaskFlags() & kOthers) == 0) return true;
    return false;
}

Status Cancelled() { return {zarr::StatusCode::kCancelled, "the copy was cancelled"}; }

// After this call, a write of GDT_Byte data interprets its bytes as signed, with an unchanged bit
// pattern.
void TreatBytesAsSigned(ZarrDataset& dataset) {
    for (int i = 1; i <= dataset.GetRasterCount(); ++i) dataset.Band(i)->TreatBytesAsSigned();
}

// Stores all pending chunks of a copy, and records `position`.
Status RecordCopied(ZarrDataset& target, CopyRecord& record, CopyPosition position) {
    ZARR_RETURN_IF_ERROR(target.update()->FlushChunks(target.options().threads));
    return record.Write(position);
}

// Copies the pixels of `source` that the new store `made` lacks, and records their position. Emits
// errors. Returns false after an error or a cancellation.
bool CopyMissingPixels(GDALDataset& source, ZarrDataset& target, NewStore& made,
                       const ScaledProgress& progress) {
    CopyRecord* const record = made.record();
    CopyCheckpoint checkpoint;
    if (record != nullptr)
        checkpoint = [&](CopyPosition position) {
            return record->IsDue() ? RecordCopied(target, *record, position) : Status();
        };
    if (!CopyPixels(source, target, made.start(), checkpoint, ScaledProgress::Report,
                    progress.data()))
        return false;
    if (record == nullptr || !(record->IsDue() || record->HasEntry())) return true;
    const Status status = RecordCopied(target, *record, {source.GetRasterCount() + 1, 0});
    if (!status.ok()) EmitError(target.store_path(), status);
    return status.ok();
}

// Fills a new store with the contents of `source`. Emits errors. Returns false after an error or a
// cancellation.
bool Fill(GDALDataset& source, ZarrDataset& target, NewStore& made, const PlannedCopy& planned,
          bool is_strict, WatchedProgress& progress) {
    if (CommonType(source) == GDT_Byte && target.Band(1)->field().type.kind == zarr::DataKind::kInt)
        TreatBytesAsSigned(target);
    if (const Status placed = CopyGeoreferencing(source, target); !placed.ok()) {
        EmitError(target.store_path(), placed);
        return false;
    }
    const std::vector<BandDimension>& dimensions = planned.raster.band_dimensions;
    CopyMetadata(source, target, dimensions);
    CopyCommonAttributes(source, target);
    for (int i = 1; i <= source.GetRasterCount(); ++i)
        if (CopyBand(*source.GetRasterBand(i), *target.GetRasterBand(i), dimensions) != CE_None)
            return false;
    if (const Status shared = NewRasterWork::Do(target.new_raster().before_closing); !shared.ok()) {
        EmitError(target.store_path(), shared);
        return false;
    }
    const bool has_mask = HasMask(source);
    // Pixels and masks take three quarters of the progress if overviews are built, and all of it
    // otherwise.
    const double copied = target.overviews().pending().plan.IsEmpty() ? 1 : 0.75;
    const double pixels_end = has_mask ? 0.9 * copied : copied;
    const ScaledProgress pixels(0, pixels_end, WatchedProgress::Report, &progress);
    if (!CopyMissingPixels(source, target, made, pixels)) return false;
    const ScaledProgress mask(pixels_end, copied, WatchedProgress::Report, &progress);
    if (has_mask &&
        GDALDriver::DefaultCopyMasks(&source, &target, is_strict ? TRUE : FALSE, nullptr,
                                     ScaledProgress::Report, mask.data()) != CE_None)
        return false;
    const ScaledProgress overviews(copied, 1, WatchedProgress::Report, &progress);
    if (target.BuildPlannedOverviews(ScaledProgress::Report, overviews.data()) != CE_None)
        return false;
    if (planned.options.wants_statistics) ComputeMissingStatistics(target);
    if (!target.Flush()) return false;
    if (progress.IsCancelled()) {
        EmitError(target.store_path(), Cancelled());
        return false;
    }
    if (made.record() == nullptr) return true;
    const Status status = made.record()->Erase();
    if (!status.ok()) EmitError(target.store_path(), status);
    return status.ok();
}

Result<std::unique_ptr<ZarrDataset>> Append(const StoreAddress& target, GDALDataset& source,
                                            CreationOptions options, WatchedProgress& progress) {
    if (HasMask(source))
        EmitWarning(target, "the mask of the source is not stored with the appended slices");
    if (!target.node.empty())
        options.array_name = options.array_name.empty()
                                 ? target.node
                                 : zarr::JoinKey(target.node, options.array_name);
    return AppendAlong(target, source, options, WatchedProgress::Report, &progress);
}

// Returns the colours of the `bands` bands of a new raster by the options PHOTOMETRIC and ALPHA,
// which mean the same as in a GeoTIFF. Returns an empty list if the bands have no colours.
// `is_picture` is true if three or four bands are colours without these options.
std::vector<GDALColorInterp> ColoursOf(const CreationOptions& options, std::uint64_t bands,
                                       bool is_picture) {
    if (options.is_rgb.value_or(false) && bands < 3) return {};
    is_picture = is_picture && (bands == 3 || bands == 4);
    const bool is_rgb = options.is_rgb.value_or(is_picture) && bands >= 3;
    const bool is_rgba = is_picture && !options.is_rgb && bands == 4;
    const std::uint64_t alpha = is_rgb ? 4 : 2;  // number of the first band after the colours
    const bool has_alpha = options.has_alpha.value_or(is_rgba) && bands >= alpha;
    if (!is_rgb && !has_alpha) return {};
    std::vector<GDALColorInterp> colours{GCI_GrayIndex};
    if (is_rgb) colours.assign(std::begin(kRedGreenBlue), std::end(kRedGreenBlue));
    if (has_alpha) colours.push_back(GCI_AlphaBand);
    colours.resize(static_cast<std::size_t>(bands), GCI_Undefined);
    return colours;
}

// Prepares a new raster for the pixels that the caller of Create() will write: signed bytes, nodata
// in absent chunks, band colours, and statistics that are computed at closing.
void PrepareForPixels(ZarrDataset& dataset, GDALDataType type, const NewRaster& raster,
                      const CreationOptions& options) {
    const bool is_signed = raster.dtype.kind == zarr::DataKind::kInt;
    if (type == GDT_Byte && is_signed) TreatBytesAsSigned(dataset);
    dataset.update()->LetAbsentChunksBeUnwritten();
    if (options.wants_statistics) dataset.new_raster().has_statistics = true;
    const bool is_picture = type == GDT_Byte && raster.dtype.kind == zarr::DataKind::kUint;
    dataset.colours().Assume(ColoursOf(options, raster.bands, is_picture));
}

// Makes the store that `planned` describes at `target`, and copies the pixels of `source` into the
// store. Returns the store's dataset. A status without a message means that the error was emitted.
Result<std::unique_ptr<ZarrDataset>> CopyToNewStore(const char* name, GDALDataset& source,
                                                    const StoreAddress& target,
                                                    const PlannedCopy& planned, bool is_strict,
                                                    WatchedProgress& watched) {
    const CreationOptions& options = planned.options;
    ZARR_ASSIGN_OR_RETURN(NewStore made, NewStore::Make(CreatedDatasetName(name), TargetOf(target),
                                                        planned.raster, options));
    ZARR_ASSIGN_OR_RETURN(auto dataset, made.Open());
    dataset->colours().Assume(ColoursOf(options, planned.raster.bands, false));
    const bool is_closed_here = made.IsStaging();
    // The last documents are written here, because GDAL ignores errors at closing.
    if (!Fill(source, *dataset, made, planned, is_strict, watched) ||
        !(is_closed_here ? dataset->CloseStore() : dataset->FinishStore())) {
        if (!made.CanBeResumed()) {
            dataset->Abandon();
        } else {
            dataset->EndUpdate();
            dataset.reset();
            made.KeepForResume();
        }
        return Status(zarr::StatusCode::kCancelled, "");
    }
    if (is_closed_here) dataset.reset();
    ZARR_RETURN_IF_ERROR(made.Commit());
    return dataset != nullptr ? std::move(dataset) : made.Open();
}

// Makes the store of a new raster, whose pixels the caller writes later.
Result<std::unique_ptr<ZarrDataset>> CreateForPixels(const char* name, NewRaster raster,
                                                     GDALDataType type, NameValueList options) {
    if (raster.bands < 1) return Status::Invalid("a raster needs at least one band");
    ZARR_ASSIGN_OR_RETURN(CreationOptions parsed, CreationOptions::Parse(options));
    ZARR_ASSIGN_OR_RETURN(raster.dtype, StoredTypeFor(type, parsed.pixel_type));
    ZARR_ASSIGN_OR_RETURN(const StoreAddress target, FindTargetNode(name));
    ZARR_RETURN_IF_ERROR(Complete(parsed, target, ProfiledRaster{raster}));
    if (!parsed.append_dim.empty())
        return Status::Unsupported(
            "creation option APPEND_DIM needs a source: it is for CreateCopy and "
            "gdal_translate");
    EmitWarnings(target, parsed.array.warnings);
    ZARR_ASSIGN_OR_RETURN(raster, WithBandDimension(std::move(raster), parsed, nullptr));
    ZARR_RETURN_IF_ERROR(DeleteReplacedNode(name, parsed.keeps_nodes));
    ZARR_ASSIGN_OR_RETURN(
        NewStore made, NewStore::Make(CreatedDatasetName(name), TargetOf(target), raster, parsed));
    ZARR_RETURN_IF_ERROR(made.CommitBeforePixels());
    ZARR_ASSIGN_OR_RETURN(auto dataset, made.Open());
    PrepareForPixels(*dataset, type, raster, parsed);
    if (parsed.may_be_cube && parsed.single_array && !parsed.append_subdataset)
        dataset->new_raster().before_pixels = [raw = dataset.get(), raster, parsed] {
            return BecomeCube(*raw, raster, parsed);
        };
    return dataset;
}

}  // namespace

GDALDataset* Create(const char* name, int x_size, int y_size, int bands, GDALDataType type,
                    NameValueList options) {
    const LockTimeoutScope lock_timeout(options);
    NewRaster raster;
    raster.width = static_cast<std::uint64_t>(x_size);
    raster.height = static_cast<std::uint64_t>(y_size);
    raster.bands = static_cast<std::uint64_t>(std::max(bands, 0));
    auto dataset = CreateForPixels(name, std::move(raster), type, options);
    if (dataset.ok()) return dataset->release();
    EmitError(name, WithRefusalOf(name, dataset.status()));
    return nullptr;
}

// ---------------------------------------------------------------------------------------------
// Making a store from another dataset

GDALDataset* CreateCopy(const char* name, GDALDataset* source, int strict, NameValueList options,
                        GDALProgressFunc progress, void* progress_data) {
    WatchedProgress watched(progress, progress_data);
    const LockTimeoutScope lock_timeout(options);
    const auto run = [&]() -> Result<std::unique_ptr<ZarrDataset>> {
        ZARR_ASSIGN_OR_RETURN(const StoreAddress target, FindTargetNode(name));
        ZARR_ASSIGN_OR_RETURN(const PlannedCopy planned, PlanCopy(*source, target, options));
        if (!planned.options.append_dim.empty())
            return Append(target, *source, planned.options, watched);
        ZARR_RETURN_IF_ERROR(DeleteReplacedNode(name, planned.options.keeps_nodes));
        return CopyToNewStore(name, *source, target, planned, strict != FALSE, watched);
    };
    auto dataset = run();
    if (dataset.ok()) return dataset->release();
    // A status without a message means that the error was emitted before.
    if (!dataset.status().message().empty()) EmitError(name, WithRefusalOf(name, dataset.status()));
    return nullptr;
}

}  // namespace zarr_driver

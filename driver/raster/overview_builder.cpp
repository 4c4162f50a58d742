// SPDX-License-Identifier: MIT
#include "driver/raster/overview_builder.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/conventions/pyramid.h"
#include "driver/base/creation_options.h"
#include "driver/base/progress.h"
#include "driver/base/report.h"
#include "driver/raster/band.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// As zarr-conventions spell the names that GDAL knows.
std::string MethodName(const std::string& resampling) {
    if (STARTS_WITH_CI(resampling.c_str(), "NEAR")) return "nearest";
    if (EQUAL(resampling.c_str(), "CUBICSPLINE")) return "cubic_spline";
    return CPLString(resampling).tolower();
}

// True where the bands of an array share chunks. GDAL does not resample fields of several types
// together.
bool SharesChunks(const RasterLayout& layout) {
    const auto& chunks = layout.facts.metadata.chunks;
    return layout.fields.size() == 1 &&
           std::any_of(layout.other_axes.begin(), layout.other_axes.end(),
                       [&](std::size_t axis) { return chunks[axis] > 1; });
}

// True for a band with a mask or an alpha band, which GDAL honours in every level only where it
// fills bands together: by itself a band's smaller levels are made as if all pixels were valid.
bool IsMasked(GDALRasterBand& band) {
    return (band.GetMaskFlags() & (GMF_ALL_VALID | GMF_NODATA)) == 0 &&
           !GDALDataTypeIsComplex(band.GetRasterDataType()) && band.GetColorTable() == nullptr;
}

CPLErr FillBand(const OverviewPixels& pixels, int band, const ScaledProgress& progress) {
    std::vector<GDALRasterBandH> overviews;
    for (GDALDataset* level : pixels.levels)
        overviews.push_back(GDALRasterBand::ToHandle(level->GetRasterBand(band)));
    return GDALRegenerateOverviewsEx(GDALRasterBand::ToHandle(pixels.base.GetRasterBand(band)),
                                     static_cast<int>(overviews.size()), overviews.data(),
                                     pixels.resampling.c_str(), ScaledProgress::Report,
                                     progress.data(), pixels.options);
}

// Bands that share chunks: each chunk is written once.
CPLErr FillTogether(const OverviewPixels& pixels, const std::vector<int>& bands,
                    const ScaledProgress& progress) {
    // GDAL takes each level from the one before, but of one band the nearest pixel from the raster.
    const bool is_nearest = STARTS_WITH_CI(pixels.resampling.c_str(), "NEAR");
    if (is_nearest && pixels.levels.size() > 1) {
        const auto count = static_cast<double>(pixels.levels.size());
        for (std::size_t i = 0; i < pixels.levels.size(); ++i) {
            const auto done = static_cast<double>(i);
            const ScaledProgress part(done / count, (done + 1) / count, ScaledProgress::Report,
                                      progress.data());
            OverviewPixels one = pixels;
            one.levels = {pixels.levels[i]};
            const CPLErr error = FillTogether(one, bands, part);
            if (error != CE_None) return error;
        }
        return CE_None;
    }
    std::vector<GDALRasterBand*> sources;
    std::vector<std::vector<GDALRasterBand*>> overviews;  // of each band, of each level
    for (const int band : bands) {
        sources.push_back(pixels.base.GetRasterBand(band));
        overviews.emplace_back();
        for (GDALDataset* level : pixels.levels)
            overviews.back().push_back(level->GetRasterBand(band));
    }
    std::vector<GDALRasterBand* const*> pointers;
    pointers.reserve(overviews.size());
    for (const auto& of_band : overviews) pointers.push_back(of_band.data());
    return GDALRegenerateOverviewsMultiBand(static_cast<int>(sources.size()), sources.data(),
                                            static_cast<int>(pixels.levels.size()), pointers.data(),
                                            pixels.resampling.c_str(), ScaledProgress::Report,
                                            progress.data(), pixels.options);
}

}  // namespace

OverviewBuilder::OverviewBuilder(ZarrDataset& dataset)
    : dataset_(dataset), writer_(*dataset.update_, *dataset.location_.hierarchy, Source()) {}

LevelSource OverviewBuilder::Source() const {
    LevelSource source;
    for (const auto& array : dataset_.arrays_) source.arrays.push_back(&array->layout);
    const Georeferencing& placed = dataset_.place_.Find();
    if (placed.srs) source.placement.srs = &*placed.srs;
    source.placement.transform = placed.transform;
    source.convention = dataset_.convention_;
    source.threads = dataset_.options_.threads;
    return source;
}

// ---------------------------------------------------------------------------------------------
// What is there

std::vector<std::string> OverviewBuilder::PathsOf(const ZarrDataset& level) const {
    std::vector<std::string> paths;
    for (const auto& array : level.arrays_) paths.push_back(array->layout.facts.path);
    return paths;
}

std::vector<LevelPaths> OverviewBuilder::Described() const {
    const std::vector<zarr::OverviewLevel> listed = writer_.Listed();
    std::vector<LevelPaths> levels;
    for (const auto& dataset : dataset_.levels_) {
        LevelPaths level;
        level.paths = PathsOf(*dataset);
        level.width = static_cast<std::uint64_t>(dataset->GetRasterXSize());
        level.height = static_cast<std::uint64_t>(dataset->GetRasterYSize());
        for (const zarr::OverviewLevel& other : listed)
            if (other.path == level.paths[0]) level.method = other.method;
        levels.push_back(std::move(level));
    }
    return levels;
}

bool OverviewBuilder::HasOwnLevels() const {
    const auto& levels = dataset_.levels_;
    return !levels.empty() && writer_.AreListed(PathsOf(*levels[0]));
}

// True where a level, of all bands or of one array, is not described as an overview.
bool OverviewBuilder::HasForeignLevels() const {
    if (!dataset_.levels_.empty()) return !HasOwnLevels();
    std::set<std::string> listed;
    for (const zarr::OverviewLevel& level : writer_.Listed()) listed.insert(level.path);
    const auto is_foreign = [&](const auto& level) {
        return listed.count(PathsOf(*level)[0]) == 0;
    };
    return std::any_of(dataset_.array_levels_.begin(), dataset_.array_levels_.end(), is_foreign);
}

// The level that a factor means: of that size, or of one that GDAL computes the factor for.
ZarrDataset* OverviewBuilder::FindLevel(const Datasets& levels, int factor) const {
    const int width = dataset_.GetRasterXSize();
    const int height = dataset_.GetRasterYSize();
    for (const auto& level : levels)
        if (level->GetRasterXSize() == Reduced(width, factor) &&
            level->GetRasterYSize() == Reduced(height, factor))
            return level.get();
    for (const auto& level : levels)
        if (GDALComputeOvFactor(level->GetRasterXSize(), width, level->GetRasterYSize(), height) ==
            factor)
            return level.get();
    return nullptr;
}

// The smaller levels of a pyramid have none of their own.
Status OverviewBuilder::CheckBase() const {
    for (const auto& array : dataset_.arrays_) {
        const std::string& path = array->layout.facts.path;
        zarr::Warnings ignored;  // reported when the dataset was opened
        const auto pyramid = zarr::FindPyramidOf(*dataset_.location_.hierarchy, path, ignored);
        if (pyramid && pyramid->levels[0].path != path)
            return Status::Unsupported("/" + path + " is an overview itself, of /" +
                                       pyramid->levels[0].path);
    }
    return {};
}

Status OverviewBuilder::CheckRequest(const OverviewRequest& request) const {
    if (!IsOverviewResampling(request.resampling))
        return Status::Invalid(
            "unknown resampling method " + request.resampling +
            "; there are NEAREST, AVERAGE, RMS, GAUSS, BILINEAR, CUBIC, CUBICSPLINE, "
            "LANCZOS, MODE and NONE");
    if (dataset_.options_.wrap_longitude && dataset_.RolledColumns() != 0)
        return Status::Unsupported(
            "overviews of a raster that WRAP_LONGITUDE=YES turns; open it without");
    ZARR_RETURN_IF_ERROR(CheckBase());
    bool any_new = false;
    for (const int factor : request.factors) {
        if (factor < 2)
            return Status::Invalid("an overview factor is at least 2, got " +
                                   std::to_string(factor));
        if (FindLevel(dataset_.levels_, factor) != nullptr) continue;
        any_new = true;
        if (HasForeignLevels())
            return Status::Unsupported(
                "the levels of this pyramid were not built by GDAL: those that it has can be "
                "filled again, but a level of factor " +
                std::to_string(factor) + " cannot be added");
    }
    const auto all = static_cast<std::size_t>(dataset_.nBands);
    if (any_new && std::set<int>(request.bands.begin(), request.bands.end()).size() != all)
        return Status::Unsupported(
            "new overviews are built for all bands together; those that are there can be filled "
            "again band by band");
    return CheckArrays(any_new);
}

Status OverviewBuilder::CheckArrays(bool any_new) const {
    for (const auto& level : dataset_.levels_)
        for (const auto& array : level->arrays_)
            if (array->layout.RepeatsSlices())
                return Status::Unsupported(
                    "/" + array->layout.facts.path +
                    ": has fewer slices than the raster, so it cannot be made of its bands");
    for (const auto& array : dataset_.arrays_) {
        ZARR_RETURN_IF_ERROR(zarr::Array::CheckWritable(array->layout.facts.metadata)
                                 .WithContext(array->layout.facts.path));
        if (any_new && array->layout.HasFixed())
            return Status::Unsupported("a slice of /" + array->layout.facts.path +
                                       " gets no overviews of its own; open the whole array");
    }
    return {};
}

// ---------------------------------------------------------------------------------------------
// Building

Result<std::unique_ptr<ZarrDataset>> OverviewBuilder::OpenLevel(const LevelPaths& level) const {
    Location location = dataset_.location_;
    location.node = level.paths[0];
    location.kind = zarr::NodeKind::kArray;
    auto opened =
        std::make_unique<ZarrDataset>(dataset_.GetDescription(), location, dataset_.options_);
    opened->BecomeLevel(dataset_, 1);
    for (std::size_t i = 0; i < level.paths.size(); ++i) {
        ZARR_ASSIGN_OR_RETURN(RasterLayout layout,
                              MakeLevelLayout(*location.hierarchy, level.paths[i],
                                              dataset_.options_, dataset_.Layout(i)));
        opened->AddArray(std::move(layout), level.paths.size() > 1);
    }
    const bool is_like = opened->GetRasterCount() == dataset_.nBands &&
                         opened->GetRasterXSize() == static_cast<int>(level.width) &&
                         opened->GetRasterYSize() == static_cast<int>(level.height);
    if (!is_like)
        return Status::Corrupt("/" + level.paths[0] + ": is not a smaller copy of the raster");
    opened->SetOfEopf(dataset_.is_of_eopf());
    opened->EnableUpdate(dataset_.update_.Share(), dataset_.convention_);
    return opened;
}

// Makes the levels that are not there yet, empty.
Status OverviewBuilder::Make(const OverviewRequest& request) {
    for (const int factor : request.factors) {
        if (FindLevel(dataset_.levels_, factor) != nullptr) continue;
        LevelPaths level;
        level.width = static_cast<std::uint64_t>(Reduced(dataset_.GetRasterXSize(), factor));
        level.height = static_cast<std::uint64_t>(Reduced(dataset_.GetRasterYSize(), factor));
        const bool is_made = std::any_of(made_.begin(), made_.end(), [&](const auto& made) {
            return made->GetRasterXSize() == static_cast<int>(level.width) &&
                   made->GetRasterYSize() == static_cast<int>(level.height);
        });
        const bool is_smaller =
            level.width != static_cast<std::uint64_t>(dataset_.GetRasterXSize()) ||
            level.height != static_cast<std::uint64_t>(dataset_.GetRasterYSize());
        if (is_made || !is_smaller) continue;
        ZARR_RETURN_IF_ERROR(writer_.Make(factor, level));
        auto opened = OpenLevel(level);
        if (!opened.ok()) {
            static_cast<void>(writer_.Remove(level));  // the first failure is the one to tell
            return opened.status();
        }
        made_.push_back(opened.Take());
    }
    return {};
}

// Bands that are filled together, as their chunks are the same. An alpha band comes first: it masks
// the others, of which GDAL makes a smaller level from a larger one.
std::vector<std::vector<int>> OverviewBuilder::Runs(const std::vector<int>& bands) const {
    std::vector<std::vector<int>> runs;
    const BandArray* last = nullptr;
    for (const int number : bands) {
        const ZarrRasterBand& band = *dataset_.Band(number);
        const bool joins = last == &band.array() && SharesChunks(last->layout) &&
                           band.field().type.kind != zarr::DataKind::kComplex;
        if (!joins) runs.emplace_back();
        runs.back().push_back(number);
        last = &band.array();
    }
    const auto has_alpha = [&](const std::vector<int>& run) {
        return std::any_of(run.begin(), run.end(), [&](int number) {
            return dataset_.Band(number)->GetColorInterpretation() == GCI_AlphaBand;
        });
    };
    std::stable_partition(runs.begin(), runs.end(), has_alpha);
    return runs;
}

// Fills the masks of levels from those of the bands, each once.
CPLErr OverviewBuilder::FillMasks(const OverviewRequest& request,
                                  const std::vector<ZarrDataset*>& levels) const {
    std::set<const GDALRasterBand*> filled;
    for (const int number : request.bands) {
        ZarrRasterBand* const mask = dataset_.masks().Find(number).band;
        if (mask == nullptr || !filled.insert(mask).second) continue;
        std::vector<GDALRasterBandH> smaller;
        for (ZarrDataset* const level : levels)
            if (ZarrRasterBand* const band = level->masks().Find(number).band)
                smaller.push_back(GDALRasterBand::ToHandle(band));
        if (smaller.empty()) continue;
        const CPLErr error = GDALRegenerateOverviewsEx(
            GDALRasterBand::ToHandle(mask), static_cast<int>(smaller.size()), smaller.data(),
            request.resampling.c_str(), nullptr, nullptr, request.options);
        if (error != CE_None) return error;
    }
    return CE_None;
}

CPLErr OverviewBuilder::Fill(const OverviewRequest& request) const {
    if (EQUAL(request.resampling.c_str(), "NONE")) return CE_None;
    std::set<ZarrDataset*> wanted;
    for (const int factor : request.factors)
        for (const Datasets* levels : {&std::as_const(dataset_.levels_), &made_})
            if (ZarrDataset* level = FindLevel(*levels, factor)) wanted.insert(level);
    std::vector<ZarrDataset*> levels(wanted.begin(), wanted.end());
    std::sort(levels.begin(), levels.end(), [](GDALDataset* a, GDALDataset* b) {
        return a->GetRasterXSize() * 1.0 * a->GetRasterYSize() >
               b->GetRasterXSize() * 1.0 * b->GetRasterYSize();
    });
    const auto errors = CPLGetErrorCounter();
    // GDAL makes smaller levels from larger ones, of which the masks are to be there.
    CPLErr error = FillMasks(request, levels);
    if (error == CE_None)
        error = FillOverviews({dataset_,
                               {levels.begin(), levels.end()},
                               Runs(request.bands),
                               request.resampling,
                               request.progress,
                               request.progress_data,
                               request.options});
    if (error != CE_None && CPLGetErrorCounter() == errors)
        return EmitError(dataset_.store_path(),
                         Status(zarr::StatusCode::kCancelled, "building overviews was cancelled"));
    if (error != CE_None) return error;
    for (ZarrDataset* const level : levels) {
        level->GDALPamDataset::FlushCache(false);
        for (ZarrDataset* const mask : level->masks().opened())
            mask->GDALPamDataset::FlushCache(false);
    }
    const Status status = dataset_.update_->FlushChunks(dataset_.options_.threads);
    return status.ok() ? CE_None : EmitError(dataset_.store_path(), status);
}

// Those of the dataset that a request that replaces them has no factor for.
std::set<const ZarrDataset*> OverviewBuilder::NotAskedFor(const OverviewRequest& request) const {
    std::set<const ZarrDataset*> levels;
    if (!request.replaces) return levels;
    for (const auto& level : dataset_.levels_) levels.insert(level.get());
    for (const int factor : request.factors) levels.erase(FindLevel(dataset_.levels_, factor));
    return levels;
}

// Takes levels away from the dataset. Callers may hold bands of them, which stay as they are.
std::vector<LevelPaths> OverviewBuilder::TakeOut(const std::set<const ZarrDataset*>& levels) {
    std::vector<LevelPaths> removed;
    for (auto& level : dataset_.levels_) {
        if (levels.count(level.get()) == 0) continue;
        removed.push_back({PathsOf(*level), 0, 0, ""});
        for (const auto& array : level->arrays_) dataset_.update_->Forget(*array->layout.array);
        level->EndUpdate();
        dataset_.removed_levels_.push_back(std::move(level));
    }
    dataset_.levels_.erase(std::remove(dataset_.levels_.begin(), dataset_.levels_.end(), nullptr),
                           dataset_.levels_.end());
    return removed;
}

// Describes the new levels beside the old ones, and gives them to the dataset.
Status OverviewBuilder::List(const OverviewRequest& request) {
    const std::vector<LevelPaths> replaced = TakeOut(NotAskedFor(request));
    std::vector<LevelPaths> described = Described();
    const std::string method = MethodName(request.resampling);
    for (std::size_t i = 0; i < described.size(); ++i)
        for (const int factor : request.factors)
            if (FindLevel(dataset_.levels_, factor) == dataset_.levels_[i].get())
                described[i].method = method;
    for (const auto& made : made_)
        described.push_back({PathsOf(*made), static_cast<std::uint64_t>(made->GetRasterXSize()),
                             static_cast<std::uint64_t>(made->GetRasterYSize()), method});
    std::stable_sort(described.begin(), described.end(),
                     [](const LevelPaths& a, const LevelPaths& b) {
                         return a.width * a.height > b.width * b.height;
                     });
    ZARR_RETURN_IF_ERROR(writer_.Describe(described));
    for (const LevelPaths& level : replaced) ZARR_RETURN_IF_ERROR(writer_.Remove(level));
    auto& levels = dataset_.levels_;
    std::move(made_.begin(), made_.end(), std::back_inserter(levels));
    made_.clear();
    std::stable_sort(levels.begin(), levels.end(), [](const auto& a, const auto& b) {
        return a->GetRasterXSize() * 1.0 * a->GetRasterYSize() >
               b->GetRasterXSize() * 1.0 * b->GetRasterYSize();
    });
    return {};
}

// Removes what was made and is not described. What cannot be removed is hidden all the same.
void OverviewBuilder::Discard() {
    for (auto& made : made_) {
        for (const auto& array : made->arrays_) dataset_.update_->Forget(*array->layout.array);
        made->EndUpdate();
        const LevelPaths level{PathsOf(*made), 0, 0, ""};
        made.reset();
        static_cast<void>(writer_.Remove(level));
    }
    made_.clear();
}

Status OverviewBuilder::Finish() { return dataset_.update_->metadata().Finish(); }

// Makes masks for the levels that are to be filled, where the raster got its mask after them.
Status OverviewBuilder::MakeMissingMasks(const OverviewRequest& request) {
    if (!HasOwnLevels()) return {};
    const std::vector<LevelPaths> described = Described();
    for (std::size_t i = 0; i < described.size(); ++i) {
        const auto is_level = [&](int factor) {
            return FindLevel(dataset_.levels_, factor) == dataset_.levels_[i].get();
        };
        if (std::none_of(request.factors.begin(), request.factors.end(), is_level)) continue;
        ZARR_ASSIGN_OR_RETURN(const bool are_made, writer_.MakeMasks(described[i]));
        if (!are_made) continue;
        ZARR_RETURN_IF_ERROR(writer_.UpdateDescription(described[i]));
        dataset_.levels_stale_ = true;
    }
    return {};
}

// Opens the levels again where the raster was told something since, so that what is made from one
// of them goes by it. Callers may hold bands of the old ones, which stay as they are.
Status OverviewBuilder::Reload() {
    if (!dataset_.levels_stale_ || !HasOwnLevels()) return {};
    std::vector<LevelPaths> described = Described();
    for (std::size_t i = 0; i < described.size(); ++i) {
        ZARR_ASSIGN_OR_RETURN(auto opened, OpenLevel(described[i]));
        std::swap(opened, dataset_.levels_[i]);
        opened->EndUpdate();
        dataset_.removed_levels_.push_back(std::move(opened));
    }
    dataset_.levels_stale_ = false;
    return {};
}

// Takes the overviews that are not of all bands away from the dataset. Callers may hold bands of
// them, which stay as they are.
void OverviewBuilder::DropLevelsOfArrays() {
    for (const auto& array : dataset_.arrays_) array->levels.clear();
    for (auto& level : dataset_.array_levels_) {
        for (const auto& array : level->arrays_) dataset_.update_->Forget(*array->layout.array);
        level->EndUpdate();
        dataset_.removed_levels_.push_back(std::move(level));
    }
    dataset_.array_levels_.clear();
}

// Takes away what is described and cannot be used, or not for all arrays.
Status OverviewBuilder::DropUnused() {
    DropLevelsOfArrays();
    std::set<std::string> used;
    for (const auto& level : dataset_.levels_)
        for (const std::string& path : PathsOf(*level)) used.insert(path);
    LevelPaths unused;
    for (const zarr::OverviewLevel& level : writer_.Listed())
        if (used.count(level.path) == 0) unused.paths.push_back(level.path);
    if (unused.paths.empty()) return {};
    ZARR_RETURN_IF_ERROR(writer_.Describe(Described()));
    return writer_.Remove(unused);
}

CPLErr OverviewBuilder::Build(const OverviewRequest& request) {
    const std::string& store = dataset_.store_path();
    const Status allowed = CheckRequest(request);
    if (!allowed.ok()) return EmitError(store, allowed);
    const bool is_own = dataset_.levels_.empty() || HasOwnLevels();
    Status status = MakeMissingMasks(request);
    if (status.ok()) status = Reload();
    if (status.ok()) status = DropUnused();
    if (status.ok()) status = Make(request);
    CPLErr error = status.ok() ? Fill(request) : CE_Failure;
    if (error == CE_None && is_own && (!made_.empty() || !dataset_.levels_.empty()))
        status = List(request);
    if (!made_.empty()) Discard();
    const Status finished = Finish();
    if (status.ok() && error == CE_None) status = finished;
    return status.ok() ? error : EmitError(store, status);
}

// ---------------------------------------------------------------------------------------------
// Afterwards

Status OverviewBuilder::RemoveLevels() {
    ZARR_RETURN_IF_ERROR(writer_.Describe({}));
    std::set<const ZarrDataset*> all;
    for (const auto& level : dataset_.levels_) all.insert(level.get());
    for (const LevelPaths& level : TakeOut(all)) ZARR_RETURN_IF_ERROR(writer_.Remove(level));
    return {};
}

CPLErr OverviewBuilder::Clean(const OverviewRequest& request) {
    const std::string& store = dataset_.store_path();
    const bool has_levels = !dataset_.levels_.empty();
    if (HasForeignLevels())
        return EmitError(store, Status::Unsupported("the levels of this pyramid were not built by "
                                                    "GDAL, so they are not removed"));
    if (has_levels && request.bands.size() != static_cast<std::size_t>(dataset_.nBands))
        return EmitError(store,
                         Status::Unsupported("overviews are removed for all bands together"));
    Status status = DropUnused();
    if (status.ok() && has_levels) status = RemoveLevels();
    const Status finished = Finish();
    if (status.ok()) status = finished;
    return status.ok() ? CE_None : EmitError(store, status);
}

Status OverviewBuilder::UpdateDescriptions() {
    if (!HasOwnLevels()) return {};
    dataset_.levels_stale_ = true;
    for (const LevelPaths& level : Described())
        ZARR_RETURN_IF_ERROR(writer_.UpdateDescription(level));
    return {};
}

CPLErr FillOverviews(const OverviewPixels& pixels) {
    if (pixels.levels.empty()) return CE_None;
    std::size_t all = 0;
    for (const auto& run : pixels.runs) all += run.size();
    WatchedProgress watched(pixels.progress, pixels.progress_data);
    std::size_t done = 0;
    for (const auto& run : pixels.runs) {
        const ScaledProgress progress(
            static_cast<double>(done) / static_cast<double>(all),
            static_cast<double>(done + run.size()) / static_cast<double>(all),
            WatchedProgress::Report, &watched);
        const bool is_alone = run.size() == 1 && !IsMasked(*pixels.base.GetRasterBand(run[0]));
        const CPLErr error =
            is_alone ? FillBand(pixels, run[0], progress) : FillTogether(pixels, run, progress);
        if (error != CE_None || watched.IsCancelled()) return CE_Failure;
        done += run.size();
    }
    return CE_None;
}

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#include "driver/overviews/overview_builder.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/conventions/pyramid/pyramid.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/progress.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// Returns the name of a GDAL resampling method in the spelling of zarr-conventions.
std::string MethodName(const std::string& resampling) {
    if (STARTS_WITH_CI(resampling.c_str(), "NEAR")) return "nearest";
    if (EQUAL(resampling.c_str(), "CUBICSPLINE")) return "cubic_spline";
    return CPLString(resampling).tolower();
}

// True if bands of the array share chunks and can be filled together. False for fields of a
// structured array: they share chunks, but GDAL resamples only bands of one type together.
bool SharesChunks(const RasterLayout& layout) {
    const auto& chunks = layout.facts.metadata.chunks;
    return layout.fields.size() == 1 &&
           std::any_of(layout.other_axes.begin(), layout.other_axes.end(),
                       [&](std::size_t axis) { return chunks[axis] > 1; });
}

// True for a band with a mask or an alpha band. Such a band is filled by GDAL's function for
// several bands, even if it is filled alone. GDAL's function for a single band would treat all
// pixels of the smaller levels as valid.
bool IsMasked(GDALRasterBand& band) {
    return (band.GetMaskFlags() & (GMF_ALL_VALID | GMF_NODATA)) == 0 &&
           !GDALDataTypeIsComplex(band.GetRasterDataType()) && band.GetColorTable() == nullptr;
}

// The raster, and the overviews that one call of BuildOverviews() fills.
struct OverviewPixels {
    GDALDataset& base;
    std::vector<GDALDataset*> levels;  // in order of decreasing size; same bands as `base`
    const OverviewRequest& request;
};

CPLErr FillBand(const OverviewPixels& pixels, int band, const ScaledProgress& progress) {
    std::vector<GDALRasterBandH> overviews;
    for (GDALDataset* level : pixels.levels)
        overviews.push_back(GDALRasterBand::ToHandle(level->GetRasterBand(band)));
    return GDALRegenerateOverviewsEx(GDALRasterBand::ToHandle(pixels.base.GetRasterBand(band)),
                                     static_cast<int>(overviews.size()), overviews.data(),
                                     pixels.request.resampling.c_str(), ScaledProgress::Report,
                                     progress.data(), pixels.request.options);
}

// Fills `bands`, which share chunks, in one call of GDAL, so that each chunk is written only once.
CPLErr FillTogether(const OverviewPixels& pixels, const std::vector<int>& bands,
                    const ScaledProgress& progress) {
    // In one call for several bands, GDAL computes each level from the next larger level. With the
    // method NEAREST, pixels must come from the raster itself, so each level is filled by its own
    // call.
    const bool is_nearest = STARTS_WITH_CI(pixels.request.resampling.c_str(), "NEAR");
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
    std::vector<std::vector<GDALRasterBand*>> overviews;  // overviews of each band in `sources`
    for (const int band : bands) {
        sources.push_back(pixels.base.GetRasterBand(band));
        overviews.emplace_back();
        for (GDALDataset* level : pixels.levels)
            overviews.back().push_back(level->GetRasterBand(band));
    }
    std::vector<GDALRasterBand* const*> pointers;
    pointers.reserve(overviews.size());
    for (const auto& of_band : overviews) pointers.push_back(of_band.data());
    return GDALRegenerateOverviewsMultiBand(
        static_cast<int>(sources.size()), sources.data(), static_cast<int>(pixels.levels.size()),
        pointers.data(), pixels.request.resampling.c_str(), ScaledProgress::Report, progress.data(),
        pixels.request.options);
}

// Fills the levels by GDAL's resampling. Each element of `runs` is a list of band numbers, from 1,
// that are filled together. GDAL emits an error on failure, but does not always emit one on
// cancellation.
CPLErr FillRuns(const OverviewPixels& pixels, const std::vector<std::vector<int>>& runs) {
    if (pixels.levels.empty()) return CE_None;
    std::size_t all = 0;
    for (const auto& run : runs) all += run.size();
    WatchedProgress watched(pixels.request.progress, pixels.request.progress_data);
    std::size_t done = 0;
    for (const auto& run : runs) {
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

// Describes an open overview: the paths of its arrays, its size in pixels, and its resampling
// method.
LevelPaths DescribedAs(OverviewableDataset& level, std::string method) {
    return {OverviewSet::PathsOf(level), static_cast<std::uint64_t>(level.GetRasterXSize()),
            static_cast<std::uint64_t>(level.GetRasterYSize()), std::move(method)};
}

}  // namespace

OverviewBuilder::OverviewBuilder(OverviewSet& set)
    : set_(set),
      raster_(set.raster()),
      writer_(*raster_.update(), *raster_.open_node().hierarchy, raster_.Source()) {}

// ---------------------------------------------------------------------------------------------
// Existing levels

Status OverviewBuilder::Renew(const std::vector<int>& factors) {
    const zarr::Hierarchy& hierarchy = *raster_.open_node().hierarchy;
    std::vector<std::string> bases;
    for (const RasterLayout* const array : raster_.Layouts()) {
        const zarr::ArrayFacts& facts = array->facts;
        ZARR_ASSIGN_OR_RETURN(const auto stored, hierarchy.Metadata(facts.path));
        if (stored.shape != facts.metadata.shape)
            return Status::Invalid("/" + facts.path +
                                   ": another process has changed the size of the array since it "
                                   "was opened; open it again");
        bases.push_back(facts.path);
    }
    const auto pyramids =
        zarr::FindPyramidsFrom(hierarchy, bases, zarr::IncompleteLevels::kIncluded).value;
    std::set<std::vector<std::string>> known;
    for (const auto& level : set_.levels()) known.insert(OverviewSet::PathsOf(*level));
    OverviewSet::Levels added;
    for (const std::vector<std::string>& paths : zarr::CommonLevels(pyramids)) {
        const bool is_incomplete = writer_.IsIncomplete(paths);
        if (known.count(paths) != 0 || (!writer_.AreListed(paths) && !is_incomplete)) continue;
        OverviewSet::Levels alone;
        ZARR_ASSIGN_OR_RETURN(alone.emplace_back(), raster_.OpenLevel(paths, 0));
        SetResampling(*alone.front(), writer_.MethodOf(paths[0]));
        const bool is_filled = std::any_of(factors.begin(), factors.end(), [&](int factor) {
            return FindLevel(alone, factor) != nullptr;
        });
        if (is_filled || !is_incomplete) added.push_back(std::move(alone.front()));
    }
    std::set<const OverviewableDataset*> kept;
    for (const auto& level : set_.levels()) {
        bool exists = true;
        for (const std::string& path : OverviewSet::PathsOf(*level)) {
            ZARR_ASSIGN_OR_RETURN(const bool is_array, hierarchy.HoldsArray(path));
            exists = exists && is_array;
        }
        if (exists) kept.insert(level.get());
        if (exists) ZARR_RETURN_IF_ERROR(level->Refresh());
    }
    set_.Remove(kept);
    set_.Merge(std::move(added));
    return {};
}

// Drops the levels of the dataset whose pixels are incomplete after a failed build.
void OverviewBuilder::DropIncomplete() {
    std::set<const OverviewableDataset*> kept;
    for (const auto& level : set_.levels())
        if (!writer_.IsIncomplete(OverviewSet::PathsOf(*level))) kept.insert(level.get());
    set_.Remove(kept);
}

std::vector<LevelPaths> OverviewBuilder::Described() const {
    std::vector<LevelPaths> levels;
    for (const auto& opened : set_.levels()) {
        const std::string path = OverviewSet::PathsOf(*opened)[0];
        levels.push_back(DescribedAs(*opened, writer_.MethodOf(path)));
    }
    return levels;
}

bool OverviewBuilder::HasOwnLevels() const {
    const auto& levels = set_.levels();
    return !levels.empty() && writer_.AreListed(OverviewSet::PathsOf(*levels[0]));
}

// True if another program has built an open level. Such a level is not in Listed(), the levels that
// GDAL has listed in the metadata. Considers levels of all bands, or else levels of single arrays.
bool OverviewBuilder::HasForeignLevels() const {
    if (!set_.levels().empty()) return !HasOwnLevels();
    std::set<std::string> listed;
    for (const zarr::OverviewLevel& level : writer_.Listed()) listed.insert(level.path);
    const std::vector<OverviewableDataset*> of_arrays = set_.All();
    return std::any_of(of_arrays.begin(), of_arrays.end(), [&](const OverviewableDataset* level) {
        return listed.count(OverviewSet::PathsOf(*level)[0]) == 0;
    });
}

// Returns the level for a reduction factor: a level of exactly the reduced size, else a level whose
// size gives `factor` by GDAL's formula. Returns nullptr if no such level exists.
OverviewableDataset* OverviewBuilder::FindLevel(const OverviewSet::Levels& levels,
                                                int factor) const {
    const int width = raster_.GetRasterXSize();
    const int height = raster_.GetRasterYSize();
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

// Fails if the raster is an overview itself, because overviews of overviews are not built.
Status OverviewBuilder::CheckBase() const {
    for (const RasterLayout* const array : raster_.Layouts()) {
        const std::string& path = array->facts.path;
        const auto pyramid = zarr::FindPyramidOf(*raster_.open_node().hierarchy, path).value;
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
            "; supported are NEAREST, AVERAGE, RMS, GAUSS, BILINEAR, CUBIC, CUBICSPLINE, "
            "LANCZOS, MODE and NONE");
    ZARR_RETURN_IF_ERROR(CheckBase());
    std::vector<int> added;
    for (const int factor : request.factors) {
        if (factor < 2)
            return Status::Invalid("an overview factor is at least 2, got " +
                                   std::to_string(factor));
        if (FindLevel(set_.levels(), factor) != nullptr) continue;
        added.push_back(factor);
        if (HasForeignLevels())
            return Status::Unsupported(
                "the levels of this pyramid were not built by GDAL: existing levels can be filled "
                "again, but a level of factor " +
                std::to_string(factor) + " cannot be added");
    }
    const auto all = static_cast<std::size_t>(raster_.GetRasterCount());
    const bool any_new = !added.empty();
    if (any_new && std::set<int>(request.bands.begin(), request.bands.end()).size() != all)
        return Status::Unsupported(
            "new overviews can be built only for all bands together; existing ones can be filled "
            "again band by band");
    ZARR_RETURN_IF_ERROR(CheckArrays(any_new));
    // Fails before any level is changed if the levels could not be described afterwards.
    return HasForeignLevels() ? Status() : writer_.CheckDescription(Described(), added);
}

Status OverviewBuilder::CheckArrays(bool any_new) const {
    for (const auto& level : set_.levels())
        for (const RasterLayout* const array : level->Layouts())
            if (array->RepeatsSlices())
                return Status::Unsupported(
                    "/" + array->facts.path +
                    ": has fewer slices than the raster, so the raster's bands cannot fill it");
    for (const RasterLayout* const array : raster_.Layouts()) {
        ZARR_RETURN_IF_ERROR(
            zarr::Array::CheckWritable(array->facts.metadata).WithContext(array->facts.path));
        if (any_new && array->HasFixedAxis())
            return Status::Unsupported("overviews of a slice of /" + array->facts.path +
                                       " cannot be built; open the whole array");
    }
    return {};
}

// ---------------------------------------------------------------------------------------------
// Building

Result<std::unique_ptr<OverviewableDataset>> OverviewBuilder::Open(const LevelPaths& level) const {
    ZARR_ASSIGN_OR_RETURN(auto opened, raster_.OpenLevel(level.paths, 0));
    if (opened->GetRasterXSize() != static_cast<int>(level.width) ||
        opened->GetRasterYSize() != static_cast<int>(level.height))
        return Status::Corrupt("/" + level.paths[0] + ": has " +
                               std::to_string(opened->GetRasterXSize()) + " x " +
                               std::to_string(opened->GetRasterYSize()) + " pixels, expected " +
                               std::to_string(level.width) + " x " + std::to_string(level.height));
    SetResampling(*opened, level.method);
    return opened;
}

// Creates the missing levels for `request.factors`. The arrays of a new level have no chunks until
// Fill() writes pixels.
Status OverviewBuilder::Make(const OverviewRequest& request) {
    for (const int factor : request.factors) {
        if (FindLevel(set_.levels(), factor) != nullptr) continue;
        LevelPaths level;
        level.width = static_cast<std::uint64_t>(Reduced(raster_.GetRasterXSize(), factor));
        level.height = static_cast<std::uint64_t>(Reduced(raster_.GetRasterYSize(), factor));
        const bool is_made = std::any_of(made_.begin(), made_.end(), [&](const auto& made) {
            return made->GetRasterXSize() == static_cast<int>(level.width) &&
                   made->GetRasterYSize() == static_cast<int>(level.height);
        });
        const bool is_smaller =
            level.width != static_cast<std::uint64_t>(raster_.GetRasterXSize()) ||
            level.height != static_cast<std::uint64_t>(raster_.GetRasterYSize());
        if (is_made || !is_smaller) continue;
        ZARR_RETURN_IF_ERROR(writer_.Make(factor, level));
        auto opened = Open(level);
        if (!opened.ok()) {
            // If the removal fails, too, the caller gets only the error of Open().
            static_cast<void>(writer_.Remove(level));
            return opened.status();
        }
        made_.push_back(opened.Take());
    }
    return {};
}

// Groups bands that are filled together because they share chunks. A group with an alpha band comes
// first, because GDAL needs the alpha band of a level to make the next smaller level.
std::vector<std::vector<int>> OverviewBuilder::Runs(const std::vector<int>& bands) const {
    std::vector<std::vector<int>> runs;
    const RasterLayout* last = nullptr;
    for (const int number : bands) {
        const RasterLayout* const array = &raster_.LayoutOf(number);
        const GDALDataType type = raster_.GetRasterBand(number)->GetRasterDataType();
        const bool joins = last == array && SharesChunks(*last) && !GDALDataTypeIsComplex(type);
        if (!joins) runs.emplace_back();
        runs.back().push_back(number);
        last = array;
    }
    const auto has_alpha = [&](const std::vector<int>& run) {
        return std::any_of(run.begin(), run.end(), [&](int number) {
            return raster_.GetRasterBand(number)->GetColorInterpretation() == GCI_AlphaBand;
        });
    };
    std::stable_partition(runs.begin(), runs.end(), has_alpha);
    return runs;
}

// Fills the masks of the levels from the masks of the bands. If several bands share a mask, the
// mask is filled once.
CPLErr OverviewBuilder::FillMasks(const OverviewRequest& request,
                                  const std::vector<OverviewableDataset*>& levels) const {
    std::set<const GDALRasterBand*> filled;
    for (const int number : request.bands) {
        GDALRasterBand* const mask = raster_.StoredMask(number);
        if (mask == nullptr || !filled.insert(mask).second) continue;
        std::vector<GDALRasterBandH> smaller;
        for (OverviewableDataset* const level : levels)
            if (GDALRasterBand* const band = level->StoredMask(number))
                smaller.push_back(GDALRasterBand::ToHandle(band));
        if (smaller.empty()) continue;
        const CPLErr error = GDALRegenerateOverviewsEx(
            GDALRasterBand::ToHandle(mask), static_cast<int>(smaller.size()), smaller.data(),
            request.resampling.c_str(), nullptr, nullptr, request.options);
        if (error != CE_None) return error;
    }
    return CE_None;
}

// Returns the old and new levels that `request` fills; none if it only creates levels.
std::vector<OverviewableDataset*> OverviewBuilder::Wanted(const OverviewRequest& request) const {
    std::set<OverviewableDataset*> wanted;
    if (!EQUAL(request.resampling.c_str(), "NONE"))
        for (const int factor : request.factors)
            for (const OverviewSet::Levels* levels : {&set_.levels(), &made_})
                if (OverviewableDataset* level = FindLevel(*levels, factor)) wanted.insert(level);
    return {wanted.begin(), wanted.end()};
}

// Returns the paths of the arrays in which `request` replaces pixels that readers may see.
std::vector<std::string> OverviewBuilder::FilledPaths(const OverviewRequest& request) const {
    const std::vector<const RasterLayout*> arrays = raster_.Layouts();
    std::set<const RasterLayout*> filled;
    for (const int number : request.bands) filled.insert(&raster_.LayoutOf(number));
    std::vector<std::string> paths;
    for (OverviewableDataset* const level : Wanted(request)) {
        const std::vector<std::string> of_level = OverviewSet::PathsOf(*level);
        for (std::size_t i = 0; i < of_level.size(); ++i)
            if (filled.count(arrays[i]) != 0) paths.push_back(of_level[i]);
    }
    return paths;
}

CPLErr OverviewBuilder::Fill(const OverviewRequest& request) const {
    return FillLevels(request, Wanted(request));
}

CPLErr OverviewBuilder::FillBands(const OverviewRequest& request,
                                  std::vector<OverviewableDataset*> levels) const {
    if (EQUAL(request.resampling.c_str(), "NONE")) return CE_None;
    return FillLevels(request, std::move(levels));
}

CPLErr OverviewBuilder::FillLevels(const OverviewRequest& request,
                                   std::vector<OverviewableDataset*> levels) const {
    // Consolidated metadata that the new levels have erased would otherwise be missing all the
    // time.
    StoreUpdate& update = *raster_.update();
    const Status finished = update.is_of_new_store() ? Status() : update.metadata().Finish();
    if (!finished.ok()) return EmitError(raster_.store_path(), finished);
    std::sort(levels.begin(), levels.end(), [](GDALDataset* a, GDALDataset* b) {
        return a->GetRasterXSize() * 1.0 * a->GetRasterYSize() >
               b->GetRasterXSize() * 1.0 * b->GetRasterYSize();
    });
    const auto errors = CPLGetErrorCounter();
    // Masks are filled before pixels. GDAL makes smaller levels from larger levels, and needs the
    // masks of the larger levels.
    CPLErr error = FillMasks(request, levels);
    if (error == CE_None)
        error = FillRuns({raster_, {levels.begin(), levels.end()}, request}, Runs(request.bands));
    if (error != CE_None && CPLGetErrorCounter() == errors)
        return EmitError(raster_.store_path(),
                         Status(zarr::StatusCode::kCancelled, "building overviews was cancelled"));
    if (error != CE_None) return error;
    for (OverviewableDataset* const level : levels) level->FlushBlocks(false);
    const Status status = update.FlushChunks(raster_.options().threads);
    return status.ok() ? CE_None : EmitError(raster_.store_path(), status);
}

// Lists the new levels together with the old levels in the metadata. Then adds the new levels to
// the dataset.
Status OverviewBuilder::List(const OverviewRequest& request) {
    std::set<const OverviewableDataset*> kept;
    for (const int factor : request.factors) kept.insert(FindLevel(set_.levels(), factor));
    std::vector<LevelPaths> replaced;
    if (set_.pending().replaces_others) replaced = set_.Remove(kept);
    std::vector<LevelPaths> described = Described();
    const std::string method = MethodName(request.resampling);
    for (std::size_t i = 0; i < described.size(); ++i) {
        if (kept.count(set_.levels()[i].get()) == 0) continue;
        described[i].method = method;
        SetResampling(*set_.levels()[i], method);
    }
    for (const auto& made : made_) {
        described.push_back(DescribedAs(*made, method));
        SetResampling(*made, method);
    }
    std::stable_sort(described.begin(), described.end(),
                     [](const LevelPaths& a, const LevelPaths& b) {
                         return a.width * a.height > b.width * b.height;
                     });
    ZARR_RETURN_IF_ERROR(writer_.Describe(described));
    for (const LevelPaths& level : replaced) ZARR_RETURN_IF_ERROR(writer_.Remove(level));
    set_.Merge(std::exchange(made_, {}));
    return {};
}

// Removes new levels that the metadata does not list. If a level cannot be removed, readers still
// do not see it.
void OverviewBuilder::Discard() {
    for (auto& made : made_) {
        set_.Release(*made);
        const LevelPaths level = DescribedAs(*made, "");
        made.reset();
        static_cast<void>(writer_.Remove(level));
    }
    made_.clear();
}

// Creates the masks of existing levels. Needed if the raster got its mask after the levels were
// built.
Status OverviewBuilder::MakeMissingMasks(const OverviewRequest& request) {
    if (!HasOwnLevels()) return {};
    const std::vector<LevelPaths> described = Described();
    for (std::size_t i = 0; i < described.size(); ++i) {
        const auto is_level = [&](int factor) {
            return FindLevel(set_.levels(), factor) == set_.levels()[i].get();
        };
        if (std::none_of(request.factors.begin(), request.factors.end(), is_level)) continue;
        ZARR_ASSIGN_OR_RETURN(const bool are_made, writer_.MakeMasks(described[i]));
        if (!are_made) continue;
        ZARR_RETURN_IF_ERROR(
            writer_.UpdateDescription(described[i], OverviewLevels::Fill::kIncomplete));
        set_.pending().is_reload = true;
    }
    return {};
}

// Opens the levels again if the metadata of the raster has changed, because the metadata affects
// resampling. The old datasets of the levels stay open, because callers may hold their bands.
Status OverviewBuilder::Reload() {
    if (!set_.pending().is_reload || !HasOwnLevels()) return {};
    OverviewSet::Levels opened;
    for (const LevelPaths& level : Described()) {
        ZARR_ASSIGN_OR_RETURN(opened.emplace_back(), Open(level));
    }
    set_.Remove({});
    set_.Merge(std::move(opened));
    set_.pending().is_reload = false;
    return {};
}

// Removes levels that the metadata lists but that cannot be used, and levels that exist for only
// some of the raster's arrays.
Status OverviewBuilder::DropUnused() {
    set_.RemoveLevelsOfArrays();
    std::set<std::string> used;
    for (const auto& level : set_.levels())
        for (const std::string& path : OverviewSet::PathsOf(*level)) used.insert(path);
    LevelPaths unused;
    for (const zarr::OverviewLevel& level : writer_.Listed())
        if (used.count(level.path) == 0) unused.paths.push_back(level.path);
    if (unused.paths.empty()) return {};
    ZARR_RETURN_IF_ERROR(writer_.Describe(Described()));
    return writer_.Remove(unused);
}

CPLErr OverviewBuilder::Build(const OverviewRequest& request) {
    const std::string& store = raster_.store_path();
    Status status = Renew(request.factors);
    if (status.ok()) status = CheckRequest(request);
    if (!status.ok()) return EmitError(store, status);
    const bool is_own = set_.levels().empty() || HasOwnLevels();
    const std::vector<std::string> filled = FilledPaths(request);
    status = writer_.RecordFill(filled, OverviewLevels::Fill::kIncomplete);
    if (status.ok()) status = MakeMissingMasks(request);
    if (status.ok()) status = Reload();
    if (status.ok()) status = DropUnused();
    if (status.ok()) status = writer_.RemoveLeftovers();
    if (status.ok()) status = Make(request);
    CPLErr error = status.ok() ? Fill(request) : CE_Failure;
    if (error == CE_None && is_own && (!made_.empty() || !set_.levels().empty()))
        status = List(request);
    if (error == CE_None && status.ok())
        status = writer_.RecordFill(filled, OverviewLevels::Fill::kComplete);
    if (!made_.empty()) Discard();
    if (error != CE_None || !status.ok())
        DropIncomplete();
    else
        set_.pending().warnings.clear();
    const Status finished = raster_.update()->metadata().Finish();
    if (status.ok() && error == CE_None) status = finished;
    return status.ok() ? error : EmitError(store, status);
}

// ---------------------------------------------------------------------------------------------
// Removing and updating levels

CPLErr OverviewBuilder::Clean(const OverviewRequest& request) {
    const std::string& store = raster_.store_path();
    if (const Status renewed = Renew({}); !renewed.ok()) return EmitError(store, renewed);
    const bool has_levels = !set_.levels().empty();
    if (HasForeignLevels())
        return EmitError(store, Status::Unsupported("the levels of this pyramid were not built by "
                                                    "GDAL, so they are not removed"));
    if (has_levels && request.bands.size() != static_cast<std::size_t>(raster_.GetRasterCount()))
        return EmitError(
            store, Status::Unsupported("overviews can be removed only for all bands together"));
    Status status = DropUnused();
    if (status.ok() && has_levels) status = writer_.Describe({});
    if (status.ok())
        for (const LevelPaths& level : set_.Remove({}))
            if (status.ok()) status = writer_.Remove(level);
    if (status.ok()) status = writer_.RemoveLeftovers();
    const Status finished = raster_.update()->metadata().Finish();
    if (status.ok()) status = finished;
    if (!status.ok()) return EmitError(store, status);
    set_.pending().warnings.clear();
    return CE_None;
}

Status OverviewBuilder::Describe() {
    ZARR_RETURN_IF_ERROR(Renew({}));
    return writer_.Describe(Described());
}

Status OverviewBuilder::Update() {
    const bool has_own = HasOwnLevels();
    if (has_own) {
        set_.pending().is_reload = true;
        for (const LevelPaths& level : Described())
            ZARR_RETURN_IF_ERROR(writer_.UpdateDescription(level));
    }
    // If the raster's fill value has changed, the fill values of the levels have changed, too.
    // Refresh() opens the changed arrays of a level again.
    for (const auto& level : set_.levels()) ZARR_RETURN_IF_ERROR(level->Refresh());
    return {};
}

}  // namespace zarr_driver

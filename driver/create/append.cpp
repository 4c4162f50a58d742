// SPDX-License-Identifier: MIT
#include "driver/create/append.h"

#include <algorithm>
#include <climits>
#include <map>
#include <set>
#include <utility>

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/conventions/attributes/attributes.h"
#include "core/conventions/catalog/catalog.h"
#include "core/dtype/stored_converter.h"
#include "core/hierarchy/hierarchy_writer.h"
#include "core/hierarchy/tree.h"
#include "core/store/keys.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/progress.h"
#include "driver/create/append_metadata.h"
#include "driver/create/append_pixels.h"
#include "driver/create/band_dimension.h"
#include "driver/create/file_name_time.h"
#include "driver/create/given_dates.h"
#include "driver/create/grown_arrays.h"
#include "driver/georef/georeferencing_write.h"
#include "driver/overviews/overview_builder.h"
#include "driver/overviews/overview_levels.h"
#include "driver/overviews/overview_plan.h"
#include "driver/raster/band.h"
#include "driver/store/open_node.h"
#include "driver/store/resolve.h"
#include "driver/store/store_kind.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::Result;
using zarr::Status;

namespace {

// Opens the hierarchy of `store`, in which each array to extend already has its new size. The store
// itself still has the old size.
Result<std::shared_ptr<const zarr::Hierarchy>> WithNewSizes(
    const std::shared_ptr<zarr::Store>& store, const AppendPlan& plan) {
    ZARR_ASSIGN_OR_RETURN(const auto hierarchy, CurrentHierarchy(store));
    return hierarchy->WithMetadata(plan.grown());
}

class DimensionAppend {
  public:
    DimensionAppend(std::string name, GDALDataset& source, std::shared_ptr<zarr::Store> store,
                    const AppendPlan& plan)
        : name_(std::move(name)), source_(source), store_(std::move(store)), plan_(plan) {}

    // Writes the slices through `update`, whose lock the caller holds.
    Result<std::unique_ptr<ZarrDataset>> Run(std::unique_ptr<StoreUpdate> update,
                                             const CreationOptions& options,
                                             GDALProgressFunc progress, void* progress_data) {
        ZARR_ASSIGN_OR_RETURN(const auto grown, WithNewSizes(store_, plan_));
        ZARR_ASSIGN_OR_RETURN(auto dataset, OpenGrown(grown));
        dataset->EnableUpdate(std::move(update), options.georeferenced);
        ZARR_RETURN_IF_ERROR(CheckPlace(*dataset));
        // Filling overviews, if any, takes the last quarter of the progress.
        const double copied = HasOverviewsToFill(options) ? 0.75 : 1;
        const ScaledProgress of_copy(0, copied, progress, progress_data);
        const ScaledProgress of_overviews(copied, 1, progress, progress_data);
        Status status = CopyBands(*dataset, ScaledProgress::Report, of_copy.data());
        if (status.ok())
            status = FillGrowingLevels(*dataset, plan_.pyramid(), plan_.BandsForOverviews(),
                                       options.append_resampling, of_overviews);
        if (status.ok()) status = WriteCoordinates(*grown, *dataset->update());
        if (status.ok()) status = FillOthers(*grown, *dataset);
        if (status.ok()) status = Publish(*dataset);
        if (status.ok()) status = BuildMissingOverviews(*dataset, options, of_overviews);
        if (status.ok() && !dataset->FinishStore()) status = {zarr::StatusCode::kCancelled, ""};
        if (status.ok()) {
            WarnOfOverviews();
            WarnOfChangedPixels();
            WarnOfGrownArrays();
            WarnOfOrder();
            return dataset;
        }
        const bool is_undone = !is_published_ && dataset->update()->metadata().UndoChange().ok();
        dataset->Abandon();
        if (is_undone) EraseNewChunks();
        return status;
    }

  private:
    Result<std::unique_ptr<ZarrDataset>> OpenGrown(
        const std::shared_ptr<const zarr::Hierarchy>& grown) {
        ZARR_ASSIGN_OR_RETURN(const OpenOptions open_options, OpenOptions::Parse(nullptr));
        OpenNode open_node;
        open_node.address = StoreAddress(store_->Describe());
        open_node.hierarchy = grown;
        open_node.node = plan_.path();
        open_node.kind = zarr::NodeKind::kArray;
        auto dataset = std::make_unique<ZarrDataset>(name_, open_node, open_options);
        ZARR_ASSIGN_OR_RETURN(RasterLayout layout,
                              MakeRasterLayout(*grown, plan_.path(), open_options, {}));
        // StoreAppendedMetadata() writes the list again, with the colours of the new slices.
        if (HasColourOfEachSlice(plan_.layout()))
            zarr::json::EraseMember(*layout.facts.attributes.MutableObject(),
                                    zarr::kColoursOfBands);
        dataset->AddArray(std::move(layout), false);
        dataset->Finish({{}, false});
        // Fails if some array cannot be read, because it may have the extended dimension and would
        // keep its old size.
        ZARR_RETURN_IF_ERROR(grown->TakeFailure());
        return dataset;
    }

    // Erases the chunks that a failed append has written beyond the old end of the arrays.
    void EraseNewChunks() const {
        std::vector<std::string> paths = {plan_.path()};
        for (const GrowingLevel& level : plan_.pyramid().levels) paths.push_back(level.path);
        paths.insert(paths.end(), others_.begin(), others_.end());
        for (const std::string& path : paths) {
            const auto array = plan_.hierarchy().OpenArray(path);
            if (array.ok())
                static_cast<void>(
                    zarr::EraseChunksOutside(*store_, **array, (*array)->metadata(), nullptr));
        }
    }

    bool HasOverviewsToFill(const CreationOptions& options) const {
        return !plan_.pyramid().levels.empty() || !options.overviews.IsEmpty();
    }

    // Builds the missing overviews that OVERVIEWS requests, and writes the consolidated metadata.
    static Status BuildMissingOverviews(ZarrDataset& target, const CreationOptions& options,
                                        const ScaledProgress& progress) {
        OverviewSet& overviews = target.overviews();
        OverviewPlan missing;
        missing.resampling = options.overviews.resampling;
        for (const int factor :
             options.overviews.FactorsFor(target.GetRasterXSize(), target.GetRasterYSize())) {
            const bool exists = std::any_of(
                overviews.levels().begin(), overviews.levels().end(), [&](const auto& level) {
                    return level->GetRasterXSize() == Reduced(target.GetRasterXSize(), factor) &&
                           level->GetRasterYSize() == Reduced(target.GetRasterYSize(), factor);
                });
            if (!exists) missing.factors.push_back(factor);
        }
        overviews.pending().plan = std::move(missing);
        if (target.BuildPlannedOverviews(ScaledProgress::Report, progress.data()) != CE_None)
            return {zarr::StatusCode::kCancelled, ""};
        return target.update()->metadata().Finish();
    }

    // Stores band descriptions and metadata of the new slices.
    Status StoreMetadata(ZarrDataset& target) const {
        std::string lost;
        for (const std::string& name : StoreAppendedMetadata(source_, target, plan_))
            if (!name.empty()) lost += (lost.empty() ? "" : ", ") + zarr::Quoted(name);
        if (!lost.empty())
            EmitWarning(store_->Describe() + ": /" + plan_.path(),
                        "descriptions of the source are not stored, because dimension " +
                            zarr::Quoted(plan_.dimension().name) + " has no coordinates: " + lost);
        return target.Flush() ? Status() : Status(zarr::StatusCode::kCancelled, "");
    }

    void WarnOfOverviews() const {
        if (!plan_.pyramid().cannot_grow) return;
        EmitWarning(store_->Describe() + ": /" + plan_.path(),
                    "its overviews lack the appended slices; build them again");
    }

    // Fails if the source has another geotransform or CRS than the array.
    Status CheckPlace(ZarrDataset& target) const {
        double own[6];
        double others[6];
        if (GDALGetGeoTransform(GDALDataset::ToHandle(&source_), others) == CE_None &&
            GDALGetGeoTransform(GDALDataset::ToHandle(&target), own) == CE_None) {
            const double pixel = std::hypot(own[1], own[4]);
            for (int i = 0; i < 6; ++i) {
                const double reach = i % 3 == 0 ? 1 : source_.GetRasterXSize();
                if (std::abs(own[i] - others[i]) * reach > 1e-3 * pixel)
                    return Status::Invalid(
                        "/" + plan_.path() +
                        ": the geotransform of the source differs from that of the array");
            }
        }
        const OGRSpatialReference* srs = target.GetSpatialRef();
        const OGRSpatialReference* others_srs = source_.GetSpatialRef();
        if (srs != nullptr && others_srs != nullptr && !srs->IsSame(others_srs))
            return Status::Invalid("/" + plan_.path() +
                                   ": the CRS of the source differs from that of the array");
        return {};
    }

    Status CopyBands(ZarrDataset& target, GDALProgressFunc progress, void* progress_data) {
        const int bands = source_.GetRasterCount();
        for (int i = 0; i < bands; ++i) {
            GDALRasterBand* const to = target.GetRasterBand(static_cast<int>(
                std::min<std::uint64_t>(plan_.TargetBand(static_cast<unsigned>(i)), INT_MAX)));
            if (to == nullptr)
                return Status::Limit("/" + plan_.path() + ": more slices than the maximum of " +
                                     std::to_string(kMaxBands) + " bands of a dataset");
            auto made = BandConversion::Between(*source_.GetRasterBand(i + 1), *to);
            if (!made.ok()) return made.status().WithContext("/" + plan_.path());
            const ScaledProgress scaled(static_cast<double>(i) / bands,
                                        static_cast<double>(i + 1) / bands, progress,
                                        progress_data);
            ZARR_RETURN_IF_ERROR(made->Run(ScaledProgress::Report, scaled.data()));
            rescales_ = rescales_ || made->rescales();
            changed_.clamped += made->changed().clamped;
            changed_.hidden += made->changed().hidden;
            changed_.shown += made->changed().shown;
            changed_.imaginary += made->changed().imaginary;
            constexpr int kOthers = GMF_ALL_VALID | GMF_ALPHA | GMF_NODATA;
            is_masked_ = is_masked_ || (to->GetMaskFlags() & kOthers) == 0;
        }
        return target.Flush() ? Status() : Status(zarr::StatusCode::kCancelled, "");
    }

    // Warns about source pixels whose value or meaning changes in the array, such as clamped
    // numbers.
    void WarnOfChangedPixels() const {
        const auto warn = [&](const std::string& message) {
            EmitWarning(store_->Describe() + ": /" + plan_.path(), message);
        };
        const auto pixels = [](std::uint64_t count, const char* of) {
            return std::to_string(count) + " pixels of the source " + of;
        };
        if (rescales_) warn("the slices are converted to the scale and the offset of the array");
        if (changed_.clamped != 0)
            warn(pixels(changed_.clamped,
                        "are out of the range of the array, and are stored as "
                        "the nearest number"));
        if (changed_.imaginary != 0)
            warn(pixels(changed_.imaginary,
                        "are complex, and lose their imaginary part, because the array is real"));
        if (changed_.hidden != 0)
            warn(pixels(changed_.hidden, "have the nodata value of the array, and become nodata"));
        if (changed_.shown != 0)
            warn(pixels(changed_.shown,
                        "are nodata, but the array has no nodata value; they are "
                        "stored unchanged"));
        if (is_masked_) warn("its mask applies to the appended slices, too");
    }

    // Warns that the append has put the coordinates out of order.
    void WarnOfOrder() const {
        if (plan_.disordered().empty()) return;
        EmitWarning(store_->Describe() + ": /" + plan_.coordinates()->path(),
                    zarr::Quoted(plan_.disordered()) +
                        " is appended after a later coordinate, so that the coordinates are no "
                        "longer in order, which some programs expect; sort the store with xarray: "
                        "xarray.open_zarr(...).sortby(" +
                        zarr::Quoted(plan_.dimension().name) + ")");
    }

    // Gives values to what the append adds to arrays that get none from the source. Bounds are
    // continued if their rule is plain. Other elements are missing.
    Status FillOthers(const zarr::Hierarchy& grown, ZarrDataset& target) {
        std::set<std::string> own(plan_.level_coordinates().begin(),
                                  plan_.level_coordinates().end());
        own.insert({plan_.path(), plan_.dimension().coordinate_path});
        for (const GrowingLevel& level : plan_.pyramid().levels) own.insert(level.path);
        const std::string* const bounds =
            zarr::StringAttribute(plan_.dimension().coordinate_attributes, "bounds");
        GrownArrays arrays(plan_.hierarchy(), grown, *target.update(), target.options().threads);
        for (const auto& [path, metadata] : plan_.grown()) {
            if (own.count(path) != 0) continue;
            others_.push_back(path);
            if (bounds != nullptr && !plan_.new_elements().empty() &&
                path ==
                    zarr::JoinKey(zarr::ParentPath(plan_.dimension().coordinate_path), *bounds)) {
                ZARR_ASSIGN_OR_RETURN(
                    const bool are_known,
                    arrays.ContinueBounds(path, *plan_.coordinates(), plan_.new_elements()));
                if (are_known) continue;
                missing_bounds_ = path;
            }
            ZARR_RETURN_IF_ERROR(arrays.FillMissing(path));
        }
        zeros_ = arrays.zeros();
        return {};
    }

    // Warns of arrays that have grown without values: bounds that are missing, and arrays without a
    // missing value, whose new elements look like valid zeros.
    void WarnOfGrownArrays() const {
        const std::string dimension =
            "along dimension " + zarr::Quoted(plan_.dimension().name) + " ";
        if (!missing_bounds_.empty())
            EmitWarning(store_->Describe() + ": /" + missing_bounds_,
                        "bounds of the new slices " + dimension + "are missing; write them");
        std::string paths;
        for (const std::string& path : zeros_)
            if (path != missing_bounds_) paths += (paths.empty() ? "/" : ", /") + path;
        if (!paths.empty())
            EmitWarning(store_->Describe() + ": /" + plan_.path(),
                        "the new slices " + dimension + "are zero in arrays without a nodata " +
                            "value; write them, or set a nodata value before: " + paths);
    }

    Status WriteCoordinates(const zarr::Hierarchy& grown, StoreUpdate& update) const {
        if (plan_.new_elements().empty()) return {};
        ZARR_RETURN_IF_ERROR(WriteCoordinatesAt(plan_.coordinates()->path(), grown, update));
        for (const std::string& path : plan_.level_coordinates())
            ZARR_RETURN_IF_ERROR(WriteCoordinatesAt(path, grown, update));
        return {};
    }

    Status WriteCoordinatesAt(const std::string& path, const zarr::Hierarchy& grown,
                              StoreUpdate& update) const {
        ZARR_ASSIGN_OR_RETURN(const auto array, grown.OpenArray(path));
        ZARR_ASSIGN_OR_RETURN(zarr::ArrayWriter* const writer, update.WriterOf(array));
        ZARR_ASSIGN_OR_RETURN(
            const zarr::Converter op,
            zarr::WriteConverter(plan_.coordinates()->dtype(), array->metadata().dtype));
        std::string elements;
        for (const std::string& element : plan_.new_elements()) elements += element;
        const zarr::Region region{{plan_.dimension().size}, {plan_.new_elements().size()}, {1}};
        ZARR_RETURN_IF_ERROR(
            writer->Write(region, 0,
                          {reinterpret_cast<const std::uint8_t*>(elements.data()),
                           {static_cast<std::ptrdiff_t>(plan_.new_elements()[0].size())},
                           op},
                          1));
        return writer->Flush(1);
    }

    // Stores the new sizes, the metadata of the slices and of the overviews as one change. The
    // sizes of overviews come first, then those of coordinates, then that of the array itself,
    // because readers ignore what is longer than the array. If the process is killed, the next
    // writer restores the old documents.
    Status Publish(ZarrDataset& target) {
        zarr::HierarchyWriter& metadata = target.update()->metadata();
        std::vector<std::string> paths;
        for (const auto& [path, grown] : plan_.grown()) paths.push_back(path);
        if (!paths.empty()) ZARR_RETURN_IF_ERROR(metadata.BeginChange(paths));
        for (const int priority : {0, 1, 2, 3})
            for (const auto& [path, grown] : plan_.grown())
                if (PriorityOf(path) == priority)
                    ZARR_RETURN_IF_ERROR(metadata.ReplaceMetadata(path, grown));
        ZARR_RETURN_IF_ERROR(StoreMetadata(target));
        OverviewSet& overviews = target.overviews();
        if (!overviews.levels().empty()) ZARR_RETURN_IF_ERROR(OverviewBuilder(overviews).Update());
        ZARR_RETURN_IF_ERROR(metadata.EndChange());
        is_published_ = true;
        return {};
    }

    int PriorityOf(const std::string& path) const {
        const auto& of_levels = plan_.level_coordinates();
        if (std::find(of_levels.begin(), of_levels.end(), path) != of_levels.end()) return 0;
        if (path == plan_.dimension().coordinate_path) return 2;
        return path == plan_.path() ? 3 : 1;
    }

    const std::string name_;  // name of the target dataset, as the user gave it
    GDALDataset& source_;
    const std::shared_ptr<zarr::Store> store_;
    const AppendPlan& plan_;
    bool is_published_ = false;
    std::vector<std::string> others_;  // grown arrays that get no values from the source
    std::vector<std::string> zeros_;   // those that have no missing value
    std::string missing_bounds_;       // bounds that are not continued; may be empty
    // Numbers of changed pixels, summed over all copied bands.
    BandConversion::Changed changed_;
    bool rescales_ = false;
    bool is_masked_ = false;
};

}  // namespace

Result<std::unique_ptr<ZarrDataset>> AppendAlong(const std::string& name, GDALDataset& source,
                                                 const CreationOptions& options,
                                                 GDALProgressFunc progress, void* progress_data) {
    const StoreAddress folder = AddressOf(name);
    if (!HoldsStore(folder))
        return Status::NotFound("creation option APPEND_DIM: there is no Zarr store to append to");
    ZARR_RETURN_IF_ERROR(CheckChangeable(folder));
    ZARR_ASSIGN_OR_RETURN(auto store, OpenStoreForUpdate(folder));
    ZARR_ASSIGN_OR_RETURN(auto locks, OpenSynchronizer(options.synchronizer));
    auto update =
        std::make_unique<StoreUpdate>(store, zarr::WriteConsolidated::kIfPresent, std::move(locks));
    update->SetLockWait(options.lock_wait);
    // Held for the whole append: another one must neither change the sizes that the plan is made
    // from, nor write to the same new slices.
    ZARR_ASSIGN_OR_RETURN(const zarr::StoreLock lock, update->Lock());
    ZARR_ASSIGN_OR_RETURN(const auto hierarchy, CurrentHierarchy(store));
    ZARR_ASSIGN_OR_RETURN(const AppendPlan plan, AppendPlan::Make(hierarchy, source, options));
    return DimensionAppend(name, source, std::move(store), plan)
        .Run(std::move(update), options, progress, progress_data);
}

Result<AppendPlan> AppendPlan::Make(std::shared_ptr<const zarr::Hierarchy> hierarchy,
                                    GDALDataset& source, const CreationOptions& options) {
    AppendPlan plan(std::move(hierarchy), source, options);
    ZARR_RETURN_IF_ERROR(plan.FindArray());
    ZARR_RETURN_IF_ERROR(plan.CountSlices());
    ZARR_RETURN_IF_ERROR(plan.FindIndices());
    ZARR_RETURN_IF_ERROR(plan.CheckOtherCoordinates());
    ZARR_RETURN_IF_ERROR(plan.PlanGrowth());
    ZARR_RETURN_IF_ERROR(plan.PlanLevels());
    // Fails if some array could not be read, because it may have the extended dimension and would
    // keep its old size.
    ZARR_RETURN_IF_ERROR(plan.hierarchy_->TakeFailure());
    return plan;
}

// Finds the array that the creation option ARRAY_NAME names. Without this option, finds the only
// array with the dimension APPEND_DIM and the source's width and height.
Status AppendPlan::FindArray() {
    std::vector<std::string> paths{options_->array_name};
    if (options_->array_name.empty()) {
        std::vector<std::string> others;
        ZARR_ASSIGN_OR_RETURN(paths, Candidates(others));
        if (paths.empty())
            return Status::Invalid(
                "creation option APPEND_DIM: no array of the source's size, " +
                std::to_string(source_->GetRasterXSize()) + " x " +
                std::to_string(source_->GetRasterYSize()) + " pixels, has a dimension " +
                zarr::Quoted(options_->append_dim) +
                (others.empty() ? ""
                                : "; arrays of other sizes have it: " + FirstFew(others, ", ")));
        if (paths.size() != 1)
            return Status::Invalid(
                "creation option APPEND_DIM: more than one array of the source's size has a "
                "dimension " +
                zarr::Quoted(options_->append_dim) + "; name one with creation option ARRAY_NAME");
    }
    ZARR_ASSIGN_OR_RETURN(const std::string path, zarr::NormalizePath(paths[0]));
    ZARR_ASSIGN_OR_RETURN(const OpenOptions options, OpenOptions::Parse(nullptr));
    ZARR_ASSIGN_OR_RETURN(layout_, MakeRasterLayout(*hierarchy_, path, options, {}));
    for (const std::size_t axis : layout_.other_axes) {
        if (layout_.facts.dimensions[axis].name != options_->append_dim) continue;
        axis_ = axis;
        pyramid_ = FindGrowingPyramid(*hierarchy_, layout_, axis_);
        return zarr::Array::CheckWritable(layout_.facts.metadata);
    }
    return Status::Invalid("creation option APPEND_DIM: /" + path + " has no dimension " +
                           zarr::Quoted(options_->append_dim) + " besides X and Y");
}

// Returns the paths of all arrays that have the extended dimension and the size of the source. Adds
// the paths and sizes of rasters with the dimension and another size to `others`.
Result<std::vector<std::string>> AppendPlan::Candidates(std::vector<std::string>& others) const {
    std::vector<std::string> paths;
    ZARR_ASSIGN_OR_RETURN(const OpenOptions options, OpenOptions::Parse(nullptr));
    ZARR_ASSIGN_OR_RETURN(const auto groups, zarr::ListRasters(*hierarchy_, "").value);
    for (const zarr::CatalogGroup& group : groups) {
        for (const zarr::CatalogArray* array : group.Rasters()) {
            const auto& names = array->dimensions;
            if (std::find(names.begin(), names.end(), options_->append_dim) == names.end())
                continue;
            const auto layout = MakeRasterLayout(*hierarchy_, array->path, options, {});
            if (!layout.ok()) continue;
            if (layout->Width() == source_->GetRasterXSize() &&
                layout->Height() == source_->GetRasterYSize())
                paths.push_back(array->path);
            else
                others.push_back("/" + array->path + " has " + std::to_string(layout->Width()) +
                                 " x " + std::to_string(layout->Height()));
        }
    }
    return paths;
}

// Computes how many slices the source adds. A slice has one band for each combination of indices
// along the other extra dimensions.
Status AppendPlan::CountSlices() {
    if (layout_.Width() != source_->GetRasterXSize() ||
        layout_.Height() != source_->GetRasterYSize())
        return Status::Invalid("/" + layout_.facts.path + ": its rasters have " +
                               std::to_string(layout_.Width()) + " x " +
                               std::to_string(layout_.Height()) + " pixels, the source's " +
                               std::to_string(source_->GetRasterXSize()) + " x " +
                               std::to_string(source_->GetRasterYSize()));
    if (layout_.fields.size() != 1)
        return Status::Unsupported("/" + layout_.facts.path +
                                   ": an array of structures cannot be extended by a raster");
    std::uint64_t bands_per_slice = 1;
    for (const std::size_t axis : layout_.other_axes)
        if (axis != axis_) bands_per_slice *= layout_.facts.dimensions[axis].size;
    const auto bands = static_cast<std::uint64_t>(source_->GetRasterCount());
    if (bands_per_slice == 0 || bands % bands_per_slice != 0)
        return Status::Invalid("/" + layout_.facts.path + ": the source's " +
                               std::to_string(bands) + " bands are not a multiple of the " +
                               std::to_string(bands_per_slice) + " bands of a slice along " +
                               options_->append_dim);
    slices_ = bands / bands_per_slice;
    return {};
}

// Returns the 0-based number of the first source band in slice `slice`.
std::uint64_t AppendPlan::FirstBandOf(std::uint64_t slice) const {
    std::uint64_t faster = 1;  // number of bands for each index along the extended dimension
    for (auto axis = layout_.other_axes.rbegin(); *axis != axis_; ++axis)
        faster *= layout_.facts.dimensions[*axis].size;
    return slice * faster;
}

// Returns the coordinates of the source's slices along the extended dimension, as text.
Result<std::vector<std::string>> AppendPlan::Texts() const {
    std::vector<std::string> texts;
    if (!options_->append_dim_values.empty()) {
        ZARR_ASSIGN_OR_RETURN(
            const std::string values,
            WithTimeOfFile("APPEND_DIM_VALUES", options_->append_dim_values, source_));
        const CPLStringList list(CSLTokenizeString2(values.c_str(), ",", CSLT_HONOURSTRINGS));
        const auto reference = coordinates_->Reference();
        for (int i = 0; i < list.size(); ++i) {
            GivenTime given{list[i], ""};
            if (reference) {
                ZARR_ASSIGN_OR_RETURN(given, ReadGivenTime(given.text, *reference));
            }
            if (!given.warning.empty())
                EmitWarning(hierarchy_->store()->Describe() + ": /" + path(), given.warning);
            texts.push_back(std::move(given.text));
        }
        if (texts.size() != slices_)
            return Status::Invalid(
                "creation option APPEND_DIM_VALUES: " + std::to_string(texts.size()) +
                " values for " + std::to_string(slices_) + " slices");
        return texts;
    }
    for (std::uint64_t i = 0; i < slices_; ++i) {
        GDALRasterBand& band = *source_->GetRasterBand(static_cast<int>(FirstBandOf(i)) + 1);
        auto text = coordinates_->TextOf(*source_, band);
        if (!text)
            return Status::Invalid("/" + coordinates_->path() + " has coordinates, but band " +
                                   std::to_string(band.GetBand()) + " of the source has none; " +
                                   "set creation option APPEND_DIM_VALUES");
        texts.push_back(std::move(*text));
    }
    return texts;
}

// Returns the extended dimension with its coordinates, even if these are longer than the array.
// Another program may have extended them, or an append by version 0.1 that was killed.
Result<zarr::Dimension> AppendPlan::DimensionWithCoordinates() const {
    zarr::Dimension extended = dimension();
    const std::string path = zarr::JoinKey(extended.group, extended.name);
    if (!extended.is_named || !extended.coordinate_path.empty() || !zarr::IsValidKey(path))
        return extended;
    const auto metadata = hierarchy_->Metadata(path);
    if (!metadata.ok() || metadata->rank() != 1 || metadata->shape[0] <= extended.size)
        return extended;
    extended.size = metadata->shape[0];
    extended.coordinate_path = path;
    ZARR_ASSIGN_OR_RETURN(extended.coordinate_attributes, hierarchy_->Attributes(path));
    return extended;
}

// Finds where each source slice belongs along the extended dimension: a new index, or the index
// with the same coordinate.
Status AppendPlan::FindIndices() {
    new_size_ = dimension().size;
    ZARR_ASSIGN_OR_RETURN(const zarr::Dimension extended, DimensionWithCoordinates());
    if (extended.coordinate_path.empty()) {
        for (std::uint64_t i = 0; i < slices_; ++i) indices_.push_back(new_size_++);
        return {};
    }
    ZARR_ASSIGN_OR_RETURN(coordinates_,
                          GrowingCoordinates::Read(*hierarchy_, extended, extended.size));
    ZARR_ASSIGN_OR_RETURN(const std::vector<std::string> texts, Texts());
    GrowingCoordinates::Order order(*coordinates_);
    std::set<std::string> seen;
    for (const std::string& text : texts) {
        ZARR_ASSIGN_OR_RETURN(std::string element, coordinates_->ElementOf(text));
        if (!seen.insert(element).second)
            return Status::Invalid("two slices of the source have the coordinate " +
                                   zarr::Quoted(text) + " along " + options_->append_dim);
        const auto index = coordinates_->Find(element);
        indices_.push_back(index ? *index : new_size_);
        if (!index || *index >= dimension().size) ++new_size_;
        if (index) continue;
        if (!order.Add(element) && disordered_.empty()) disordered_ = text;
        new_elements_.push_back(std::move(element));
    }
    // Coordinates beyond the array must get their slices, and no others can follow.
    if (extended.size == dimension().size || (new_size_ == extended.size && new_elements_.empty()))
        return {};
    return Status::Invalid("/" + extended.coordinate_path + " has " +
                           std::to_string(extended.size) + " coordinates, /" + path() + " has " +
                           std::to_string(dimension().size) +
                           " slices; append the missing slices, and no others");
}

// Fails if a source band and its target band differ in a coordinate along any other extra
// dimension.
Status AppendPlan::CheckOtherCoordinates() const {
    std::uint64_t stride = 1;  // number of source bands for each index along the dimension `axis`
    for (auto axis = layout_.other_axes.rbegin(); axis != layout_.other_axes.rend(); ++axis) {
        const zarr::Dimension& other = layout_.facts.dimensions[*axis];
        const std::uint64_t size = *axis == axis_ ? slices_ : other.size;
        const std::uint64_t step = stride;
        stride *= size;
        if (*axis == axis_ || other.coordinate_path.empty()) continue;
        const auto coordinates = GrowingCoordinates::Read(*hierarchy_, other, other.size);
        if (!coordinates.ok() || !coordinates->AreNumbers()) continue;
        for (int i = 0; i < source_->GetRasterCount(); ++i) {
            GDALRasterBand& band = *source_->GetRasterBand(i + 1);
            const std::uint64_t index = static_cast<std::uint64_t>(i) / step % size;
            const auto text = coordinates->TextOf(*source_, band);
            if (!text || coordinates->IsAt(index, *text)) continue;
            return Status::Invalid("/" + layout_.facts.path + ": band " + std::to_string(i + 1) +
                                   " of the source lies at " + *text + " along " +
                                   zarr::Quoted(other.name) + ", but element " +
                                   std::to_string(index) + " of the array's coordinates differs");
        }
    }
    return {};
}

// Computes the metadata after the append, for every array that has the extended dimension.
Status AppendPlan::PlanGrowth() {
    if (new_size_ == dimension().size) return {};
    return PlanGrowthAlong(dimension());
}

// Plans the growth of every array that has `extended`: the extended dimension, or that of a level.
Status AppendPlan::PlanGrowthAlong(const zarr::Dimension& extended) {
    ZARR_ASSIGN_OR_RETURN(const auto groups, zarr::ListRasters(*hierarchy_, "").value);
    for (const zarr::CatalogGroup& group : groups) {
        for (const zarr::CatalogArray& array : group.arrays) {
            const auto facts = zarr::DescribeArray(*hierarchy_, array.path);
            if (!facts.ok()) continue;
            for (std::size_t i = 0; i < facts->dimensions.size(); ++i)
                if (const zarr::Dimension& other = facts->dimensions[i];
                    other.is_named && other.name == extended.name && other.size == extended.size &&
                    other.group == extended.group &&
                    other.coordinate_path == extended.coordinate_path)
                    ZARR_RETURN_IF_ERROR(PlanAxisGrowth(*facts, i));
        }
    }
    return {};
}

Status AppendPlan::PlanAxisGrowth(const zarr::ArrayFacts& facts, std::size_t axis) {
    auto shape = facts.metadata.shape;
    if (shape[axis] == new_size_) return {};
    shape[axis] = new_size_;
    ZARR_ASSIGN_OR_RETURN(zarr::ArrayMetadata after,
                          zarr::WithShape(facts.metadata, std::move(shape))
                              .WithContext(hierarchy_->KeyOf(facts.path, zarr::Document::kArray)));
    grown_[facts.path] = std::move(after);
    return {};
}

// Plans the size of the array's mask, overviews, their masks and their coordinates, which may have
// another size than the array.
Status AppendPlan::PlanLevels() {
    ZARR_RETURN_IF_ERROR(PlanArrayGrowth(MaskOf(layout_, path()), dimension().name));
    for (const GrowingLevel& level : pyramid_.levels) {
        ZARR_ASSIGN_OR_RETURN(const auto facts, zarr::DescribeArray(*hierarchy_, level.path));
        ZARR_RETURN_IF_ERROR(PlanAxisGrowth(facts, axis_));
        const zarr::Dimension& of_level = facts.dimensions[axis_];
        ZARR_RETURN_IF_ERROR(PlanArrayGrowth(MaskOf(layout_, level.path), of_level.name));
        if (of_level.is_named) ZARR_RETURN_IF_ERROR(PlanAlongLevel(level.path, of_level));
    }
    return {};
}

// Plans the size of the coordinates of the level at `level`, and of other arrays with its
// dimension.
Status AppendPlan::PlanAlongLevel(const std::string& level, const zarr::Dimension& of_level) {
    if (grown_.count(level) != 0) ZARR_RETURN_IF_ERROR(PlanGrowthAlong(of_level));
    const std::string coordinates = !of_level.coordinate_path.empty()
                                        ? of_level.coordinate_path
                                        : zarr::JoinKey(zarr::ParentPath(level), of_level.name);
    if (coordinates == dimension().coordinate_path ||
        coordinates == zarr::JoinKey(dimension().group, dimension().name))
        return {};
    ZARR_RETURN_IF_ERROR(PlanArrayGrowth(coordinates, of_level.name));
    if (grown_.count(coordinates) != 0) level_coordinates_.push_back(coordinates);
    return {};
}

// Plans a new size for the mask or coordinate array at `path`, whose dimension `name` is extended.
// Does nothing if `path` is empty or there is no such array.
Status AppendPlan::PlanArrayGrowth(const std::string& path, const std::string& name) {
    if (!zarr::IsValidKey(path)) return {};
    const auto facts = zarr::DescribeArray(*hierarchy_, path);
    if (!facts.ok()) return {};
    for (std::size_t i = 0; i < facts->dimensions.size(); ++i)
        if (facts->dimensions[i].name == name) ZARR_RETURN_IF_ERROR(PlanAxisGrowth(*facts, i));
    return {};
}

std::vector<int> AppendPlan::BandsForOverviews() const {
    std::set<int> bands;
    for (int i = 0; i < source_->GetRasterCount(); ++i)
        bands.insert(static_cast<int>(
            std::min<std::uint64_t>(TargetBand(static_cast<unsigned>(i)), INT_MAX)));
    if (pyramid_.is_current) return {bands.begin(), bands.end()};
    std::uint64_t all = new_size_;  // number of bands in the array after the append
    for (const std::size_t axis : layout_.other_axes)
        if (axis != axis_) all *= layout_.facts.dimensions[axis].size;
    for (std::uint64_t band = 0; band < std::min<std::uint64_t>(all, kMaxBands); ++band)
        bands.insert(static_cast<int>(band) + 1);
    return {bands.begin(), bands.end()};
}

std::uint64_t AppendPlan::TargetBand(std::uint64_t number) const {
    std::uint64_t target = 0;
    std::uint64_t stride = 1;
    for (auto axis = layout_.other_axes.rbegin(); axis != layout_.other_axes.rend(); ++axis) {
        const bool grows = *axis == axis_;
        const std::uint64_t size = grows ? slices_ : layout_.facts.dimensions[*axis].size;
        const std::uint64_t index = number % size;
        number /= size;
        target += stride * (grows ? indices_[static_cast<std::size_t>(index)] : index);
        stride *= grows ? new_size_ : size;
    }
    return target + 1;
}

}  // namespace zarr_driver

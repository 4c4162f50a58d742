// SPDX-License-Identifier: MIT
#include "driver/append_dim.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <map>
#include <utility>

#include "core/conventions/pyramid.h"
#include "core/dtype/convert.h"
#include "core/hierarchy/resize.h"
#include "core/hierarchy/tree.h"
#include "core/store/consolidated_store.h"
#include "core/store/keys.h"
#include "driver/append_plan.h"
#include "driver/band.h"
#include "driver/coordinate_arrays.h"
#include "driver/location.h"
#include "driver/open_store.h"
#include "driver/report.h"
#include "driver/store_folder.h"
#include "driver/vsi_store.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::Result;
using zarr::Status;

namespace {

// The same documents as `hierarchy`'s store has, but for those given, over the same chunks.
Result<std::shared_ptr<const zarr::Hierarchy>> WithDocuments(
    const std::shared_ptr<zarr::Store>& store,
    const std::map<std::string, json::Object>& documents) {
    ZARR_ASSIGN_OR_RETURN(const std::string text, zarr::ConsolidatedText(*store, ""));
    ZARR_ASSIGN_OR_RETURN(json::Value all, json::Parse(text));
    for (json::Member& top : *all.as_object()) {
        if (top.first != "metadata") continue;
        for (json::Member& entry : *top.second.as_object()) {
            const auto found = documents.find(std::string(zarr::ParentPath(entry.first)));
            if (found != documents.end() && zarr::LastName(entry.first) == zarr::kArrayKey)
                entry.second = json::Value(found->second);
        }
    }
    const std::string changed = json::Dump(all);
    zarr::Buffer buffer;
    ZARR_RETURN_IF_ERROR(buffer.Reset(changed.size()));
    std::copy(changed.begin(), changed.end(), buffer.span().data);
    ZARR_ASSIGN_OR_RETURN(auto overlay, zarr::ConsolidatedStore::Make(store, std::move(buffer)));
    return zarr::Hierarchy::Open(std::move(overlay), zarr::UseConsolidated::kNever,
                                 SharedContext());
}

class DimensionAppend {
  public:
    DimensionAppend(std::string name, GDALDataset& source, std::shared_ptr<zarr::Store> store,
                    const AppendPlan& plan, bool had_overviews)
        : name_(std::move(name)),
          source_(source),
          store_(std::move(store)),
          plan_(plan),
          had_overviews_(had_overviews) {}

    Result<std::unique_ptr<ZarrDataset>> Run(const CreationOptions& options,
                                             GDALProgressFunc progress, void* progress_data) {
        ZARR_ASSIGN_OR_RETURN(const auto grown, WithDocuments(store_, plan_.documents()));
        ZARR_ASSIGN_OR_RETURN(auto dataset, OpenGrown(grown, options));
        ZARR_RETURN_IF_ERROR(CheckPlace(*dataset));
        Status status = CopyBands(*dataset, progress, progress_data);
        if (status.ok()) status = WriteCoordinates(*grown, *dataset->update());
        if (status.ok()) status = Publish(dataset->update()->metadata());
        if (status.ok()) {
            WarnOfOverviews();
            return dataset;
        }
        dataset->Abandon();
        // An array that has grown keeps what was written, though the consolidated metadata may be
        // missing.
        const zarr::Array& array = *plan_.layout().array;
        if (grown_.count(plan_.path()) == 0)
            static_cast<void>(zarr::EraseChunksOutside(*store_, array, array.metadata().shape));
        return status;
    }

  private:
    Result<std::unique_ptr<ZarrDataset>> OpenGrown(
        const std::shared_ptr<const zarr::Hierarchy>& grown, const CreationOptions& options) {
        ZARR_ASSIGN_OR_RETURN(const OpenOptions open_options, OpenOptions::Parse(nullptr));
        Location location;
        location.store_path = store_->Describe();
        location.hierarchy = grown;
        location.node = plan_.path();
        location.kind = zarr::NodeKind::kArray;
        auto dataset = std::make_unique<ZarrDataset>(name_, location, open_options);
        ZARR_ASSIGN_OR_RETURN(RasterLayout layout, LayOut(*grown, plan_.path(), open_options, {}));
        dataset->AddArray(std::move(layout), false);
        dataset->Finish({{}, false});
        ZARR_RETURN_IF_ERROR(grown->TakeFailure());  // what was overlooked would not be grown
        ZARR_ASSIGN_OR_RETURN(auto locks, OpenSynchronizer(options.synchronizer));
        dataset->EnableUpdate(std::make_unique<StoreUpdate>(
                                  store_, zarr::WriteConsolidated::kIfPresent, std::move(locks)),
                              options.georeferenced);
        return dataset;
    }

    void WarnOfOverviews() const {
        if (!had_overviews_ || plan_.documents().empty()) return;
        EmitWarning(store_->Describe() + ": /" + plan_.path(),
                    "its overviews have not grown with it; build them anew");
    }

    // Fails where the source is known to lie elsewhere.
    Status CheckPlace(ZarrDataset& target) const {
        double own[6];
        double others[6];
        if (GDALGetGeoTransform(GDALDataset::ToHandle(&source_), others) == CE_None &&
            GDALGetGeoTransform(GDALDataset::ToHandle(&target), own) == CE_None) {
            const double pixel = std::hypot(own[1], own[4]);
            for (int i = 0; i < 6; ++i) {
                const double reach = i % 3 == 0 ? 1 : source_.GetRasterXSize();
                if (std::abs(own[i] - others[i]) * reach > 1e-3 * pixel)
                    return Status::Invalid("/" + plan_.path() +
                                           ": the source has another geotransform");
            }
        }
        const OGRSpatialReference* srs = target.GetSpatialRef();
        const OGRSpatialReference* others_srs = source_.GetSpatialRef();
        if (srs != nullptr && others_srs != nullptr && !srs->IsSame(others_srs))
            return Status::Invalid("/" + plan_.path() + ": the source has another CRS");
        return {};
    }

    Status CopyBands(ZarrDataset& target, GDALProgressFunc progress, void* progress_data) const {
        const int bands = source_.GetRasterCount();
        for (int i = 0; i < bands; ++i) {
            GDALRasterBand* const to = target.GetRasterBand(static_cast<int>(
                std::min<std::uint64_t>(plan_.TargetBand(static_cast<unsigned>(i)), INT_MAX)));
            if (to == nullptr)
                return Status::Limit("/" + plan_.path() + ": more slices than the " +
                                     std::to_string(kMaxBands) + " bands of a dataset");
            void* const scaled = GDALCreateScaledProgress(static_cast<double>(i) / bands,
                                                          static_cast<double>(i + 1) / bands,
                                                          progress, progress_data);
            const CPLErr error = GDALRasterBandCopyWholeRaster(source_.GetRasterBand(i + 1), to,
                                                               nullptr, GDALScaledProgress, scaled);
            GDALDestroyScaledProgress(scaled);
            // What failed has been emitted.
            if (error != CE_None) return {zarr::StatusCode::kCancelled, ""};
        }
        return target.Flush() ? Status() : Status(zarr::StatusCode::kCancelled, "");
    }

    Status WriteCoordinates(const zarr::Hierarchy& grown, StoreUpdate& update) const {
        if (plan_.new_elements().empty()) return {};
        ZARR_ASSIGN_OR_RETURN(const auto array, grown.OpenArray(plan_.coordinates()->path()));
        ZARR_ASSIGN_OR_RETURN(zarr::ArrayWriter* const writer, update.WriterOf(array));
        ZARR_ASSIGN_OR_RETURN(
            const zarr::ElementOp op,
            zarr::MakeWriteOp(plan_.coordinates()->dtype(), array->metadata().dtype));
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

    // Coordinates first: an array that has grown finds all of its own. Where one cannot grow, those
    // that have are made as they were.
    Status Publish(zarr::HierarchyWriter& metadata) {
        for (const bool coordinates : {true, false})
            for (const auto& [path, document] : plan_.documents()) {
                if ((path == plan_.dimension().coordinate_path) != coordinates) continue;
                Status status = Grow(metadata, path, document);
                if (status.ok()) continue;
                Shrink(metadata);
                return status;
            }
        return metadata.Finish();
    }

    Status Grow(zarr::HierarchyWriter& metadata, const std::string& path,
                const json::Object& document) {
        const std::string key = zarr::JoinKey(path, zarr::kArrayKey);
        zarr::Buffer old;
        ZARR_RETURN_IF_ERROR(zarr::GetDocument(*store_, key, old).status());
        ZARR_ASSIGN_OR_RETURN(const json::Value before,
                              json::Parse(std::as_const(old).span().text()).WithContext(key));
        ZARR_RETURN_IF_ERROR(metadata.ReplaceArrayDocument(path, document));
        grown_.emplace(path, *before.as_object());
        return {};
    }

    // What cannot be written stays grown.
    void Shrink(zarr::HierarchyWriter& metadata) {
        for (auto it = grown_.begin(); it != grown_.end();) {
            const Status status = metadata.ReplaceArrayDocument(it->first, it->second);
            it = status.ok() ? grown_.erase(it) : std::next(it);
        }
    }

    const std::string name_;  // that the user gave
    GDALDataset& source_;
    const std::shared_ptr<zarr::Store> store_;
    const AppendPlan& plan_;
    const bool had_overviews_;
    std::map<std::string, json::Object> grown_;  // the old `.zarray` of the arrays that have grown
};

}  // namespace

Result<std::unique_ptr<ZarrDataset>> AppendAlong(const std::string& name, GDALDataset& source,
                                                 const CreationOptions& options,
                                                 GDALProgressFunc progress, void* progress_data) {
    const std::string folder = FolderOf(name);
    if (!IsStoreFolder(folder))
        return Status::NotFound("creation option APPEND_DIM: there is no Zarr v2 store to grow");
    ZARR_RETURN_IF_ERROR(CheckChangeable(folder));
    auto store = OpenStoreForUpdate(folder);
    ZARR_ASSIGN_OR_RETURN(const auto hierarchy, CurrentHierarchy(store));
    ZARR_ASSIGN_OR_RETURN(const AppendPlan plan, AppendPlan::Make(hierarchy, source, options));
    zarr::Warnings ignored;
    const bool has_overviews = zarr::FindPyramidOf(*hierarchy, plan.path(), ignored).has_value();
    return DimensionAppend(name, source, std::move(store), plan, has_overviews)
        .Run(options, progress, progress_data);
}

}  // namespace zarr_driver

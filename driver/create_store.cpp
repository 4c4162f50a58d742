// SPDX-License-Identifier: MIT
#include "driver/create_store.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/store/keys.h"
#include "driver/coordinate_arrays.h"
#include "driver/location.h"
#include "driver/open_store.h"
#include "driver/store_folder.h"
#include "driver/vsi_store.h"
#include "driver/zip_writer.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

Result<std::unique_ptr<ZarrDataset>> OpenMade(const std::string& name,
                                              const std::shared_ptr<const zarr::Store>& store,
                                              const std::vector<PlannedArray>& arrays,
                                              bool is_appended) {
    ZARR_ASSIGN_OR_RETURN(OpenOptions options, OpenOptions::Parse(nullptr));
    Location location;
    location.store_path = store->Describe();
    ZARR_ASSIGN_OR_RETURN(location.hierarchy, CurrentHierarchy(store));
    // Several are bands of the group they are in.
    const bool is_one = arrays.size() == 1;
    location.node = is_one ? arrays[0].path : zarr::ParentPath(arrays[0].path);
    location.kind = is_one ? zarr::NodeKind::kArray : zarr::NodeKind::kGroup;
    auto dataset = std::make_unique<ZarrDataset>(name, location, options);
    for (const PlannedArray& array : arrays) {
        ZARR_ASSIGN_OR_RETURN(RasterLayout layout,
                              LayOut(*location.hierarchy, array.path, options, {}));
        dataset->AddArray(std::move(layout), arrays.size() > 1);
    }
    dataset->Finish({{}, !is_appended, true});
    // What was overlooked would be written as if it were not there.
    ZARR_RETURN_IF_ERROR(location.hierarchy->TakeFailure());
    return dataset;
}

zarr::WriteConsolidated Consolidation(const CreationOptions& options) {
    if (!options.consolidate) return zarr::WriteConsolidated::kNo;
    return options.append_subdataset ? zarr::WriteConsolidated::kIfPresent
                                     : zarr::WriteConsolidated::kYes;
}

}  // namespace

Result<NewStore> NewStore::Make(const std::string& name, const NewRaster& raster,
                                const CreationOptions& options) {
    const std::string folder = TargetFolderOf(name);
    if (options.append_subdataset && !IsStoreFolder(folder))
        return Status::NotFound("there is no Zarr v2 store to append a subdataset to");
    ZARR_RETURN_IF_ERROR(options.append_subdataset ? CheckChangeable(folder)
                                                   : CheckWritable(folder));
    ZARR_ASSIGN_OR_RETURN(auto locks, OpenSynchronizer(options.synchronizer));
    ZARR_ASSIGN_OR_RETURN(std::vector<PlannedArray> arrays,
                          PlanArrays(OpenStoreForUpdate(folder), raster, options));
    StoreReplacement replacement;
    std::shared_ptr<zarr::Store> store;
    if (options.append_subdataset) {
        store = OpenStoreForUpdate(folder);
    } else {
        ZARR_ASSIGN_OR_RETURN(replacement, StoreReplacement::Begin(folder));
        if (ArchiveOf(folder)) {
            // A zip file takes its place when it is closed.
            ZARR_ASSIGN_OR_RETURN(
                store, ZipWriter::Create(folder, std::exchange(replacement, StoreReplacement())));
        } else {
            store = OpenStoreForUpdate(replacement.folder());
        }
    }
    NewStore made(name, options, std::move(arrays), std::move(replacement));
    made.locks_ = std::move(locks);
    made.update_ = std::make_shared<StoreUpdate>(store, Consolidation(options), made.locks_);
    ZARR_RETURN_IF_ERROR(made.MakeArrays());
    return made;
}

Status NewStore::MakeArrays() {
    Status status = update_->metadata().CreateGroup("");
    for (const PlannedArray& array : arrays_)
        if (status.ok()) status = update_->MakeArray(array.path, array.document, array.attributes);
    return status.ok() ? status : Failed(status);
}

Status NewStore::Failed(const Status& status) {
    static_cast<void>(update_->EraseMade());
    static_cast<void>(update_->metadata().Finish());
    return status;
}

bool NewStore::IsInZip() const { return ArchiveOf(update_->store()->Describe()).has_value(); }

Result<std::unique_ptr<ZarrDataset>> NewStore::Open() {
    if (has_been_open_ && IsInZip()) {
        ZARR_ASSIGN_OR_RETURN(const auto store, OpenStore(TargetFolderOf(name_), {}));
        return OpenMade(name_, store, arrays_, true);
    }
    const std::string name = IsAside() ? replacement_.folder() : name_;
    auto opened = OpenMade(name, update_->store(), arrays_, options_.append_subdataset);
    if (!opened.ok()) return has_been_open_ ? opened.status() : Failed(opened.status());
    std::unique_ptr<ZarrDataset> dataset = opened.Take();
    dataset->EnableUpdate(update_, options_.georeferenced);
    if (!has_been_open_) dataset->PlanOverviews(options_.overviews);
    has_been_open_ = true;
    return dataset;
}

Status NewStore::Commit() {
    const bool was_aside = IsAside();
    if (was_aside) update_.reset();
    ZARR_RETURN_IF_ERROR(replacement_.Commit());
    if (!was_aside) return {};
    update_ = std::make_shared<StoreUpdate>(
        OpenStoreForUpdate(replacement_.folder()),
        has_been_open_ ? zarr::WriteConsolidated::kIfPresent : Consolidation(options_), locks_);
    if (has_been_open_) return {};
    // Nothing is written to them yet, so that their fill values may still change.
    for (const PlannedArray& array : arrays_) update_->NoteMade(array.path);
    return {};
}

}  // namespace zarr_driver

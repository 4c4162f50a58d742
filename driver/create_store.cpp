// SPDX-License-Identifier: MIT
#include "driver/create_store.h"

#include <memory>
#include <string>
#include <vector>

#include "core/store/keys.h"
#include "driver/coordinate_arrays.h"
#include "driver/location.h"
#include "driver/open_store.h"
#include "driver/plan_arrays.h"
#include "driver/remote_url.h"
#include "driver/store_folder.h"
#include "driver/vsi_store.h"
#include "driver/zip_writer.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

Result<std::unique_ptr<ZarrDataset>> OpenMade(const std::string& name,
                                              const std::shared_ptr<zarr::Store>& store,
                                              const std::vector<PlannedArray>& arrays) {
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
    dataset->Finish();
    // What was overlooked would be written as if it were not there.
    ZARR_RETURN_IF_ERROR(location.hierarchy->TakeFailure());
    return dataset;
}

Status MakeArrays(StoreUpdate& update, const std::vector<PlannedArray>& arrays) {
    // Also where the file system needs none: what is no folder GDAL would delete before a copy. An
    // object store has no folders.
    const std::string folder = update.store()->Describe();
    if (!ArchiveOf(folder) && !IsObjectStore(folder)) MakeFolder(folder);
    ZARR_RETURN_IF_ERROR(update.metadata().CreateGroup(""));
    for (const PlannedArray& array : arrays)
        ZARR_RETURN_IF_ERROR(update.MakeArray(array.path, array.document, array.attributes));
    return {};
}

zarr::WriteConsolidated Consolidation(const CreationOptions& options) {
    if (!options.consolidate) return zarr::WriteConsolidated::kNo;
    return options.append_subdataset ? zarr::WriteConsolidated::kIfPresent
                                     : zarr::WriteConsolidated::kYes;
}

// Makes the arrays in `store`.
Result<std::unique_ptr<ZarrDataset>> MakeIn(const std::shared_ptr<zarr::Store>& store,
                                            const std::string& name,
                                            const std::vector<PlannedArray>& arrays,
                                            const CreationOptions& options,
                                            std::shared_ptr<zarr::Synchronizer> locks) {
    auto update = std::make_unique<StoreUpdate>(store, Consolidation(options), std::move(locks));
    std::unique_ptr<ZarrDataset> dataset;
    Status status = MakeArrays(*update, arrays);
    if (status.ok()) {
        auto opened = OpenMade(name, store, arrays);
        status = opened.status();
        if (opened.ok()) dataset = opened.Take();
    }
    if (!status.ok()) {
        static_cast<void>(update->EraseMade());
        static_cast<void>(update->metadata().Finish());
        return status;
    }
    dataset->EnableUpdate(std::move(update), options.georeferenced);
    dataset->PlanOverviews(options.overviews);
    return dataset;
}

}  // namespace

Result<NewStore> MakeStore(const std::string& name, const NewRaster& raster,
                           const CreationOptions& options) {
    const std::string folder = TargetFolderOf(name);
    if (options.append_subdataset && !IsStoreFolder(folder))
        return Status::NotFound("there is no Zarr v2 store to append a subdataset to");
    ZARR_RETURN_IF_ERROR(options.append_subdataset ? CheckChangeable(folder)
                                                   : CheckWritable(folder));
    ZARR_ASSIGN_OR_RETURN(auto locks, OpenSynchronizer(options.synchronizer));
    ZARR_ASSIGN_OR_RETURN(const std::vector<PlannedArray> arrays,
                          PlanArrays(OpenStoreForUpdate(folder), raster, options));
    auto replacement = options.append_subdataset ? Result<StoreReplacement>(StoreReplacement())
                                                 : StoreReplacement::Begin(folder);
    ZARR_RETURN_IF_ERROR(replacement.status());
    // A zip file is there once it is closed, and keeps the old one until then.
    const bool is_zip = ArchiveOf(folder).has_value();
    // Goes after the store, which closes the zip file that it removes.
    NewStore made{is_zip ? StoreReplacement() : replacement.Take(), nullptr};
    auto store = is_zip ? ZipWriter::Create(folder, replacement.Take())
                        : Result<std::shared_ptr<zarr::Store>>(OpenStoreForUpdate(folder));
    ZARR_RETURN_IF_ERROR(store.status());
    ZARR_ASSIGN_OR_RETURN(made.dataset, MakeIn(*store, name, arrays, options, std::move(locks)));
    return made;
}

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#include "driver/mdim_create.h"

#include <memory>
#include <new>

#include "driver/array_creation_options.h"
#include "driver/coordinate_arrays.h"
#include "driver/location.h"
#include "driver/mdim_dataset.h"
#include "driver/open_store.h"
#include "driver/report.h"
#include "driver/store_folder.h"
#include "driver/store_removal.h"
#include "driver/vsi_store.h"
#include "driver/watched_progress.h"
#include "driver/zip_writer.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// clang-format off
const char* const kMultiDimOptions =
    "  <Option name='FORMAT' type='string-select' description='Version of Zarr; ZARR_V3 is written by GDAL`s built-in driver' default='ZARR_V2'>"
    "    <Value>ZARR_V2</Value><Value>ZARR_V3</Value>"
    "  </Option>"
    "  <Option name='CREATE_CONSOLIDATED_METADATA' alias='CREATE_ZMETADATA' type='boolean' description='Whether to write .zmetadata' default='YES'/>"
    "  <Option name='SYNCHRONIZER' type='string' description='Folder of lock files, as in the open option'/>";
const char* const kMoreArrayOptions =
    "  <Option name='STRING_FORMAT' type='string-select' description='How strings with a maximum length are stored: ASCII, as dtype S (in UTF-8); UNICODE, as strings of any length, and in compounds as dtype U. Strings without are of any length' default='ASCII'>"
    "    <Value>ASCII</Value><Value>UNICODE</Value>"
    "  </Option>"
    "  <Option name='GEOREFERENCING_CONVENTION' type='string-select' description='How the CRS is written: as the attribute _CRS, as proj: attributes, or as a grid mapping array beside' default='GDAL'>"
    "    <Value>GDAL</Value><Value>SPATIAL_PROJ</Value><Value>CF</Value>"
    "  </Option>";
// clang-format on

struct NewDataset {
    StoreReplacement replacement;  // to be committed once all is well
    std::unique_ptr<GDALDataset> dataset;
};

Result<std::unique_ptr<GDALDataset>> OpenMade(const std::string& folder,
                                              std::unique_ptr<StoreUpdate> store) {
    ZARR_ASSIGN_OR_RETURN(OpenOptions options, OpenOptions::Parse(nullptr));
    Location location;
    location.store_path = folder;
    location.kind = zarr::NodeKind::kGroup;
    ZARR_ASSIGN_OR_RETURN(location.hierarchy, CurrentHierarchy(store->store()));
    auto update = std::make_unique<MdimUpdate>(std::move(store), location.hierarchy);
    auto session =
        std::make_shared<MdimSession>(std::move(location), std::move(options), std::move(update));
    return std::unique_ptr<GDALDataset>(std::make_unique<MdimDataset>(std::move(session)));
}

Result<NewDataset> MakeDataset(const std::string& name, CSLConstList options) {
    const char* format = CSLFetchNameValueDef(options, "FORMAT", "ZARR_V2");
    if (!EQUAL(format, "ZARR_V2")) return RefuseOption("FORMAT", "ZARR_V2 or ZARR_V3", format);
    const bool alias = CPLFetchBool(options, "CREATE_ZMETADATA", true);
    const bool consolidate = CPLFetchBool(options, "CREATE_CONSOLIDATED_METADATA", alias);
    ZARR_ASSIGN_OR_RETURN(const std::string path, TargetPath(name));
    const std::string folder = TargetFolderOf(path);
    ZARR_RETURN_IF_ERROR(CheckWritable(folder));
    if (ArchiveOf(folder))
        return Status::Unsupported(
            "a zip file is written once and in order, which the multidimensional API does not do; "
            "make a folder and zip that");
    ZARR_ASSIGN_OR_RETURN(auto locks,
                          OpenSynchronizer(CSLFetchNameValueDef(options, "SYNCHRONIZER", "")));
    auto replacement = StoreReplacement::Begin(folder);
    ZARR_RETURN_IF_ERROR(replacement.status());
    NewDataset made{replacement.Take(), nullptr};
    auto store = std::make_unique<StoreUpdate>(
        OpenStoreForUpdate(folder),
        consolidate ? zarr::WriteConsolidated::kYes : zarr::WriteConsolidated::kNo,
        std::move(locks));
    ZARR_RETURN_IF_ERROR(store->metadata().CreateGroup(""));
    ZARR_ASSIGN_OR_RETURN(made.dataset, OpenMade(folder, std::move(store)));
    return made;
}

// Makes a dataset and lets `fill` put something into it. What failed is emitted, and leaves what
// was there before.
template <class Fill>
GDALDataset* Make(const char* name, CSLConstList options, const Fill& fill) {
    try {
        auto made = MakeDataset(name, options);
        if (!made.ok()) {
            EmitError(name, made.status());
            return nullptr;
        }
        if (!fill(*made->dataset)) {
            made->dataset.reset();  // before the store goes
            return nullptr;
        }
        made->replacement.Commit();
        return made->dataset.release();
    } catch (const std::bad_alloc&) {
        EmitError(name, Status::OutOfMemory("out of memory"));
    }
    return nullptr;
}

}  // namespace

GDALDataset* CreateMultiDimensional(const char* name, CSLConstList /*group_options*/,
                                    CSLConstList options) {
    return Make(name, options, [](GDALDataset& /*dataset*/) { return true; });
}

GDALDataset* CopyMultiDimensional(const char* name, GDALDataset* source, int strict,
                                  CSLConstList options, GDALProgressFunc progress,
                                  void* progress_data) {
    WatchedProgress watched(progress, progress_data);
    return Make(name, options, [&](GDALDataset& dataset) {
        const auto errors = CPLGetErrorCounter();
        const CPLErr error = GDALDriver::DefaultCreateCopyMultiDimensional(
            source, &dataset, strict != 0, options, WatchedProgress::Report, &watched);
        if (!watched.IsCancelled()) return error == CE_None;
        if (CPLGetErrorCounter() == errors)
            EmitError(name, {zarr::StatusCode::kCancelled, "the copy was cancelled"});
        return false;
    });
}

std::string MultiDimDatasetOptionList() {
    return std::string("<MultiDimDatasetCreationOptionList>") + kMultiDimOptions +
           "</MultiDimDatasetCreationOptionList>";
}

std::string MultiDimArrayOptionList() {
    return std::string("<MultiDimArrayCreationOptionList>") + kArrayOptions + kMoreArrayOptions +
           "</MultiDimArrayCreationOptionList>";
}

}  // namespace zarr_driver

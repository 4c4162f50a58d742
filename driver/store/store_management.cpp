// SPDX-License-Identifier: MIT
#include "driver/store/store_management.h"

#include <cpl_conv.h>
#include <cpl_vsi.h>

#include <memory>
#include <new>
#include <string>

#include "core/hierarchy/hierarchy_writer.h"
#include "core/hierarchy/tree.h"
#include "core/store/keys.h"
#include "driver/base/builtin_driver.h"
#include "driver/base/guard.h"
#include "driver/base/report.h"
#include "driver/store/connection_string.h"
#include "driver/store/foreign_store.h"
#include "driver/store/location.h"
#include "driver/store/open_store.h"
#include "driver/store/remote_url.h"
#include "driver/store/sidecars.h"
#include "driver/store/store_folder.h"
#include "driver/store/store_removal.h"
#include "driver/store/vsi_store.h"
#include "driver/store/zip_file.h"
#include "driver/store/zip_writer.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// Where a store, or a node in one, lies.
struct Place {
    std::string folder;
    std::string node;  // empty for the store itself
};

Result<Place> FindPlace(const char* name) {
    ZARR_ASSIGN_OR_RETURN(const ConnectionString parsed, ParseConnectionString(name));
    if (!parsed.indices.empty())
        return Status::Invalid("/" + parsed.node + ": a slice of an array, which is no file");
    if (!IsStoreFolder(FolderOf(parsed.path))) return Status::Invalid("not a Zarr v2 store");
    ZARR_ASSIGN_OR_RETURN(OpenOptions options, OpenOptions::Parse(nullptr));
    options.use_consolidated = zarr::UseConsolidated::kNever;
    ZARR_ASSIGN_OR_RETURN(const Location location, Locate(parsed, options));
    return Place{location.store_path, location.node};
}

Status DeletePlace(const char* name) {
    ZARR_ASSIGN_OR_RETURN(const Place place, FindPlace(name));
    ZARR_RETURN_IF_ERROR(CheckWritable(place.folder));
    if (place.node.empty()) return RemoveStore(TargetFolderOf(place.folder));
    ZARR_RETURN_IF_ERROR(CheckChangeable(place.folder));
    ZARR_RETURN_IF_ERROR(CheckNothingElse(place.folder + "/" + place.node, "deleted"));
    zarr::HierarchyWriter writer(OpenStoreForUpdate(place.folder));
    ZARR_RETURN_IF_ERROR(writer.DeleteNode(place.node));
    return writer.Finish();
}

Status RenameNode(const Place& place, const std::string& target) {
    ZARR_RETURN_IF_ERROR(CheckChangeable(place.folder));
    ZARR_ASSIGN_OR_RETURN(const ConnectionString parsed, ParseConnectionString(target));
    const std::string path =
        FolderOf(parsed.path) + (parsed.has_node ? "/" + parsed.node : std::string());
    const std::string group = place.folder + "/" + std::string(zarr::ParentPath(place.node));
    const std::string name(zarr::LastName(path));
    if (FolderOf(group) != zarr::ParentPath(path))
        return Status::Unsupported("/" + place.node + ": is renamed only within its group");
    zarr::HierarchyWriter writer(OpenStoreForUpdate(place.folder));
    ZARR_RETURN_IF_ERROR(writer.RenameNode(place.node, name));
    return writer.Finish();
}

Status CheckFree(const std::string& folder) {
    ZARR_RETURN_IF_ERROR(CheckWritable(folder));
    return PathExists(folder) || IsStoreFolder(folder)
               ? Status::Invalid(folder + ": is there already")
               : Status();
}

Status CopyKeys(const Place& place, const std::string& target) {
    if (ZipPlaceOf(place.folder) && !ArchiveOf(place.folder) && place.node.empty())
        return CPLCopyFile(target.c_str(), place.folder.c_str()) == 0
                   ? Status()
                   : Status::Io("the zip file cannot be copied to " + target);
    ZARR_ASSIGN_OR_RETURN(const auto from, OpenStore(place.folder, {}));
    if (!IsRemote(target) && !ArchiveOf(target)) MakeFolder(target);
    VsiStore to(target);
    return zarr::CopyTree({*from, place.node}, {to, ""});
}

Status CopyPlace(const Place& place, const std::string& target) {
    ZARR_RETURN_IF_ERROR(CheckFree(target));
    Status copied = CopyKeys(place, target);
    // What is beside a store says nothing of a node in it.
    if (copied.ok() && place.node.empty()) copied = CopyBeside(place.folder, target);
    if (copied.ok()) return copied;
    const QuietErrors quiet;
    if (VSIRmdirRecursive(target.c_str()) != 0) VSIUnlink(target.c_str());
    RemoveBeside(target);
    return copied;
}

Status RenamePlace(const char* new_name, const char* old_name) {
    ZARR_ASSIGN_OR_RETURN(const Place place, FindPlace(old_name));
    if (!place.node.empty()) return RenameNode(place, new_name);
    const std::string target = FolderOf(new_name);
    ZARR_RETURN_IF_ERROR(CheckWritable(place.folder));
    ZARR_RETURN_IF_ERROR(CheckFree(target));
    ZARR_RETURN_IF_ERROR(CheckNothingElse(TargetFolderOf(place.folder), "renamed"));
    {
        const QuietErrors quiet;
        if (VSIRename(place.folder.c_str(), target.c_str()) == 0) {
            MoveBeside(place.folder, target);
            return {};
        }
    }
    // Another file system, or one that renames no folders.
    ZARR_RETURN_IF_ERROR(CopyPlace(place, target));
    return RemoveStore(TargetFolderOf(place.folder));
}

template <class Work>
CPLErr Run(const char* name, Work&& work) {
    const Status status = work();
    return status.ok() ? CE_None : EmitError(name, status);
}

}  // namespace

CPLErr Delete(const char* name) {
    return Guarded(name, [&]() -> CPLErr {
        if (IsStoreOfBuiltin(name)) return Builtin()->Delete(name);
        return Run(name, [&] { return DeletePlace(name); });
    });
}

CPLErr Rename(const char* new_name, const char* old_name) {
    return Guarded(old_name, [&]() -> CPLErr {
        if (IsStoreOfBuiltin(old_name)) return Builtin()->Rename(new_name, old_name);
        return Run(old_name, [&] { return RenamePlace(new_name, old_name); });
    });
}

CPLErr CopyFiles(const char* new_name, const char* old_name) {
    return Guarded(old_name, [&]() -> CPLErr {
        if (IsStoreOfBuiltin(old_name)) return Builtin()->CopyFiles(new_name, old_name);
        return Run(old_name, [&]() -> Status {
            ZARR_ASSIGN_OR_RETURN(const Place place, FindPlace(old_name));
            return CopyPlace(place, FolderOf(new_name));
        });
    });
}

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#include "driver/store/store_management.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/base/text.h"
#include "core/conventions/catalog/delete_cascade.h"
#include "core/hierarchy/change_intent.h"
#include "core/hierarchy/hierarchy_writer.h"
#include "core/hierarchy/tree.h"
#include "core/store/keys.h"
#include "driver/base/exception_guard.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/quiet_deletion.h"
#include "driver/store/foreign_store.h"
#include "driver/store/kerchunk_parquet_kind.h"
#include "driver/store/multidim_pam.h"
#include "driver/store/open_node.h"
#include "driver/store/resolve.h"
#include "driver/store/sidecars.h"
#include "driver/store/staged.h"
#include "driver/store/store_address.h"
#include "driver/store/store_in_use.h"
#include "driver/store/store_kind.h"
#include "driver/store/store_replacement.h"
#include "driver/store/store_update.h"
#include "driver/store/xcube_store.h"
#include "driver/store/zip_kind.h"
#include "driver/transport/open_zip.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// Returns the store and node to which `address` leads. Ignores consolidated metadata, because it
// may be outdated.
Result<StoreAddress> LocateUnconsolidated(const StoreAddress& address) {
    ZARR_ASSIGN_OR_RETURN(OpenOptions options, OpenOptions::Parse(nullptr));
    options.use_consolidated = zarr::UseConsolidated::kNever;
    const auto open_node = OpenNodeAt(address, options);
    if (!open_node.ok())
        return FollowsV3Draft(address, open_node.status()) ? V3DraftError() : open_node.status();
    // Only the contents of the folder show that it holds references.
    if (open_node->address.store_kind == &kKerchunkParquetKind &&
        !kKerchunkParquetKind.recognise(open_node->address))
        return RefuseChangeOfReferences(open_node->address, StoreOperation::kWrite);
    return open_node->address.At(open_node->node);
}

// True if a killed writer has left a part of the node.
bool IsPartlyThere(const StoreAddress& folder, const std::string& node) {
    if (folder.kind() != StorePath::Kind::kLocal) return false;
    const auto left = zarr::IntentFile(folder, nullptr).Find();
    return left && left->nodes.count(node) != 0;
}

}  // namespace

Result<StoreAddress> FindStoreNode(const char* name) {
    ZARR_ASSIGN_OR_RETURN(StoreAddress address, Resolve(name));
    if (!address.indices.empty())
        return Status::Invalid("/" + address.node +
                               ": a slice of an array cannot be deleted, renamed or copied");
    if (!HoldsStore(address)) return Status::Invalid("not a Zarr store");
    auto place = LocateUnconsolidated(address);
    if (place.status().code() == zarr::StatusCode::kNotFound &&
        IsPartlyThere(address, address.node))
        return address;
    return place;
}

namespace {

// True if `address` is a zip file, and its store lies in a folder inside of the zip file.
bool HoldsStoreInFolder(const StoreAddress& address) {
    if (address.archive.empty() || address.inner) return false;
    const auto archive = OpenZip(address.archive);
    return archive.ok() && !InnerFolder(address, **archive).empty();
}

// True for a path that is above every possible store, such as "/" and "/vsis3".
bool IsAboveAll(const std::string& path) {
    return path.empty() || path == "/" ||
           (STARTS_WITH(path.c_str(), "/vsi") && path.find('/', 1) == std::string::npos);
}

// Moves the last name of the path `folder` to the front of `node`. If `folder` is relative and has
// no name left, `folder` becomes the absolute path of the current folder.
void AscendTarget(std::string& folder, std::string& node) {
    const std::string last(zarr::LastName(folder));
    const bool is_relative = StorePath(folder).kind() == StorePath::Kind::kLocal &&
                             CPLIsFilenameRelative(folder.c_str()) != 0;
    if (last != ".") node = node.empty() ? last : zarr::JoinKey(last, node);
    folder = last == ".." ? std::string() : std::string(zarr::ParentPath(folder));
    if (!folder.empty() || !is_relative || last == "..") return;
    char* const current = CPLGetCurrentDir();
    if (current != nullptr) folder = current;
    CPLFree(current);
}

}  // namespace

Result<StoreAddress> FindTargetNode(const char* name) {
    ZARR_ASSIGN_OR_RETURN(const StoreAddress target, Resolve(name));
    if (!target.indices.empty() || !target.select.empty())
        return Status::Invalid("a slice of an array cannot be created; name the array");
    if (target.kind() == StorePath::Kind::kWebServer) return target;
    std::string node = target.node;
    std::string at = target;
    const bool is_store = HoldsStore(target);
    if (node.empty() || !is_store) AscendTarget(at, node);
    while (!IsAboveAll(at)) {
        const StoreAddress above(at);
        if (!node.empty() && HoldsStore(above)) {
            if (IsLevelsFolder(above)) break;
            // Ends the search at a zip file whose store lies in an inner folder of the file.
            // `target` is outside of that inner folder, so it is no part of the store.
            if (at != target.text() && HoldsStoreInFolder(above)) break;
            ZARR_ASSIGN_OR_RETURN(const StoreAddress place, LocateUnconsolidated(above));
            return place.At(zarr::JoinKey(place.node, node));
        }
        if (is_store) break;
        AscendTarget(at, node);
    }
    if (is_store && !target.node.empty())
        return Status::Unsupported("/" + target.node +
                                   ": xcube levels are separate stores; "
                                   "name each by its path");
    return target;
}

bool IsInStore(const StoreAddress& target) { return !target.node.empty() && HoldsStore(target); }

Status CheckAddedFormat(std::optional<zarr::Format> stated, const zarr::Hierarchy& store) {
    if (!stated || *stated == store.format()) return {};
    return Status::Invalid("creation option FORMAT: expected Zarr v" +
                           std::to_string(static_cast<int>(store.format())) +
                           ", the format of the existing store");
}

namespace {

// Opens the current state of a store that is open for update.
Result<std::shared_ptr<const zarr::Hierarchy>> HierarchyOf(
    const std::shared_ptr<zarr::Store>& store) {
    return zarr::Hierarchy::Open(store, zarr::UseConsolidated::kNever, SharedContext());
}

// Returns the path of the node's folder.
std::string PathOf(const StoreAddress& node) {
    return node.has_node ? zarr::JoinKey(node.text(), node.node) : node.text();
}

Status DeleteStoreOrNode(const char* name) {
    ZARR_ASSIGN_OR_RETURN(const StoreAddress place, FindStoreNode(name));
    ZARR_RETURN_IF_ERROR(CheckWritable(place));
    ZARR_RETURN_IF_ERROR(CheckNotInUse(place, place.node, "deleted"));
    if (place.node.empty()) return RemoveStore(TargetOf(place));
    ZARR_RETURN_IF_ERROR(CheckChangeable(place));
    ZARR_RETURN_IF_ERROR(CheckNoOtherFiles(StoreAddress(PathOf(place)), "deleted"));
    ZARR_ASSIGN_OR_RETURN(const auto store, OpenStoreForUpdate(place));
    zarr::HierarchyWriter writer(store);
    writer.UseLock(LockTargetOf(*store), DefaultLockWait());
    ZARR_ASSIGN_OR_RETURN(const zarr::StoreLock lock, writer.Lock());
    ZARR_ASSIGN_OR_RETURN(const auto hierarchy, HierarchyOf(store));
    // Taking the lock has deleted what a killed writer had left of the node.
    ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind kind, hierarchy->KindOf(place.node));
    if (kind != zarr::NodeKind::kNone)
        ZARR_RETURN_IF_ERROR(zarr::DeleteWithCompanions(writer, *hierarchy, place.node).status());
    ZARR_RETURN_IF_ERROR(StoreMultidimCrs(*store, {{place.node, "", ""}}));
    DeleteNodeSidecars(place, place.node);
    ZARR_RETURN_IF_ERROR(writer.Finish());
    return store->Flush();
}

Status RenameNode(const StoreAddress& place, const std::string& target) {
    ZARR_RETURN_IF_ERROR(CheckChangeable(place));
    ZARR_ASSIGN_OR_RETURN(const StoreAddress to, Resolve(target));
    const std::string path = PathOf(to);
    const std::string name(zarr::LastName(path));
    if (zarr::ParentPath(PathOf(place)) != zarr::ParentPath(path))
        return Status::Unsupported("/" + place.node + ": can only be renamed within its group");
    ZARR_ASSIGN_OR_RETURN(const auto store, OpenStoreForUpdate(place));
    zarr::HierarchyWriter writer(store);
    writer.UseLock(LockTargetOf(*store), DefaultLockWait());
    ZARR_ASSIGN_OR_RETURN(const zarr::StoreLock lock, writer.Lock());
    ZARR_ASSIGN_OR_RETURN(const auto hierarchy, HierarchyOf(store));
    ZARR_RETURN_IF_ERROR(zarr::RenameWithCompanions(writer, *hierarchy, place.node, name).status());
    RenameNodeSidecars(place, place.node, zarr::JoinKey(zarr::ParentPath(place.node), name));
    ZARR_RETURN_IF_ERROR(writer.Finish());
    return store->Flush();
}

}  // namespace

Status CheckFree(const StoreAddress& address) {
    ZARR_RETURN_IF_ERROR(CheckWritable(address));
    return PathExists(address) || HoldsStore(address)
               ? Status::Invalid(address.text() + ": already exists")
               : Status();
}

namespace {

Status CopyKeys(const StoreAddress& source, const StoreAddress& target) {
    ZARR_ASSIGN_OR_RETURN(const auto from, OpenStore(source, {}));
    ZARR_ASSIGN_OR_RETURN(const auto to, OpenStoreForUpdate(target));
    ZARR_RETURN_IF_ERROR(zarr::CopyTree({*from, ""}, {*to, ""}));
    return to->Flush();
}

}  // namespace

Status CopyStore(const StoreAddress& source, const StoreAddress& target) {
    ZARR_RETURN_IF_ERROR(CheckFree(target));
    const bool is_zip = source.IsZipFile();
    ZARR_ASSIGN_OR_RETURN(const auto copy,
                          StoreReplacement::Begin(is_zip ? ZipAddress(target, "") : target));
    if (!is_zip)
        ZARR_RETURN_IF_ERROR(CopyKeys(source, copy->folder()));
    else if (!CopyFile(source, copy->folder().FileOrFolder()))
        return Status::Io("the zip file cannot be copied to " + target.text());
    ZARR_RETURN_IF_ERROR(copy->Commit());
    Status beside = CopySidecars(source, target);
    if (beside.ok()) return {};
    static_cast<void>(EraseWhole(RenameForDeletion(target)));
    DeleteSidecars(target);
    return beside;
}

namespace {

Status RenameStoreOrNode(const char* new_name, const char* old_name) {
    ZARR_ASSIGN_OR_RETURN(const StoreAddress place, FindStoreNode(old_name));
    ZARR_RETURN_IF_ERROR(CheckNotInUse(place, place.node, "renamed"));
    if (!place.node.empty()) return RenameNode(place, new_name);
    ZARR_ASSIGN_OR_RETURN(const StoreAddress target, FindTargetNode(new_name));
    if (!target.node.empty())
        return Status::Unsupported("is a store, which cannot be moved into " + target.text() +
                                   "; gdalmanage copy copies it there as a group");
    ZARR_RETURN_IF_ERROR(CheckWritable(place));
    ZARR_RETURN_IF_ERROR(CheckFree(target));
    ZARR_RETURN_IF_ERROR(CheckNoOtherFiles(TargetOf(place), "renamed"));
    // The lock also finishes what a killed writer has left, which the new name would not find.
    const auto store = OpenFolder(place);
    zarr::HierarchyWriter writer(store);
    writer.UseLock(LockTargetOf(*store), DefaultLockWait());
    ZARR_ASSIGN_OR_RETURN(const zarr::StoreLock lock, writer.Lock());
    // Stores are renamed only if the file system can rename a folder in one step. In an object
    // store, GDAL would move the objects one after another, so the store is copied.
    if (RenamingAt(place) != Renaming::kNo) {
        const QuietErrors quiet;
        if (VSIRename(place.c_str(), target.c_str()) == 0) {
            RenameSidecars(place, target);
            return {};
        }
    }
    // If the store cannot be renamed, for example to another file system, it is copied and the
    // original is deleted.
    ZARR_RETURN_IF_ERROR(CopyStore(place, target));
    return RemoveStore(TargetOf(place));
}

template <class Work>
CPLErr Run(const char* name, Work&& work) {
    const Status status = work();
    return status.ok() ? CE_None : EmitError(name, status);
}

}  // namespace

Status DeleteReplacedNode(const char* name, bool is_append) {
    const auto target = Resolve(name);
    const bool is_kept =
        is_append || !target.ok() || target->node.empty() || IsStoreInUse(*target, target->node);
    return is_kept || !FindStoreNode(name).ok() ? Status() : DeleteStoreOrNode(name);
}

CPLErr Delete(const char* name) {
    return Guarded(name, [&]() -> CPLErr {
        if (TakeQuietDeletion()) return CE_None;
        return Run(name, [&] { return DeleteStoreOrNode(name); });
    });
}

CPLErr Rename(const char* new_name, const char* old_name) {
    return Guarded(old_name, [&]() -> CPLErr {
        return Run(old_name, [&] { return RenameStoreOrNode(new_name, old_name); });
    });
}

namespace {

// True for names of files that are no part of a Zarr store, but that GDAL, killed writers, xcube
// and desktops leave in a store.
bool IsCompanion(std::string_view name) {
    static constexpr std::string_view kNames[] = {"pam.aux.xml", ".DS_Store", "Thumbs.db", ".lock",
                                                  ".intent"};
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
           zarr::EndsWith(name, zarr::kStagingSuffix) || zarr::EndsWith(name, ".link");
}

// True for names of Parquet files with Kerchunk references, such as "refs.0.parq".
bool IsParquetOfReferences(std::string_view name) {
    constexpr std::string_view kBegin = "refs.";
    constexpr std::string_view kEnd = ".parq";
    if (name.size() <= kBegin.size() + kEnd.size() || !zarr::EndsWith(name, kEnd)) return false;
    const std::string_view number =
        name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
    return name.substr(0, kBegin.size()) == kBegin &&
           number.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

Status CheckNoOtherFiles(const StoreAddress& folder, const char* refusal) {
    const auto store = OpenFolder(folder);
    ZARR_ASSIGN_OR_RETURN(std::string foreign, zarr::FindForeignKey(*store, IsCompanion));
    if (!foreign.empty() && HoldsKerchunkParquet(folder)) {
        const auto is_known = [](std::string_view name) {
            return IsCompanion(name) || IsParquetOfReferences(name);
        };
        ZARR_ASSIGN_OR_RETURN(foreign, zarr::FindForeignKey(*store, is_known));
    }
    if (foreign.empty()) return {};
    return Status::Invalid("holds " + zarr::Quoted(foreign) +
                           (HoldsStore(folder) ? " beside a Zarr store" : " and no Zarr store") +
                           ", so it is not " + refusal);
}

Status CheckReplaceable(const StoreAddress& folder) {
    const QuietErrors quiet;
    VSIStatBufL stat;
    errno = 0;
    const bool is_there = VSIStatL(folder.c_str(), &stat) == 0;
    // A folder that cannot be examined may belong to another program and is not replaced. For
    // remote paths errno has no meaning.
    if (!is_there && errno != 0 && errno != ENOENT && errno != ENOTDIR && !folder.is_remote())
        return Status::Io("cannot be examined: " + std::generic_category().message(errno));
    if (is_there && !VSI_ISDIR(stat.st_mode))
        return Status::Invalid(
            "is a file, so it is not overwritten; a store in one file is named x.zarr.zip or "
            "x.ozx");
    // A stat may not report a folder in /vsimem/, so HoldsStore() is called, too.
    return is_there || HoldsStore(folder) ? CheckNoOtherFiles(folder, "overwritten") : Status();
}

namespace {

// True if the folder at `path`, which is in a zip file, contains anything but the store `name` and
// the store's sidecar files.
bool HoldsMoreThan(const std::string& name, const std::string& path) {
    const CPLStringList entries(VSIReadDir(path.c_str()));
    int own = 1;
    for (const char* const end : kSidecarExtensions)
        own += entries.FindString((name + end).c_str()) >= 0 ? 1 : 0;
    return entries.size() > own;
}

}  // namespace

Status CheckFillsZip(const StoreAddress& folder) {
    if (folder.IsZipFile() || folder.archive.empty() || !PathExists(folder.archive)) return {};
    for (std::string inner = folder.inner.value_or(""); !inner.empty();) {
        const std::string name(zarr::LastName(inner));
        inner = std::string(zarr::ParentPath(inner));
        if (HoldsMoreThan(name, ZipPathOfGdal(folder.archive, inner)))
            return Status::Unsupported(
                "shares its zip file with other files; a zip file is written and deleted as a "
                "whole");
    }
    return {};
}

Status RemoveStore(const StoreAddress& folder) {
    if (!HoldsStore(folder)) return Status::Invalid("not a Zarr store, so it is not deleted");
    ForgetListings(folder);
    ZARR_RETURN_IF_ERROR(CheckNoOtherFiles(folder, "deleted"));
    ZARR_RETURN_IF_ERROR(CheckFillsZip(folder));
    const std::string& path = folder.FileOrFolder();
    ZARR_ASSIGN_OR_RETURN(
        const zarr::StoreLock lock,
        zarr::StoreLock::Take(LockTargetOf(*OpenFolder(path)), DefaultLockWait()));
    const std::string staging_path = RenameForDeletion(path);
    Status erased = EraseWhole(staging_path, true);
    // If the deletion failed, the rest of the store gets its old name back, so that the deletion
    // can be repeated.
    if (!erased.ok() && staging_path != path) VSIRename(staging_path.c_str(), path.c_str());
    if (!erased.ok()) return erased;
    DeleteSidecars(path);
    if (IsLocalPath(path)) zarr::RemoveIntent(path);
    return {};
}

}  // namespace zarr_driver

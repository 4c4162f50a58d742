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
#include "core/conventions/companions.h"
#include "core/hierarchy/change_intent.h"
#include "core/hierarchy/hierarchy_writer.h"
#include "core/hierarchy/tree.h"
#include "core/store/keys.h"
#include "driver/base/guard.h"
#include "driver/base/quiet_deletion.h"
#include "driver/base/report.h"
#include "driver/store/foreign_store.h"
#include "driver/store/kerchunk_parquet_kind.h"
#include "driver/store/levels_store.h"
#include "driver/store/location.h"
#include "driver/store/remote_store.h"
#include "driver/store/sidecars.h"
#include "driver/store/store_folder.h"
#include "driver/store/store_in_use.h"
#include "driver/store/store_kind.h"
#include "driver/store/store_path.h"
#include "driver/store/store_replacement.h"
#include "driver/store/store_update.h"
#include "driver/store/vsi_store.h"
#include "driver/store/zip_file.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// Returns the store and node to which `name` leads. Ignores consolidated metadata, because it may
// be outdated.
Result<StoreNode> LocateUnconsolidated(const ConnectionString& name) {
    ZARR_ASSIGN_OR_RETURN(OpenOptions options, OpenOptions::Parse(nullptr));
    options.use_consolidated = zarr::UseConsolidated::kNever;
    const auto location = Locate(name, options);
    if (location.ok() && location->are_references) return ReferencesAreReadOnly();
    if (location.ok()) return StoreNode{location->store_path, location->node};
    return FollowsV3Draft(name.path, location.status()) ? V3DraftError() : location.status();
}

// True if a killed writer has left a part of the node.
bool IsPartlyThere(const StorePath& folder, const std::string& node) {
    if (folder.kind() != StorePath::Kind::kLocal) return false;
    const auto left = zarr::IntentFile(folder).Find();
    return left && left->nodes.count(node) != 0;
}

}  // namespace

Result<StoreNode> FindStoreNode(const char* name) {
    ZARR_ASSIGN_OR_RETURN(const ConnectionString parsed, ParseConnectionString(name));
    if (!parsed.indices.empty())
        return Status::Invalid("/" + parsed.node +
                               ": a slice of an array cannot be deleted, renamed or copied");
    const StorePath folder = FolderOf(parsed.path);
    if (!IsStoreFolder(folder)) return Status::Invalid("not a Zarr store");
    auto place = LocateUnconsolidated(parsed);
    if (place.status().code() == zarr::StatusCode::kNotFound && IsPartlyThere(folder, parsed.node))
        return StoreNode{folder, parsed.node};
    return place;
}

namespace {

// True if `path` is a zip file, and its store lies in a folder inside of the zip file.
bool HoldsStoreInFolder(const std::string& path) {
    const auto place = ZipLocationOf(path);
    if (!place || place->inner) return false;
    const auto archive = OpenZip(place->archive);
    return archive.ok() && !InnerFolder(*place, **archive).empty();
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

// Returns the store and node of `folder`, which holds a Zarr document.
Result<StoreNode> PlaceOfFolder(const std::string& folder) {
    ConnectionString name;
    name.path = folder;
    return LocateUnconsolidated(name);
}

}  // namespace

Result<StoreNode> FindTargetNode(const char* name) {
    ZARR_ASSIGN_OR_RETURN(const ConnectionString parsed, ParseConnectionString(name));
    if (!parsed.indices.empty() || !parsed.select.empty())
        return Status::Invalid("a slice of an array cannot be created; name the array");
    const StorePath folder = FolderOf(parsed.path);
    std::string node = parsed.node;
    std::string at = folder;
    if (folder.kind() == StorePath::Kind::kWebServer) return StoreNode{folder, node};
    const bool is_store = IsStoreFolder(folder);
    if (node.empty() || !is_store) AscendTarget(at, node);
    while (!IsAboveAll(at)) {
        if (!node.empty() && IsStoreFolder(at)) {
            if (IsLevelsFolder(at)) break;
            // Ends the search at a zip file whose store lies in an inner folder of the file.
            // `folder` is outside of that inner folder, so `folder` is no part of the store.
            if (at != folder.text() && HoldsStoreInFolder(at)) break;
            ZARR_ASSIGN_OR_RETURN(StoreNode place, PlaceOfFolder(at));
            place.node = zarr::JoinKey(place.node, node);
            return place;
        }
        if (is_store) break;
        AscendTarget(at, node);
    }
    if (is_store && !parsed.node.empty())
        return Status::Unsupported("/" + parsed.node +
                                   ": xcube levels are separate stores; "
                                   "name each by its path");
    return StoreNode{folder, parsed.node};
}

bool IsInStore(const StoreNode& target) {
    return !target.node.empty() && IsStoreFolder(target.folder);
}

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

Status DeleteStoreOrNode(const char* name) {
    ZARR_ASSIGN_OR_RETURN(const StoreNode place, FindStoreNode(name));
    ZARR_RETURN_IF_ERROR(CheckWritable(place.folder));
    const std::string folder = place.node.empty() ? TargetFolderOf(place.folder) : place.folder;
    ZARR_RETURN_IF_ERROR(CheckNotInUse(folder, place.node, "deleted"));
    if (place.node.empty()) return RemoveStore(folder);
    ZARR_RETURN_IF_ERROR(CheckChangeable(place.folder));
    ZARR_RETURN_IF_ERROR(CheckNoOtherFiles(place.folder.text() + "/" + place.node, "deleted"));
    ZARR_ASSIGN_OR_RETURN(const auto store, OpenStoreForUpdate(place.folder));
    zarr::HierarchyWriter writer(store);
    writer.UseLock(LockTargetOf(*store), DefaultLockWait());
    ZARR_ASSIGN_OR_RETURN(const zarr::StoreLock lock, writer.Lock());
    ZARR_ASSIGN_OR_RETURN(const auto hierarchy, HierarchyOf(store));
    // Taking the lock has deleted what a killed writer had left of the node.
    ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind kind, hierarchy->KindOf(place.node));
    if (kind != zarr::NodeKind::kNone)
        ZARR_RETURN_IF_ERROR(zarr::DeleteWithCompanions(writer, *hierarchy, place.node).status());
    ZARR_RETURN_IF_ERROR(StoreMultidimCrs(*store, {{place.node, "", ""}}));
    DeleteNodeSidecars(place.folder.text(), place.node);
    ZARR_RETURN_IF_ERROR(writer.Finish());
    return store->Flush();
}

Status RenameNode(const StoreNode& place, const std::string& target) {
    ZARR_RETURN_IF_ERROR(CheckChangeable(place.folder));
    ZARR_ASSIGN_OR_RETURN(const ConnectionString parsed, ParseConnectionString(target));
    const std::string path =
        FolderOf(parsed.path).text() + (parsed.has_node ? "/" + parsed.node : std::string());
    const std::string group = place.folder.text() + "/" + std::string(zarr::ParentPath(place.node));
    const std::string name(zarr::LastName(path));
    if (FolderOf(group).text() != zarr::ParentPath(path))
        return Status::Unsupported("/" + place.node + ": can only be renamed within its group");
    ZARR_ASSIGN_OR_RETURN(const auto store, OpenStoreForUpdate(place.folder));
    zarr::HierarchyWriter writer(store);
    writer.UseLock(LockTargetOf(*store), DefaultLockWait());
    ZARR_ASSIGN_OR_RETURN(const zarr::StoreLock lock, writer.Lock());
    ZARR_ASSIGN_OR_RETURN(const auto hierarchy, HierarchyOf(store));
    ZARR_RETURN_IF_ERROR(zarr::RenameWithCompanions(writer, *hierarchy, place.node, name).status());
    RenameNodeSidecars(place.folder.text(), place.node,
                       zarr::JoinKey(zarr::ParentPath(place.node), name));
    ZARR_RETURN_IF_ERROR(writer.Finish());
    return store->Flush();
}

}  // namespace

Status CheckFree(const std::string& folder) {
    ZARR_RETURN_IF_ERROR(CheckWritable(folder));
    return PathExists(folder) || IsStoreFolder(folder)
               ? Status::Invalid(folder + ": already exists")
               : Status();
}

namespace {

Status CopyKeys(const StorePath& folder, const std::string& target) {
    ZARR_ASSIGN_OR_RETURN(const auto from, OpenStore(folder, {}));
    ZARR_ASSIGN_OR_RETURN(const auto to, OpenStoreForUpdate(target));
    ZARR_RETURN_IF_ERROR(zarr::CopyTree({*from, ""}, {*to, ""}));
    return to->Flush();
}

}  // namespace

Status CopyStore(const StorePath& folder, const std::string& target) {
    ZARR_RETURN_IF_ERROR(CheckFree(target));
    const bool is_zip = ZipLocationOf(folder) && !ArchiveOf(folder);
    ZARR_ASSIGN_OR_RETURN(StoreReplacement copy,
                          StoreReplacement::Begin(is_zip ? kZipPrefix + target : target));
    if (!is_zip)
        ZARR_RETURN_IF_ERROR(CopyKeys(folder, copy.folder()));
    else if (!CopyFile(folder, FileOrFolderOf(copy.folder())))
        return Status::Io("the zip file cannot be copied to " + target);
    ZARR_RETURN_IF_ERROR(copy.Commit());
    Status beside = CopySidecars(folder, target);
    if (beside.ok()) return {};
    static_cast<void>(EraseWhole(RenameForDeletion(target)));
    DeleteSidecars(target);
    return beside;
}

namespace {

Status RenameStoreOrNode(const char* new_name, const char* old_name) {
    ZARR_ASSIGN_OR_RETURN(const StoreNode place, FindStoreNode(old_name));
    ZARR_RETURN_IF_ERROR(CheckNotInUse(
        place.node.empty() ? TargetFolderOf(place.folder) : place.folder, place.node, "renamed"));
    if (!place.node.empty()) return RenameNode(place, new_name);
    ZARR_ASSIGN_OR_RETURN(const StoreNode to, FindTargetNode(new_name));
    if (!to.node.empty())
        return Status::Unsupported("is a store, which cannot be moved into " + to.folder.text() +
                                   "; gdalmanage copy copies it there as a group");
    const std::string target = to.folder;
    ZARR_RETURN_IF_ERROR(CheckWritable(place.folder));
    ZARR_RETURN_IF_ERROR(CheckFree(target));
    ZARR_RETURN_IF_ERROR(CheckNoOtherFiles(TargetFolderOf(place.folder), "renamed"));
    // The lock also finishes what a killed writer has left, which the new name would not find.
    const auto store = OpenFolder(place.folder);
    zarr::HierarchyWriter writer(store);
    writer.UseLock(LockTargetOf(*store), DefaultLockWait());
    ZARR_ASSIGN_OR_RETURN(const zarr::StoreLock lock, writer.Lock());
    // Stores are renamed only if the file system can rename a folder in one step. In an object
    // store, GDAL would move the objects one after another, so the store is copied.
    if (RenamingAt(place.folder) != Renaming::kNo) {
        const QuietErrors quiet;
        if (VSIRename(place.folder.c_str(), target.c_str()) == 0) {
            RenameSidecars(place.folder, target);
            return {};
        }
    }
    // If the store cannot be renamed, for example to another file system, it is copied and the
    // original is deleted.
    ZARR_RETURN_IF_ERROR(CopyStore(place.folder, target));
    return RemoveStore(TargetFolderOf(place.folder));
}

template <class Work>
CPLErr Run(const char* name, Work&& work) {
    const Status status = work();
    return status.ok() ? CE_None : EmitError(name, status);
}

}  // namespace

Status DeleteReplacedNode(const char* name, bool is_append) {
    const auto parsed = ParseConnectionString(name);
    const bool is_kept = is_append || !parsed.ok() || parsed->node.empty() ||
                         IsStoreInUse(FolderOf(parsed->path), parsed->node);
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
           zarr::EndsWith(name, ".partial") || zarr::EndsWith(name, ".link");
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

bool HoldsReferencesInParquet(const zarr::Store& folder) {
    zarr::Buffer text;
    const auto found =
        zarr::GetDocument(folder, zarr::DocumentKey("", zarr::Document::kConsolidated), text);
    return found.ok() && *found && zarr::AreKerchunkReferences(std::as_const(text).span().text());
}

}  // namespace

Status CheckNoOtherFiles(const std::string& folder, const char* refusal) {
    const auto store = OpenFolder(folder);
    ZARR_ASSIGN_OR_RETURN(std::string foreign, zarr::FindForeignKey(*store, IsCompanion));
    if (!foreign.empty() && HoldsReferencesInParquet(*store)) {
        const auto is_known = [](std::string_view name) {
            return IsCompanion(name) || IsParquetOfReferences(name);
        };
        ZARR_ASSIGN_OR_RETURN(foreign, zarr::FindForeignKey(*store, is_known));
    }
    if (foreign.empty()) return {};
    return Status::Invalid("holds " + zarr::Quoted(foreign) +
                           (IsStoreFolder(folder) ? " beside a Zarr store" : " and no Zarr store") +
                           ", so it is not " + refusal);
}

Status CheckReplaceable(const std::string& folder) {
    const QuietErrors quiet;
    VSIStatBufL stat;
    errno = 0;
    const bool is_there = VSIStatL(folder.c_str(), &stat) == 0;
    // A folder that cannot be examined may belong to another program and is not replaced. For
    // remote paths errno has no meaning.
    if (!is_there && errno != 0 && errno != ENOENT && errno != ENOTDIR &&
        !StorePath(folder).is_remote())
        return Status::Io("cannot be examined: " + std::generic_category().message(errno));
    if (is_there && !VSI_ISDIR(stat.st_mode))
        return Status::Invalid(
            "is a file, so it is not overwritten; a store in one file is named x.zarr.zip or "
            "x.ozx");
    // A stat may not report a folder in /vsimem/, so IsStoreFolder() is called, too.
    return is_there || IsStoreFolder(folder) ? CheckNoOtherFiles(folder, "overwritten") : Status();
}

std::string FileOrFolderOf(const std::string& folder) { return ArchiveOf(folder).value_or(folder); }

// True if `folder`, which is in a zip file, contains anything but the store `name` and the store's
// sidecar files.
bool HoldsMoreThan(const std::string& name, const std::string& folder) {
    const CPLStringList entries(VSIReadDir(folder.c_str()));
    int own = 1;
    for (const char* const end : kSidecarExtensions)
        own += entries.FindString((name + end).c_str()) >= 0 ? 1 : 0;
    return entries.size() > own;
}

// Returns Ok if the store is the root of the zip file, or the only entry of the root.
Status CheckFillsZip(const std::string& folder) {
    const std::optional<std::string> archive = ArchiveOf(folder);
    if (!archive || !PathExists(*archive)) return {};
    std::string above = folder;
    while (!EQUAL(FileOrFolderOf(above).c_str(), above.substr(std::strlen(kZipPrefix)).c_str())) {
        const std::string name = CPLGetFilename(above.c_str());
        above = CPLGetPath(above.c_str());
        if (HoldsMoreThan(name, above) || !STARTS_WITH_CI(above.c_str(), kZipPrefix))
            return Status::Unsupported(
                "shares its zip file with other files; a zip file is written and deleted as a "
                "whole");
    }
    return {};
}

Status RemoveStore(const std::string& folder) {
    if (!IsStoreFolder(folder)) return Status::Invalid("not a Zarr store, so it is not deleted");
    ForgetListings(folder);
    ZARR_RETURN_IF_ERROR(CheckNoOtherFiles(folder, "deleted"));
    ZARR_RETURN_IF_ERROR(CheckFillsZip(folder));
    const std::string path = FileOrFolderOf(folder);
    ZARR_ASSIGN_OR_RETURN(
        const zarr::StoreLock lock,
        zarr::StoreLock::Take(LockTargetOf(*OpenFolder(path)), DefaultLockWait()));
    const std::string staging_path = RenameForDeletion(path);
    Status erased = EraseWhole(staging_path, true);
    // If the deletion failed, the rest of the store gets its old name back, so that the deletion
    // can be repeated.
    if (!erased.ok() && staging_path != path) VSIRename(staging_path.c_str(), path.c_str());
    if (erased.ok()) DeleteSidecars(path);
    return erased;
}

}  // namespace zarr_driver

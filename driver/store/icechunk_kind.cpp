// SPDX-License-Identifier: MIT
#include "driver/store/icechunk_kind.h"

#include <cpl_vsi.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/references/icechunk_file.h"
#include "core/references/icechunk_map.h"
#include "core/references/icechunk_repository.h"
#include "core/references/icechunk_snapshot.h"
#include "core/references/reference_store.h"
#include "core/store/keys.h"
#include "driver/base/debug_log.h"
#include "driver/base/report.h"
#include "driver/store/icechunk_name.h"
#include "driver/store/icechunk_targets.h"
#include "driver/store/kerchunk_json_kind.h"
#include "driver/store/kerchunk_parquet_kind.h"
#include "driver/store/logged_store.h"
#include "driver/store/shared_maps.h"
#include "driver/store/store_folder.h"
#include "driver/store/vsi_store.h"
#include "driver/store/zip_file.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// The identity of an Icechunk store contains this text, followed by the identifier of its snapshot.
constexpr std::string_view kSnapshotMark = "\nicechunk snapshot ";

bool IsIcechunk(const StorePath& path) { return ParseIcechunkName(path).has_value(); }

using SnapshotPtr = std::shared_ptr<const zarr::IcechunkMap>;

// Snapshots with their cached manifests, by identifier. A cached snapshot is never outdated,
// because a snapshot never changes. The object is never destroyed, because threads may still use it
// while the process exits.
auto& snapshots = *new SharedMaps<zarr::IcechunkMap>();

// True if the store has a key that only Icechunk repositories have. `holds(key)` is true if the
// store has `key`.
template <class Holds>
bool HoldsRepository(const Holds& holds) {
    return holds(std::string(zarr::kIcechunkRepoFile)) || holds("refs/branch.main/ref.json");
}

// Returns the path of the repository in a zip file: the zip file itself, or a folder in the zip
// file.
std::string FindInZip(const ZipLocation& place) {
    const auto archive = OpenZip(place.archive);
    if (!archive.ok()) return {};
    const auto is_root = [&](const std::string& prefix) {
        return HoldsRepository([&](const std::string& key) {
            return (*archive)->Find(zarr::JoinKey(prefix, key)) != nullptr;
        });
    };
    const std::string inner = place.inner ? *place.inner : (*archive)->FindRoot(is_root);
    if (!is_root(inner)) return {};
    return kZipPrefix + place.archive + (inner.empty() ? "" : "/" + inner);
}

// True if the file "repo" at `path` begins as the file of an Icechunk repository does.
bool HasMagic(const std::string& path) {
    zarr::Buffer start;
    const auto part = zarr::ValuePart::Range(0, zarr::kIcechunkMagic.size());
    // The store of the folder opens no pipe, which could wait forever.
    const auto read =
        OpenFolder(ContainingFolder(path))->Read(std::string(zarr::LastName(path)), part, start);
    return read.ok() && read->found && IsIcechunkRepoFile(path, std::as_const(start).span().text());
}

// Returns the folder of a repository. `path` may have slashes at its end, and may be the local file
// "repo" of the repository.
std::string FolderOfRepository(const StorePath& path) {
    std::string folder = path;
    while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
    if (path.is_remote() || zarr::LastName(folder) != zarr::kIcechunkRepoFile || !HasMagic(folder))
        return folder;
    return ContainingFolder(folder);
}

// An Icechunk repository, and the store of its files.
struct Opened {
    StorePath folder;
    std::shared_ptr<const zarr::Store> store;
    std::optional<zarr::IcechunkRepository> repository;
};

Result<Opened> OpenRepository(const std::string& path, const StoreAccess& access) {
    std::string folder = path;
    while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
    // GDAL's errors are hidden, because a server may refuse to answer for an absent key.
    const QuietErrors quiet;
    if (const auto place = ZipLocationOf(folder))
        if (std::string inner = FindInZip(*place); !inner.empty()) folder = std::move(inner);
    Opened opened;
    opened.folder = StorePath(folder);
    ZARR_ASSIGN_OR_RETURN(opened.store, OpenStore(opened.folder, access));
    auto repository = zarr::IcechunkRepository::Open(*opened.store);
    // The repository was not found in `folder`. `folder` may be the path of the repository's file
    // "repo", so the parent folder is tried, too.
    if (!repository.ok() && repository.status().code() == zarr::StatusCode::kNotFound &&
        zarr::LastName(folder) == zarr::kIcechunkRepoFile) {
        Opened above;
        above.folder = StorePath(ContainingFolder(folder));
        ZARR_ASSIGN_OR_RETURN(above.store, OpenStore(above.folder, access));
        auto found = zarr::IcechunkRepository::Open(*above.store);
        if (found.ok()) {
            above.repository = found.Take();
            return above;
        }
    }
    ZARR_ASSIGN_OR_RETURN(opened.repository, std::move(repository));
    return opened;
}

Result<std::shared_ptr<const zarr::Store>> OpenIcechunk(const StorePath& path,
                                                        const StoreAccess& access) {
    const IcechunkName name = *ParseIcechunkName(path);
    ZARR_ASSIGN_OR_RETURN(Opened opened, OpenRepository(name.path, access));
    ZARR_ASSIGN_OR_RETURN(const std::string id, opened.repository->SnapshotOf(name.selection));
    const std::string identity = opened.store->Identity() +
                                 (name.checks_targets ? "" : "\nunchecked") +
                                 std::string(kSnapshotMark) + id;
    SnapshotPtr map = snapshots.Find(identity);
    if (map == nullptr) {
        ZARR_ASSIGN_OR_RETURN(auto snapshot, zarr::IcechunkSnapshot::Read(*opened.store, id));
        map = std::make_shared<const zarr::IcechunkMap>(opened.store, std::move(snapshot),
                                                        name.checks_targets, identity);
        snapshots.Add(identity, map);
    }
    auto targets =
        OpenIcechunkTargets(opened.folder, opened.store, opened.repository->Containers());
    std::shared_ptr<const zarr::Store> store =
        std::make_shared<zarr::ReferenceStore>(std::move(map), std::move(targets), path.text());
    return IsDebugEnabled() ? std::make_shared<LoggedStore>(std::move(store)) : store;
}

Status ReadOnlyRepository() { return Status::Unsupported("Icechunk repositories are read-only"); }

Result<std::shared_ptr<zarr::Store>> OpenIcechunkForUpdate(const StorePath& /*path*/,
                                                           const StoreAccess& /*access*/) {
    return ReadOnlyRepository();
}

Status CheckIcechunk(const StorePath& /*path*/, StoreOperation /*operation*/) {
    return ReadOnlyRepository();
}

Status EraseIcechunk(const std::string& /*path*/, bool /*is_store*/) {
    return ReadOnlyRepository();
}

std::string Joined(const Result<std::vector<std::string>>& names) {
    std::string text;
    if (!names.ok()) return text;
    for (const std::string& name : *names) text += (text.empty() ? "" : ",") + name;
    return text;
}

}  // namespace

bool IsIcechunkRepoFile(const std::string& path, std::string_view start) {
    return zarr::LastName(path) == zarr::kIcechunkRepoFile &&
           start.substr(0, zarr::kIcechunkMagic.size()) == zarr::kIcechunkMagic;
}

std::string FindIcechunk(const StorePath& path) {
    if (path.is_remote() || IsIcechunk(path)) return {};
    const QuietErrors quiet;
    const std::string folder = FolderOfRepository(path);
    const auto named = [](const std::string& found) { return AsIcechunk(found).text(); };
    if (const auto place = ZipLocationOf(folder))
        return FindInZip(*place).empty() ? std::string() : named(folder);
    if (HasMagic(FileIn(folder, zarr::kIcechunkRepoFile))) return named(folder);
    // A repository of version 1 has folders instead of the file "repo" (Icechunk specification,
    // "File layout").
    if (PathExists(FileIn(folder, zarr::kIcechunkRefs)) &&
        PathExists(FileIn(folder, zarr::kIcechunkSnapshots)))
        return named(folder);
    return {};
}

void RecogniseIcechunk(ConnectionString& name) {
    if (name.path.is_remote() || name.is_store) return;
    const QuietErrors quiet;
    const std::string folder = FolderOf(name.path);
    const bool holds_store = IsStoreFolder(folder);
    const bool is_reference = IsKerchunkJson(folder) || IsKerchunkParquet(folder);
    name.is_store = holds_store && (is_reference || !ZipLocationOf(folder));
    if (holds_store) return;
    if (const std::string found = FindIcechunk(name.path); !found.empty())
        name.path = StorePath(found);
}

bool IsRemoteIcechunk(const StorePath& path) {
    if (!path.is_remote()) return false;
    const QuietErrors quiet;
    // An answer that looks like a damaged repository does not count as a repository, because some
    // servers answer each request with a page.
    const auto opened = OpenRepository(FolderOf(path), {});
    return opened.ok() || opened.status().code() == zarr::StatusCode::kUnsupported;
}

StorePath AsIcechunk(const StorePath& path) {
    IcechunkName name;
    name.path = path.text();
    return {FormatIcechunkName(name)};
}

Result<StorePath> WithSelection(const StorePath& path, const zarr::IcechunkSelection& wanted) {
    const int count = (wanted.branch.empty() ? 0 : 1) + (wanted.tag.empty() ? 0 : 1) +
                      (wanted.snapshot.empty() ? 0 : 1);
    if (count > 1)
        return Status::Invalid("the open options BRANCH, TAG and SNAPSHOT exclude each other");
    const auto named = ParseIcechunkName(path);
    if (named) {
        const zarr::IcechunkSelection& own = named->selection;
        const int own_count = (own.branch.empty() ? 0 : 1) + (own.tag.empty() ? 0 : 1) +
                              (own.snapshot.empty() ? 0 : 1);
        if (own_count > 1)
            return Status::Invalid("a name has only one of branch, tag and snapshot");
        const bool is_equal =
            own.branch == wanted.branch && own.tag == wanted.tag && own.snapshot == wanted.snapshot;
        if (own_count + count > 1 && !is_equal)
            return Status::Invalid(
                "the name and an open option select different states of the repository");
    }
    if (count == 0 && !named) return path;
    IcechunkName name;
    if (named)
        name = *named;
    else
        name.path = path;
    if (const StorePath store(name.path); !store.is_remote()) name.path = FolderOfRepository(store);
    if (count != 0) name.selection = wanted;
    return StorePath(FormatIcechunkName(name));
}

void DescribeIcechunk(const StorePath& path, const zarr::Store& store, CPLStringList& list) {
    const auto name = ParseIcechunkName(path);
    if (!name) return;
    const auto set = [&list](const char* item, const std::string& value) {
        if (!value.empty()) list.SetNameValue(item, value.c_str());
    };
    const auto opened = OpenRepository(name->path, {});
    if (opened.ok()) {
        set("BRANCHES", Joined(opened->repository->Branches()));
        set("TAGS", Joined(opened->repository->Tags()));
    }
    const std::string identity = store.Identity();
    const std::size_t mark = identity.rfind(kSnapshotMark);
    if (mark != std::string::npos) set("SNAPSHOT", identity.substr(mark + kSnapshotMark.size()));
}

void ForgetIcechunk() { snapshots.Forget(); }

const StoreKind kIcechunkKind = {IsIcechunk,    OpenIcechunk, OpenIcechunkForUpdate,
                                 CheckIcechunk, nullptr,      EraseIcechunk};

}  // namespace zarr_driver

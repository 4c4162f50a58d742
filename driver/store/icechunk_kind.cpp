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
#include "driver/base/gdal_errors.h"
#include "driver/store/icechunk_targets.h"
#include "driver/store/resolve.h"
#include "driver/transport/logged_store.h"
#include "driver/transport/open_zip.h"
#include "driver/transport/shared_objects.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// The identity of an Icechunk store contains this text, followed by the identifier of its snapshot.
constexpr std::string_view kSnapshotMark = "\nicechunk snapshot ";

bool IsIcechunk(const StoreAddress& address) { return address.scheme == PathScheme::kIcechunk; }

using SnapshotPtr = std::shared_ptr<const zarr::IcechunkMap>;

// Snapshots with their cached manifests, by identifier. A cached snapshot is never outdated,
// because a snapshot never changes. The object is never destroyed, because threads may still use it
// while the process exits.
auto& snapshots = *new SharedObjects<zarr::IcechunkMap>(LastObject::kKept);

// True if the store has a key that only Icechunk repositories have. `holds(key)` is true if the
// store has `key`.
template <class Holds>
bool HoldsRepository(const Holds& holds) {
    return holds(std::string(zarr::kIcechunkRepoFile)) || holds("refs/branch.main/ref.json");
}

// Returns the folder of the repository in the zip file of `address`; empty for the zip file's root.
// Returns nullopt if the zip file holds no repository.
std::optional<std::string> FindInZip(const StoreAddress& address) {
    const auto archive = OpenZip(address.archive);
    if (!archive.ok()) return std::nullopt;
    const auto is_root = [&](const std::string& prefix) {
        return HoldsRepository([&](const std::string& key) {
            return (*archive)->Find(zarr::JoinKey(prefix, key)) != nullptr;
        });
    };
    const std::string inner = address.inner ? *address.inner : (*archive)->FindRoot(is_root);
    return is_root(inner) ? std::optional(inner) : std::nullopt;
}

// True if `start`, the first bytes of a file called "repo", are those of an Icechunk repository.
bool IsIcechunkRepoFile(const StorePath& path, std::string_view start) {
    return zarr::LastName(path.text()) == zarr::kIcechunkRepoFile &&
           start.substr(0, zarr::kIcechunkMagic.size()) == zarr::kIcechunkMagic;
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

// Returns the folder of a repository. `path` may be the local file "repo" of the repository.
StoreAddress FolderOfRepository(const StorePath& path) {
    const StoreAddress address = AddressOf(path);
    const bool is_file = !address.is_remote() &&
                         zarr::LastName(address.text()) == zarr::kIcechunkRepoFile &&
                         HasMagic(address);
    return is_file ? StoreAddress(ContainingFolder(address.text())) : address;
}

// An Icechunk repository, and the store of its files.
struct Opened {
    StoreAddress folder;
    std::shared_ptr<const zarr::Store> store;
    std::optional<zarr::IcechunkRepository> repository;
};

Result<Opened> OpenRepository(const StorePath& path, const StoreAccess& access) {
    // GDAL's errors are hidden, because a server may refuse to answer for an absent key.
    const QuietErrors quiet;
    Opened opened;
    opened.folder = AddressOf(path);
    if (!opened.folder.archive.empty())
        if (const auto inner = FindInZip(opened.folder))
            opened.folder = ZipAddress(opened.folder.archive, *inner);
    ZARR_ASSIGN_OR_RETURN(opened.store, OpenStore(opened.folder, access));
    auto repository = zarr::IcechunkRepository::Open(*opened.store);
    // The repository was not found in `folder`. `folder` may be the path of the repository's file
    // "repo", so the parent folder is tried, too.
    if (!repository.ok() && repository.status().code() == zarr::StatusCode::kNotFound &&
        zarr::LastName(opened.folder.text()) == zarr::kIcechunkRepoFile) {
        Opened above;
        above.folder = StoreAddress(ContainingFolder(opened.folder.text()));
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

Result<std::shared_ptr<const zarr::Store>> OpenIcechunk(const StoreAddress& address,
                                                        const StoreAccess& access) {
    const RepositoryState& state = address.state;
    ZARR_ASSIGN_OR_RETURN(Opened opened, OpenRepository(address.container, access));
    ZARR_ASSIGN_OR_RETURN(const std::string id, opened.repository->SnapshotOf(state.selection));
    const std::string identity = opened.store->Identity() +
                                 (state.checks_targets ? "" : "\nunchecked") +
                                 std::string(kSnapshotMark) + id;
    SnapshotPtr map = snapshots.Find(identity);
    if (map == nullptr) {
        ZARR_ASSIGN_OR_RETURN(auto snapshot, zarr::IcechunkSnapshot::Read(*opened.store, id));
        map = std::make_shared<const zarr::IcechunkMap>(opened.store, std::move(snapshot),
                                                        state.checks_targets, identity);
        snapshots.Add(identity, map);
    }
    auto targets =
        OpenIcechunkTargets(opened.folder, opened.store, opened.repository->Containers());
    std::shared_ptr<const zarr::Store> store =
        std::make_shared<zarr::ReferenceStore>(std::move(map), std::move(targets), address.text());
    return IsDebugEnabled() ? std::make_shared<LoggedStore>(std::move(store)) : store;
}

Status RefuseChangeOfIcechunk(const StoreAddress& /*address*/, StoreOperation /*operation*/) {
    return Status::Unsupported("Icechunk repositories are read-only");
}

Status EraseIcechunk(const StoreAddress& address, bool /*is_store*/) {
    return RefuseChangeOfIcechunk(address, StoreOperation::kWrite);
}

std::string Joined(const Result<std::vector<std::string>>& names) {
    std::string text;
    if (!names.ok()) return text;
    for (const std::string& name : *names) text += (text.empty() ? "" : ",") + name;
    return text;
}

}  // namespace

std::optional<StoreAddress> FindIcechunk(const StoreAddress& address) {
    if (address.is_remote() || IsIcechunk(address)) return std::nullopt;
    const QuietErrors quiet;
    const StoreAddress folder = FolderOfRepository(address);
    // A repository of version 1 has folders instead of the file "repo" (Icechunk specification,
    // "File layout").
    const bool is_repository = !folder.archive.empty()
                                   ? FindInZip(folder).has_value()
                                   : HasMagic(FileIn(folder, zarr::kIcechunkRepoFile)) ||
                                         (PathExists(FileIn(folder, zarr::kIcechunkRefs)) &&
                                          PathExists(FileIn(folder, zarr::kIcechunkSnapshots)));
    return is_repository ? std::optional(IcechunkAddress(folder)) : std::nullopt;
}

bool IsRemoteIcechunk(const StoreAddress& address) {
    if (!address.is_remote()) return false;
    const QuietErrors quiet;
    // An answer that looks like a damaged repository does not count as a repository, because some
    // servers answer each request with a page.
    const auto opened = OpenRepository(address, {});
    return opened.ok() || opened.status().code() == zarr::StatusCode::kUnsupported;
}

namespace {

int CountSelected(const zarr::IcechunkSelection& selection) {
    return (selection.branch.empty() ? 0 : 1) + (selection.tag.empty() ? 0 : 1) +
           (selection.snapshot.empty() ? 0 : 1);
}

}  // namespace

Result<StoreAddress> WithSelection(const StoreAddress& address,
                                   const zarr::IcechunkSelection& wanted) {
    const int count = CountSelected(wanted);
    if (count > 1)
        return Status::Invalid("the open options BRANCH, TAG and SNAPSHOT exclude each other");
    if (count == 0 && !IsIcechunk(address)) return address;
    RepositoryState state = address.state;
    const zarr::IcechunkSelection& own = state.selection;
    const int own_count = CountSelected(own);
    if (own_count > 1) return Status::Invalid("a name has only one of branch, tag and snapshot");
    const bool is_equal =
        own.branch == wanted.branch && own.tag == wanted.tag && own.snapshot == wanted.snapshot;
    if (own_count + count > 1 && !is_equal)
        return Status::Invalid(
            "the name and an open option select different states of the repository");
    if (count != 0) state.selection = wanted;
    return IcechunkAddress(FolderOfRepository(address.container), state);
}

void DescribeIcechunk(const StoreAddress& address, const zarr::Store& store, CPLStringList& list) {
    if (!IsIcechunk(address)) return;
    const auto set = [&list](const char* item, const std::string& value) {
        if (!value.empty()) list.SetNameValue(item, value.c_str());
    };
    const auto opened = OpenRepository(address.container, {});
    if (opened.ok()) {
        set("BRANCHES", Joined(opened->repository->Branches()));
        set("TAGS", Joined(opened->repository->Tags()));
    }
    const std::string identity = store.Identity();
    const std::size_t mark = identity.rfind(kSnapshotMark);
    if (mark != std::string::npos) set("SNAPSHOT", identity.substr(mark + kSnapshotMark.size()));
}

void ForgetIcechunk() { snapshots.FreeLast(); }

const StoreKind kIcechunkKind = {
    IsIcechunk, IsIcechunkRepoFile,     IsThereAlways, IsRootItself, OpenIcechunk,
    nullptr,    RefuseChangeOfIcechunk, nullptr,       EraseIcechunk};

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#include "driver/store/location.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <gdal.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/text.h"
#include "core/store/keys.h"
#include "core/store/zip_store.h"
#include "driver/base/open_options.h"
#include "driver/base/report.h"
#include "driver/store/store_folder.h"
#include "driver/store/store_path.h"
#include "driver/store/vsi_store.h"
#include "driver/store/zip_file.h"

namespace zarr_driver {

using zarr::NodeKind;
using zarr::Result;
using zarr::Status;

namespace {

// The same by the name of the root, which looks like x.zarr.
void AscendToNamedRoot(std::string& folder, std::string& node) {
    constexpr std::string_view kSuffix = ".zarr/";
    const std::size_t at = folder.find(kSuffix);
    if (at == std::string::npos || folder.find('?') != std::string::npos) return;
    const auto below = zarr::NormalizePath(folder.substr(at + kSuffix.size()));
    if (!below.ok()) return;
    node = *below;
    folder.resize(at + kSuffix.size() - 1);
}

// Moves up by one.
bool Ascend(std::string& folder, std::string& node) {
    const std::string name(zarr::LastName(folder));
    if (name.empty() || name == "." || name == "..") return false;
    folder = std::string(zarr::ParentPath(folder));
    node = node.empty() ? name : zarr::JoinKey(name, node);
    return true;
}

// AscendToRoot() of a folder in a zip file, whose names are known once it is open. One that cannot
// be opened is for others to report.
void AscendInZip(const ZipPlace& place, std::string& folder, std::string& node) {
    if (!place.inner || place.inner->empty()) return;
    const auto archive = OpenZip(place.archive);
    if (!archive.ok() || !HoldsStore(**archive, *place.inner)) return;
    for (std::string inner = *place.inner; !inner.empty();) {
        inner = std::string(zarr::ParentPath(inner));
        if ((*archive)->Find(zarr::DocumentKey(inner, zarr::Document::kGroup)) == nullptr) return;
        if (!Ascend(folder, node)) return;
    }
}

// Moves up from `folder` while the folder above is a group, and keeps the way down in `node`. Where
// looking costs nothing; over a network by the names.
void AscendToRoot(std::string& folder, std::string& node) {
    if (const auto place = ZipPlaceOf(folder)) return AscendInZip(*place, folder, node);
    if (StorePath(folder).is_remote()) return AscendToNamedRoot(folder, node);
    if (STARTS_WITH(folder.c_str(), "/vsi") && !STARTS_WITH(folder.c_str(), "/vsimem/")) return;
    if (!IsStoreFolder(folder)) return;
    for (std::size_t i = 0; i < zarr::kMaxGroupDepth; ++i) {
        const std::string parent(zarr::ParentPath(folder));
        if (parent.empty() || !PathExists(zarr::DocumentKey(parent, zarr::Document::kGroup)))
            return;
        if (!Ascend(folder, node)) return;
    }
}

// True where a server has a store of Zarr v3 and nothing of ours at `node`: to look further takes
// several requests, which that is spared. What is asked before is remembered, unless it may change.
Result<bool> IsV3InPlaceOf(const zarr::Hierarchy& hierarchy, const StorePath& folder,
                           const std::string& node) {
    if (!folder.is_remote() || hierarchy.is_consolidated()) return false;
    for (const zarr::Document document : {zarr::Document::kArray, zarr::Document::kGroup}) {
        ZARR_ASSIGN_OR_RETURN(const bool found, hierarchy.Has(node, document));
        if (found) return false;
    }
    const QuietErrors quiet;
    return PathExists(folder.text() + "/" + std::string(zarr::kV3Document));
}

Status NoStore() {
    return Status::NotFound(
        "not a Zarr v2 store: it has no .zgroup, .zarray or .zmetadata, no meta of Zarr v1 and no "
        "groups or arrays");
}

Result<Location> LocateIn(const StorePath& folder, const std::string& node,
                          const OpenOptions& options) {
    Location location;
    location.store_path = folder;
    location.node = node;
    std::shared_ptr<const zarr::Store> store;
    if (options.is_update) {
        location.writable = OpenStoreForUpdate(folder, options.missing_on_403);
        store = location.writable;
    } else {
        ZARR_ASSIGN_OR_RETURN(store, OpenStore(folder, {options.missing_on_403}));
    }
    ZARR_ASSIGN_OR_RETURN(
        location.hierarchy,
        zarr::Hierarchy::Open(std::move(store), options.use_consolidated, SharedContext(),
                              options.cache_tile_presence ? "chunks are listed" : ""));
    if (!options.is_update) {
        ZARR_ASSIGN_OR_RETURN(const bool is_v3, IsV3InPlaceOf(*location.hierarchy, folder, node));
        if (is_v3) return NoStore();
    }
    ZARR_ASSIGN_OR_RETURN(location.kind, location.hierarchy->KindOf(node));
    return location;
}

// Warns of consolidated metadata that are not used, as what was looked for was found without. The
// metadata are the error where it cannot be: where nothing lists what is in a group.
Status ReportConsolidatedFault(const Location& location) {
    const Status& fault = location.hierarchy->consolidated_fault();
    if (fault.ok()) return {};
    if (location.kind == NodeKind::kGroup &&
        location.hierarchy->Members(location.node).status().code() ==
            zarr::StatusCode::kUnsupported)
        return fault;
    EmitWarning(location.store_path, fault.message() + " (the documents themselves are read)");
    return {};
}

// Made at load and never destroyed, see core/base/fork.h.
const auto& context = *new std::shared_ptr<zarr::ArrayContext>(new zarr::ArrayContext(0));

}  // namespace

std::shared_ptr<zarr::ArrayContext> SharedContext() {
    ReadLimits();
    constexpr GIntBig kLeast = GIntBig{16} << 20;
    const GIntBig bytes = std::max(kLeast, GDALGetCacheMax64());
    if (context->cache().max_bytes() != static_cast<std::size_t>(bytes))
        context->cache().SetMaxBytes(static_cast<std::size_t>(bytes));
    return context;
}

Result<Location> Locate(const ConnectionString& name, const OpenOptions& options) {
    std::string folder = FolderOf(name.path);
    std::string above;  // from the root to the folder that was named
    if (!name.has_node) AscendToRoot(folder, above);
    ZARR_ASSIGN_OR_RETURN(Location location,
                          LocateIn(folder, name.has_node ? name.node : above, options));
    if (location.kind == NodeKind::kNone && !above.empty()) {
        // The root's consolidated metadata may be older than the node.
        ZARR_ASSIGN_OR_RETURN(location, LocateIn(FolderOf(name.path), "", options));
    }
    if (location.kind != NodeKind::kNone) {
        ZARR_RETURN_IF_ERROR(ReportConsolidatedFault(location));
        return location;
    }
    const Status& fault = location.hierarchy->consolidated_fault();
    if (!fault.ok()) return Status::NotFound(fault.message());
    if (name.has_node && !name.node.empty() && IsStoreFolder(folder))
        return Status::NotFound("/" + name.node + ": there is no such array or group" +
                                (location.hierarchy->is_consolidated()
                                     ? " in the consolidated metadata (open option "
                                       "USE_CONSOLIDATED_METADATA=NO looks beyond them)"
                                     : ""));
    return NoStore();
}

zarr::Result<std::shared_ptr<const zarr::Store>> OpenStore(const StorePath& path,
                                                           const StoreAccess& access) {
    using StorePtr = std::shared_ptr<const zarr::Store>;
    if (const auto place = ZipPlaceOf(path)) {
        ZARR_ASSIGN_OR_RETURN(const auto archive, OpenZip(place->archive));
        return StorePtr(std::make_shared<zarr::ZipStore>(archive, InnerFolder(*place, *archive)));
    }
    if (path.is_remote()) return StorePtr(std::make_shared<RemoteStore>(path, access));
    return StorePtr(std::make_shared<VsiStore>(path));
}

std::shared_ptr<VsiStore> OpenStoreForUpdate(const StorePath& folder, bool missing_on_403) {
    if (!folder.is_remote()) return std::make_shared<VsiStore>(folder);
    StoreAccess access;
    access.missing_on_403 = missing_on_403;
    access.update = true;
    return std::make_shared<RemoteStore>(folder, access);
}

void WarnOfFailure(const zarr::Hierarchy& hierarchy, const std::string& store) {
    const zarr::Status failure = hierarchy.TakeFailure();
    if (failure.ok() || std::strstr(CPLGetLastErrorMsg(), failure.message().c_str()) != nullptr)
        return;
    EmitWarning(store, failure.message());
}

}  // namespace zarr_driver

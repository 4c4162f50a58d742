// SPDX-License-Identifier: MIT
#include "driver/store/open_node.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <gdal.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/completion.h"
#include "core/base/text.h"
#include "core/base/thread_pool.h"
#include "core/conventions/opening_prefetch.h"
#include "core/store/keys.h"
#include "driver/base/debug_log.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/open_options.h"
#include "driver/base/secrets.h"
#include "driver/store/icechunk_kind.h"
#include "driver/store/kerchunk_parquet_kind.h"
#include "driver/store/resolve.h"
#include "driver/store/store_address.h"
#include "driver/store/store_kind.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::NodeKind;
using zarr::Result;
using zarr::Status;

namespace {

Status NoStore(const StorePath& folder) {
    VSIStatBufL stat;
    if (VSIIsLocal(folder.c_str()) && VSIStatL(folder.c_str(), &stat) != 0)
        return Status::NotFound("does not exist");
    return Status::NotFound(
        "not a Zarr store: it has no zarr.json, .zgroup, .zarray or .zmetadata, no meta of Zarr v1 "
        "and no groups or arrays");
}

// Calls `ask` on another thread and `look` on this thread, in parallel, and waits for both. If no
// other thread is free, calls `ask` on this thread after `look`. `look` stays on this thread,
// because it uses thread-local configuration options of GDAL.
template <class Look>
void AtTheSameTime(const std::function<void()>& ask, Look&& look) {
    const auto done = std::make_shared<zarr::Completion>();
    const bool has_begun = zarr::WorkerPool::Instance().Start([done, ask] {
        zarr::NoThrow(ask);
        done->End();
    });
    try {
        look();
    } catch (...) {
        if (has_begun) done->Wait();  // `ask` uses objects of the caller
        throw;
    }
    if (has_begun)
        done->Wait();
    else
        ask();
}

// Prefetches the documents that identify the store and describe `node`. Documents of old versions
// are requested only if the store is not Zarr v3.
void PrefetchRoot(const zarr::Store& store, const std::string& node) {
    const std::vector<std::string> first = zarr::FirstKeys(node);
    store.Prefetch(first, {});
    zarr::Buffer ignored;
    const auto root = zarr::GetDocument(store, first.front(), ignored);
    if (!root.ok() || !*root) store.Prefetch(zarr::FirstKeysOfOldStore(node), {});
}

// Prefetches the documents that show whether the node is an array or a group. In parallel, lets
// GDAL look for its cache file for arrays, "x.zarr.gmac". GDAL remembers whether the file exists,
// so that the first read of an array need not look for the file.
void PrefetchNode(const zarr::Store& store, const OpenNode& open_node) {
    std::vector<std::string> keys = zarr::FirstKeys(open_node.node);
    for (std::string& key : zarr::FirstKeysOfOldStore(open_node.node))
        keys.push_back(std::move(key));
    AtTheSameTime([&] { zarr::NoThrow([&] { store.Prefetch(keys, {}); }); },
                  [&] {
                      const QuietErrors quiet;
                      static_cast<void>(PathExists(open_node.address.text() + ".gmac"));
                  });
}

// Opens the store of `open_node`. If `options` ask for an update, also sets `open_node.writable` to
// the store.
Result<std::shared_ptr<const zarr::Store>> OpenStoreOf(OpenNode& open_node,
                                                       const OpenOptions& options) {
    const StoreAccess access = {options.missing_on_403, false, options.follow_links};
    if (!options.is_update) return OpenStore(open_node.address, access);
    ZARR_ASSIGN_OR_RETURN(open_node.writable,
                          OpenStoreForUpdate(open_node.address, options.missing_on_403));
    return std::shared_ptr<const zarr::Store>(open_node.writable);
}

// Opens the hierarchy of `open_node`. Requests the documents that opening needs together.
Status OpenHierarchy(OpenNode& open_node, const OpenOptions& options, OpenedFor purpose) {
    ZARR_ASSIGN_OR_RETURN(auto store, OpenStoreOf(open_node, options));
    const bool caches_absence = store->Traits().caches_absence;
    const bool looks_ahead = caches_absence && purpose == OpenedFor::kRaster;
    const auto load_auxiliary = [&] { open_node.auxiliary = LoadAuxiliaryFile(open_node.address); };
    // Prefetches the documents unless the first document is cached. A cached document means that
    // another dataset has the store open and has read the documents.
    if (caches_absence && !store->IsCached(zarr::FirstKeys(open_node.node).front())) {
        if (looks_ahead)
            AtTheSameTime([&] { zarr::NoThrow([&] { PrefetchRoot(*store, open_node.node); }); },
                          load_auxiliary);
        else if (!options.is_update)
            PrefetchNode(*store, open_node);
    }
    ZARR_ASSIGN_OR_RETURN(
        open_node.hierarchy,
        zarr::Hierarchy::Open(std::move(store), options.use_consolidated, SharedContext(),
                              options.cache_tile_presence ? "chunks are listed" : ""));
    const zarr::Hierarchy& hierarchy = *open_node.hierarchy;
    if (looks_ahead) {
        if (!open_node.auxiliary) load_auxiliary();
        zarr::NoThrow([&] { zarr::PrefetchOpening(hierarchy, open_node.node); });
    } else if (!hierarchy.is_consolidated()) {
        hierarchy.store()->Prefetch({hierarchy.KeyOf(open_node.node, zarr::Document::kArray),
                                     hierarchy.KeyOf(open_node.node, zarr::Document::kGroup),
                                     hierarchy.KeyOf(open_node.node, zarr::Document::kAttributes)},
                                    {});
    }
    return {};
}

// Opens the store at `address` as its kind says, and finds the node there.
Result<OpenNode> OpenAsKind(const StoreAddress& address, const OpenOptions& options,
                            OpenedFor purpose) {
    OpenNode open_node;
    open_node.address = address;
    open_node.node = address.node;
    ZARR_RETURN_IF_ERROR(OpenHierarchy(open_node, options, purpose));
    const zarr::Hierarchy& hierarchy = *open_node.hierarchy;
    ZARR_ASSIGN_OR_RETURN(open_node.kind, hierarchy.KindOf(open_node.node));
    // CheckGroup() returns an error if a group of Zarr v3 has an unknown metadata member that a
    // reader must understand.
    if (open_node.kind == NodeKind::kGroup && hierarchy.format() == zarr::Format::kV3)
        ZARR_RETURN_IF_ERROR(hierarchy.CheckGroup(open_node.node));
    if (open_node.kind == NodeKind::kNone && open_node.node == RootArrayName(address)) {
        ZARR_ASSIGN_OR_RETURN(const bool is_array, hierarchy.HoldsArray(""));
        if (is_array) {
            open_node.node.clear();
            open_node.kind = NodeKind::kArray;
        }
    }
    return open_node;
}

// Opens the store at `address`, and finds the node there. Consolidated metadata with references
// proves that the store is of another kind: it fails to open, or looks empty if it is not used.
Result<OpenNode> OpenInStore(const StoreAddress& address, const OpenOptions& options,
                             OpenedFor purpose) {
    auto open_node = OpenAsKind(address, options, purpose);
    const bool looks_empty = options.use_consolidated == zarr::UseConsolidated::kNever &&
                             open_node.ok() && open_node->kind == NodeKind::kNone;
    const bool may_be_references =
        looks_empty || open_node.status().code() == zarr::StatusCode::kUnsupported;
    if (!may_be_references || address.store_kind == &kKerchunkParquetKind ||
        !HoldsKerchunkParquet(address))
        return open_node;
    return OpenAsKind(AsKerchunkParquet(address), options, purpose);
}

// Returns the number of letters that must be inserted, deleted or replaced in `a` to get `b`.
std::size_t EditDistance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t k = 1; k <= b.size(); ++k) {
            const std::size_t changed = diagonal + (a[i - 1] != b[k - 1] ? 1 : 0);
            diagonal = row[k];
            row[k] = std::min({row[k] + 1, row[k - 1] + 1, changed});
        }
    }
    return row.back();
}

// Returns text for an error message: the names of nodes in the same group that resemble the name of
// the missing node. Empty if the store does not list the group.
std::string NearNames(const zarr::Hierarchy& hierarchy, const std::string& node) {
    constexpr std::size_t kMostMembers = 1000;
    constexpr std::size_t kLongest = 256;
    const std::string group(zarr::ParentPath(node));
    const auto entries = hierarchy.List(group);
    if (!entries.ok() || entries->size() > kMostMembers) return {};
    const std::string wanted = zarr::NameKey(std::string(zarr::LastName(node)));
    std::vector<std::string> near;
    for (const zarr::StoreEntry& entry : *entries) {
        const std::string name = zarr::NameKey(entry.name);
        if (!entry.is_prefix || std::max(name.size(), wanted.size()) > kLongest ||
            EditDistance(wanted, name) > 1 + wanted.size() / 4)
            continue;
        const std::string path = zarr::JoinKey(group, entry.name);
        const auto kind = hierarchy.KindOf(path);
        if (!kind.ok() || *kind != NodeKind::kNone) near.push_back("/" + path);
    }
    return near.empty() ? std::string() : "; there is " + FirstFew(near, ", ");
}

// Reports a fault of the consolidated metadata, if there is one, after the node was found without
// it. Emits a warning, or returns the fault as an error if the store cannot list the members of a
// group.
Status ReportConsolidatedFault(const OpenNode& open_node) {
    const Status& fault = open_node.hierarchy->consolidated_error();
    if (fault.ok()) return {};
    if (open_node.kind == NodeKind::kGroup &&
        open_node.hierarchy->Members(open_node.node).status().code() ==
            zarr::StatusCode::kUnsupported)
        return fault;
    EmitWarning(open_node.address,
                fault.message() + " (using the documents of the arrays and groups instead)");
    return {};
}

// Context that all arrays of the process share. It is never destroyed, because threads may still
// use it while the process exits.
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

Result<OpenNode> OpenNodeAt(const StoreAddress& address, const OpenOptions& options,
                            OpenedFor purpose) {
    const StoreAddress root = RootOf(address);
    ZARR_ASSIGN_OR_RETURN(OpenNode open_node, OpenInStore(root, options, purpose));
    if (open_node.kind == NodeKind::kNone && !address.has_node && root.has_node) {
        // The store does not contain the node, perhaps because the root's consolidated metadata is
        // older than the node. The node's folder is therefore opened as a store of its own.
        ZARR_ASSIGN_OR_RETURN(open_node, OpenInStore(address, options, purpose));
    }
    if (open_node.kind != NodeKind::kNone) {
        ZARR_RETURN_IF_ERROR(ReportConsolidatedFault(open_node));
        return open_node;
    }
    const Status& fault = open_node.hierarchy->consolidated_error();
    if (!fault.ok()) return Status::NotFound(fault.message());
    if (address.has_node && !address.node.empty() && HoldsStore(address))
        return Status::NotFound("/" + address.node + ": there is no such array or group" +
                                NearNames(*open_node.hierarchy, address.node) +
                                (open_node.hierarchy->is_consolidated()
                                     ? " in the consolidated metadata (open option "
                                       "USE_CONSOLIDATED_METADATA=NO ignores them)"
                                     : ""));
    return NoStore(root);
}

void DescribeState(const OpenNode& open_node, CPLStringList& list) {
    DescribeIcechunk(open_node.address, *open_node.hierarchy->store(), list);
}

std::string RootArrayName(const StoreAddress& address) {
    const bool is_repository = address.scheme == PathScheme::kIcechunk;
    return CPLGetBasename(is_repository ? address.container.c_str() : address.c_str());
}

void WarnOfFailure(const zarr::Hierarchy& hierarchy, const std::string& store) {
    const zarr::Status failure = hierarchy.TakeFailure();
    const std::string shown = HideSecrets(failure.message(), UrlEnd::kAtSpace);
    if (failure.ok() || std::strstr(CPLGetLastErrorMsg(), shown.c_str()) != nullptr) return;
    EmitWarning(store, failure.message());
}

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_string.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/hierarchy/hierarchy.h"
#include "core/store/store.h"
#include "driver/base/open_options.h"
#include "driver/store/sidecars.h"
#include "driver/store/store_address.h"

namespace zarr_driver {

// A node that was found, and the store that holds the node.
struct OpenNode {
    StoreAddress address;  // the root of the store
    std::shared_ptr<const zarr::Hierarchy> hierarchy;
    // The store that `hierarchy` reads, opened for update; nullptr if the store is open for reading
    // only. `hierarchy` sees everything written through `writable` at once.
    std::shared_ptr<zarr::Store> writable;
    std::string node;  // path of the node in the store, "" for the root
    zarr::NodeKind kind = zarr::NodeKind::kNone;
    // The auxiliary file "x.zarr.aux.xml", loaded if a remote store is opened as a raster; else
    // nullopt.
    std::optional<AuxiliaryFile> auxiliary;
};

// Purpose for which a node is opened. A raster needs more documents of the store than other uses.
// If the store is remote, these documents are prefetched together.
enum class OpenedFor : std::uint8_t { kRaster, kOther };

// Returns the context that all arrays of the process share: the limits, and the cache of decoded
// chunks. GDAL_CACHEMAX bounds this cache, separately from GDAL's block cache. Each call applies
// GDAL's current configuration options by ReadLimits().
std::shared_ptr<zarr::ArrayContext> SharedContext();

// Opens the store that contains `address`, and finds the node there. If the address leads into the
// middle of a store, the root of that store is opened, so that neighbouring nodes are known.
// Returns kNotFound if no Zarr store contains the address.
zarr::Result<OpenNode> OpenNodeAt(const StoreAddress& address, const OpenOptions& options,
                                  OpenedFor purpose = OpenedFor::kOther);

// Adds facts about the state of an opened Icechunk repository to `list`: the items BRANCHES, TAGS
// and SNAPSHOT. Adds nothing for other stores.
void DescribeState(const OpenNode& open_node, CPLStringList& list);

// Returns the name of an array that is the root of the store at `address`: the folder's name
// without extension. GDAL's built-in driver shows such an array in a group under this name, so
// OpenNodeAt() accepts the name for compatibility.
std::string RootArrayName(const StoreAddress& address);

// Emits a warning if the store failed to return metadata or a listing since the last call. Optional
// metadata, such as coordinates or a CRS, may be missing after such a failure. Emits nothing if
// GDAL's last error already reports the failure. `store` is the path of the store.
void WarnOfFailure(const zarr::Hierarchy& hierarchy, const std::string& store);

}  // namespace zarr_driver

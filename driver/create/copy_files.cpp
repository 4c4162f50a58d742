// SPDX-License-Identifier: MIT
#include "driver/create/copy_files.h"

#include <gdal_priv.h>

#include <memory>
#include <optional>
#include <string>

#include "core/base/text.h"
#include "core/hierarchy/hierarchy.h"
#include "core/store/keys.h"
#include "driver/base/exception_guard.h"
#include "driver/base/gdal_errors.h"
#include "driver/create/node_copy.h"
#include "driver/store/open_node.h"
#include "driver/store/resolve.h"
#include "driver/store/store_address.h"
#include "driver/store/store_kind.h"
#include "driver/store/store_management.h"
#include "driver/store/store_replacement.h"
#include "driver/store/store_update.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Hierarchy;
using zarr::Result;
using zarr::Status;

namespace {

Result<std::shared_ptr<const Hierarchy>> OpenSource(const StoreAddress& folder) {
    ZARR_ASSIGN_OR_RETURN(const auto store, OpenStore(folder, {}));
    return Hierarchy::Open(store, zarr::UseConsolidated::kNever, SharedContext());
}

Status CheckFormats(const Hierarchy& from, const std::string& node, const Hierarchy& to) {
    const auto metadata = from.Metadata(node);
    const zarr::Format format = metadata.ok() ? metadata->format : from.format();
    if (format == to.format()) return {};
    const auto number = [](zarr::Format version) {
        return std::to_string(static_cast<int>(version));
    };
    return Status::Unsupported("/" + node + ": is of Zarr v" + number(format) +
                               ", but the store is of v" + number(to.format()) +
                               "; gdal_translate and gdalmdimtranslate convert it");
}

// Copies a node to a path in an existing store.
Status CopyInto(const StoreAddress& from, const StoreAddress& to) {
    ZARR_RETURN_IF_ERROR(CheckChangeable(to));
    const bool is_same = from.text() == to.text();
    if (is_same && zarr::IsAtOrBelow(to.node, from.node))
        return Status::Invalid("/" + to.node +
                               ": the target is the source itself, or lies inside of the source");
    ZARR_ASSIGN_OR_RETURN(const auto source, OpenSource(from));
    ZARR_ASSIGN_OR_RETURN(const auto store, OpenStoreForUpdate(to));
    ZARR_ASSIGN_OR_RETURN(const auto target,
                          Hierarchy::Open(store, zarr::UseConsolidated::kNever, SharedContext()));
    ZARR_RETURN_IF_ERROR(CheckFormats(*source, from.node, *target));
    StoreUpdate update(store, zarr::WriteConsolidated::kIfPresent);
    const Status copied = NodeCopy(*source, update, is_same).Run(from.node, to.node);
    const Status closed = update.Close();
    return copied.ok() ? closed : copied;
}

Status FillStore(const Hierarchy& source, const std::string& from, const StoreAddress& folder,
                 const std::string& to) {
    ZARR_ASSIGN_OR_RETURN(const auto store, OpenStoreForUpdate(folder));
    StoreUpdate update(store, zarr::WriteConsolidated::kYes, nullptr, nullptr, source.format());
    ZARR_RETURN_IF_ERROR(update.metadata().CreateGroup(""));
    ZARR_RETURN_IF_ERROR(NodeCopy(source, update, false).Run(from, to));
    return update.Close();
}

// Copies a node to a new store. An array that is copied to the root of the new store becomes a
// member of its root group, together with its coordinate arrays.
Status CopyOut(const StoreAddress& from, const StoreAddress& to) {
    ZARR_ASSIGN_OR_RETURN(const auto source, OpenSource(from));
    ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind kind, source->KindOf(from.node));
    std::string node = to.node;
    if (node.empty() && kind == zarr::NodeKind::kArray) node = zarr::LastName(from.node);
    ZARR_ASSIGN_OR_RETURN(const auto copy, StoreReplacement::Begin(to));
    ZARR_RETURN_IF_ERROR(FillStore(*source, from.node, copy->folder(), node));
    return copy->Commit();
}

Status Copy(const char* new_name, const char* old_name) {
    ZARR_ASSIGN_OR_RETURN(const StoreAddress from, FindStoreNode(old_name));
    ZARR_ASSIGN_OR_RETURN(const StoreAddress to, FindTargetNode(new_name));
    if (IsInStore(to)) return CopyInto(from, to);
    if (from.node.empty() && to.node.empty()) return CopyStore(from, to);
    ZARR_RETURN_IF_ERROR(CheckFree(to));
    return CopyOut(from, to);
}

}  // namespace

CPLErr CopyFiles(const char* new_name, const char* old_name) {
    return Guarded(old_name, [&]() -> CPLErr {
        const Status status = Copy(new_name, old_name);
        return status.ok() ? CE_None : EmitError(old_name, status);
    });
}

}  // namespace zarr_driver

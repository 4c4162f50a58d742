// SPDX-License-Identifier: MIT
#include "driver/store/remote_kind.h"

#include <cpl_vsi.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "core/hierarchy/tree.h"
#include "core/metadata/documents.h"
#include "core/store/keys.h"
#include "driver/base/gdal_errors.h"
#include "driver/transport/remote_store.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// Returns the keys of all objects below the root folder of a store. Omits empty objects that GDAL
// creates to represent folders, whose names end in "/".
Result<std::vector<std::string>> ListObjects(const VsiStore& store) {
    ForgetListings(store.Describe());
    std::vector<std::string> keys;
    const auto add = [&](std::string_view key,
                         const std::optional<zarr::ObjectVersion>& /*version*/) {
        if (!zarr::EndsWith(key, "/")) keys.emplace_back(key);
    };
    ZARR_RETURN_IF_ERROR(store.ForEachKey("", add, nullptr));
    return keys;
}

}  // namespace

Result<std::vector<std::string>> ListStoredObjects(const VsiStore& store) {
    ZARR_ASSIGN_OR_RETURN(std::vector<std::string> keys, ListObjects(store));
    // An existing store has at least one object, and GDAL can hide the failure of a listing. An
    // empty listing is therefore an error.
    if (keys.empty())
        return Status::Io("the object store returns no listing, so the store is not deleted");
    return keys;
}

namespace {

bool IsOnWebServer(const StoreAddress& path) { return path.kind() == StorePath::Kind::kWebServer; }
bool IsInObjectStore(const StoreAddress& path) { return path.is_object_store(); }

Result<std::shared_ptr<const zarr::Store>> OpenRemote(const StoreAddress& path,
                                                      const StoreAccess& access) {
    return std::shared_ptr<const zarr::Store>(RemoteStore::Open(path, access));
}

Result<std::shared_ptr<zarr::Store>> OpenRemoteForUpdate(const StoreAddress& path,
                                                         const StoreAccess& access) {
    return std::shared_ptr<zarr::Store>(std::make_shared<RemoteStore>(path, access));
}

Status RefuseChange(const StoreAddress& /*path*/, StoreOperation /*operation*/) {
    return Status::Unsupported("HTTP stores are read-only");
}

// Returns the nearest folder above `address` whose name ends in ".zarr", the root of a store. Looks
// at names only, and sends no request.
StoreAddress FindNamedRoot(const StoreAddress& address) {
    constexpr std::string_view kSuffix = ".zarr/";
    const std::string& path = address.text();
    const std::size_t at = path.find(kSuffix);
    if (at == std::string::npos || path.find('?') != std::string::npos) return address;
    const auto below = zarr::NormalizePath(path.substr(at + kSuffix.size()));
    if (!below.ok()) return address;
    return StoreAddress(path.substr(0, at + kSuffix.size() - 1)).At(*below);
}

// Deletes all objects below `folder` of an object store. Documents that make the folder a Zarr
// store are deleted last, so that a failed deletion can be repeated.
Status EraseObjects(const StoreAddress& folder, bool is_store) {
    const QuietErrors quiet;
    VSIStatBufL stat;
    if (VSIStatL(folder.c_str(), &stat) == 0 && !VSI_ISDIR(stat.st_mode))
        return EraseFileOrFolder(folder);
    VsiStore store(folder.path());
    const auto is_last = [](const std::string& key) { return zarr::MakesNode(key); };
    ZARR_ASSIGN_OR_RETURN(std::vector<std::string> keys,
                          is_store ? ListStoredObjects(store) : ListObjects(store));
    if (std::any_of(keys.begin(), keys.end(), is_last))
        ZARR_RETURN_IF_ERROR(zarr::ClearRoot(store));
    const auto end = std::stable_partition(keys.begin(), keys.end(), std::not_fn(is_last));
    std::vector<std::string> roots(end, keys.end());
    keys.erase(end, keys.end());
    // Metadata documents are deleted before chunks, so that no reader sees a node with deleted
    // chunks.
    std::stable_partition(keys.begin(), keys.end(), [](const std::string& key) {
        return zarr::IsNodeDocument(zarr::LastName(key));
    });
    ZARR_RETURN_IF_ERROR(store.EraseMany(keys));
    // The documents that make the folder a store are deleted last. A second listing finds such
    // documents that ClearRoot() or another process has written after the first listing.
    ZARR_ASSIGN_OR_RETURN(const std::vector<std::string> left, ListObjects(store));
    for (const std::string& key : left) {
        if (!is_last(key))
            return Status::Io(key + ": was created while the store was being deleted");
        if (std::find(roots.begin(), roots.end(), key) == roots.end()) roots.push_back(key);
    }
    ZARR_RETURN_IF_ERROR(store.EraseMany(roots));
    VSIRmdirRecursive(folder.c_str());
    ForgetListings(folder);
    return {};
}

}  // namespace

const StoreKind kWebServerKind = {IsOnWebServer, nullptr,      nullptr, FindNamedRoot, OpenRemote,
                                  nullptr,       RefuseChange, nullptr, nullptr};
const StoreKind kObjectStoreKind = {IsInObjectStore, nullptr,    nullptr,
                                    FindNamedRoot,   OpenRemote, OpenRemoteForUpdate,
                                    nullptr,         nullptr,    EraseObjects};

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#include "driver/store/resolve.h"

#include <cpl_vsi.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/metadata/v1_metadata.h"
#include "core/store/keys.h"
#include "driver/base/gdal_errors.h"
#include "driver/store/kerchunk_parquet_kind.h"
#include "driver/store/store_address.h"
#include "driver/store/store_kind.h"
#include "driver/store/xcube_store.h"
#include "driver/transport/access_refusal.h"
#include "driver/transport/http_errors.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

namespace {

// Returns the paths of the metadata documents that can make `folder` a store.
std::vector<std::string> RootPaths(const StorePath& folder) {
    std::vector<std::string> paths;
    for (const std::string_view name : zarr::kRootDocuments) paths.push_back(FileIn(folder, name));
    paths.push_back(
        FileIn(folder, zarr::DocumentKey("", zarr::Document::kArray, zarr::Format::kV1)));
    return paths;
}

}  // namespace

bool HoldsV1Array(const StoreAddress& address) {
    constexpr std::size_t kMostBytes = std::size_t{1} << 20;
    const std::string key = zarr::DocumentKey("", zarr::Document::kArray, zarr::Format::kV1);
    // In an object store, PathExists() is called before the file is opened. GDAL caches the answer
    // of PathExists(), so later checks of an absent file take no request.
    if (address.is_object_store() && !PathExists(FileIn(address, key))) return false;
    const auto store = OpenStore(address, {});
    if (!store.ok()) return false;
    zarr::Buffer text;
    const auto found = (*store)->Get(key, text, kMostBytes);
    return found.ok() && *found && zarr::IsV1Metadata(std::as_const(text).span().text());
}

bool HoldsFolderStore(const StoreAddress& address) {
    if (address.is_object_store()) StatInParallel(RootPaths(address));
    const auto is_there = [&](std::string_view name) { return PathExists(FileIn(address, name)); };
    return std::any_of(std::begin(zarr::kRootDocuments), std::end(zarr::kRootDocuments),
                       is_there) ||
           IsLevelsFolder(address) || HoldsV1Array(address);
}

bool HoldsStore(const StoreAddress& address) {
    if (address.is_store) return true;
    // GDAL's errors are hidden, because a server may refuse to answer for an absent key.
    const QuietErrors quiet;
    return OfKind(address, &StoreKind::is_there)(address);
}

StoreAddress RootOf(const StoreAddress& address) {
    return address.has_node ? address : OfKind(address, &StoreKind::find_root)(address);
}

StoreAddress Ascended(const StoreAddress& address, std::string path,
                      const std::function<bool(const std::string& key)>& exists) {
    std::string folder = address;
    std::string node;
    // An empty path is the root of a zip file, but of no folder.
    const bool has_root = path != folder;
    for (std::size_t i = 0; i < zarr::kMaxGroupDepth; ++i) {
        const std::string name(zarr::LastName(path));
        if (name.empty() || name == "." || name == "..") break;
        path = std::string(zarr::ParentPath(path));
        const auto holds = [&](zarr::Format format) {
            return exists(zarr::DocumentKey(path, zarr::Document::kGroup, format));
        };
        if ((path.empty() && !has_root) || (!holds(zarr::Format::kV2) && !holds(zarr::Format::kV3)))
            break;
        folder = std::string(zarr::ParentPath(folder));
        node = node.empty() ? name : zarr::JoinKey(name, node);
    }
    return node.empty() ? address : StoreAddress(folder).At(node);
}

bool IsStoreUnknown(const StoreAddress& address) {
    const std::string path = !address.archive.empty()
                                 ? address.archive
                                 : FileIn(address, zarr::DocumentKey("", zarr::Document::kGroup));
    return !AskGdal(path, "").ok();
}

bool NamesDocument(const std::string& path) {
    const std::string_view name = zarr::LastName(path);
    if (zarr::IsDocument(name)) return true;
    return name == zarr::DocumentKey("", zarr::Document::kArray, zarr::Format::kV1) &&
           HoldsV1Array(StoreAddress(ContainingFolder(path)));
}

StoreAddress AddressOf(const StorePath& path) {
    std::string folder = path;
    const std::string query = TakeQuery(path, folder);
    if (NamesDocument(folder)) folder = zarr::ParentPath(folder);
    while (folder.size() > 1 && (folder.back() == '/' || folder.back() == '\\')) folder.pop_back();
    return StoreAddress((folder.empty() ? "." : folder) + query);
}

StoreAddress Resolve(const ConnectionString& name) { return AddressOf(name.path).At(name); }

zarr::Result<StoreAddress> Resolve(const std::string& name) {
    ZARR_ASSIGN_OR_RETURN(const ConnectionString parsed, ParseConnectionString(name));
    return Resolve(parsed);
}

zarr::Status WithRefusalOf(const char* name, zarr::Status failure) {
    const auto address = Resolve(name);
    return address.ok() ? WithRefusal(*address, std::move(failure)) : failure;
}

namespace {

// Returns Ok if the store at `address` allows `operation`; Kerchunk references allow none. Reads
// `.zmetadata` of a local folder, because only this document shows that the folder holds
// references.
zarr::Status CheckChange(const StoreAddress& address, StoreOperation operation) {
    ZARR_RETURN_IF_ERROR(OfKind(address, &StoreKind::check)(address, operation));
    const std::string key = zarr::DocumentKey("", zarr::Document::kConsolidated);
    const bool are_references =
        !address.is_remote() && PathExists(FileIn(address, key)) && HoldsKerchunkParquet(address);
    return are_references ? RefuseChangeOfReferences(address, operation) : zarr::Status();
}

}  // namespace

zarr::Status CheckWritable(const StoreAddress& address) {
    return CheckChange(address, StoreOperation::kCreate);
}

zarr::Status CheckChangeable(const StoreAddress& address) {
    return CheckChange(address, StoreOperation::kWrite);
}

StoreAddress TargetOf(const StoreAddress& address) {
    VSIStatBufL stat;
    const bool is_zip = IsNamedAsZip(address) && !address.is_below_vsizip() &&
                        (VSIStatL(address.c_str(), &stat) != 0 || !VSI_ISDIR(stat.st_mode));
    return is_zip ? ZipAddress(address, "").At(address) : address;
}

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#include "driver/store/store_folder.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/metadata/v1_metadata.h"
#include "core/store/keys.h"
#include "driver/base/report.h"
#include "driver/store/http_errors.h"
#include "driver/store/icechunk_name.h"
#include "driver/store/kerchunk_json_kind.h"
#include "driver/store/kerchunk_parquet_kind.h"
#include "driver/store/levels_store.h"
#include "driver/store/store_kind.h"
#include "driver/store/store_path.h"
#include "driver/store/vsi_store.h"
#include "driver/store/zip_file.h"

namespace zarr_driver {

namespace {

// True if `folder` holds a Zarr v1 array. The contents of the file `meta` are checked, because
// other formats use that file name, too.
bool IsV1Folder(const std::string& folder) {
    constexpr std::size_t kMostBytes = std::size_t{1} << 20;
    const std::string key = zarr::DocumentKey("", zarr::Document::kArray, zarr::Format::kV1);
    // In an object store, PathExists() is called before the file is opened. GDAL caches the answer
    // of PathExists(), so later checks of an absent file take no request.
    const bool may_be_there =
        !StorePath(folder).is_object_store() || PathExists(FileIn(folder, key));
    if (!may_be_there) return false;
    const auto store = OpenStore(folder, {});
    if (!store.ok()) return false;
    zarr::Buffer text;
    const auto found = (*store)->Get(key, text, kMostBytes);
    return found.ok() && *found && zarr::IsV1Metadata(std::as_const(text).span().text());
}

// Returns the paths of the metadata documents that can make `folder` a store.
std::vector<std::string> RootPaths(const std::string& folder) {
    std::vector<std::string> paths;
    for (const std::string_view name : zarr::kRootDocuments) paths.push_back(FileIn(folder, name));
    paths.push_back(
        FileIn(folder, zarr::DocumentKey("", zarr::Document::kArray, zarr::Format::kV1)));
    return paths;
}

// True if `folder`, which is not in a zip file, holds a metadata document that makes it a store.
bool HoldsDocument(const std::string& folder) {
    if (StorePath(folder).is_object_store()) StatInParallel(RootPaths(folder));
    return std::any_of(std::begin(zarr::kRootDocuments), std::end(zarr::kRootDocuments),
                       [&](std::string_view name) { return PathExists(FileIn(folder, name)); });
}

}  // namespace

bool IsStoreFolder(const std::string& folder) {
    if (ParseIcechunkName(folder)) return true;
    // GDAL's errors are hidden, because a server may refuse to answer for an absent key.
    const QuietErrors quiet;
    if (IsKerchunkJson(folder) || IsKerchunkParquet(folder)) return true;
    if (const auto place = ZipLocationOf(folder)) {
        const auto archive = OpenZip(place->archive);
        return archive.ok() &&
               (HoldsStore(**archive, InnerFolder(*place, **archive)) || IsV1Folder(folder));
    }
    return HoldsDocument(folder) || IsLevelsFolder(folder) || IsV1Folder(folder);
}

bool IsStoreUnknown(const StorePath& folder) {
    const auto zip = ZipLocationOf(folder.text());
    const std::string path =
        zip ? zip->archive : FileIn(folder, zarr::DocumentKey("", zarr::Document::kGroup));
    return !AskGdal(path, "").ok();
}

bool NamesDocument(const std::string& path) {
    const std::string_view name = zarr::LastName(path);
    if (zarr::IsDocument(name)) return true;
    if (name != zarr::DocumentKey("", zarr::Document::kArray, zarr::Format::kV1)) return false;
    const std::string folder(zarr::ParentPath(path));
    return IsV1Folder(folder.empty() ? "." : folder);
}

StorePath FolderOf(const StorePath& path) {
    std::string folder = path;
    const std::string query = TakeQuery(path, folder);
    if (NamesDocument(folder)) folder = zarr::ParentPath(folder);
    while (folder.size() > 1 && (folder.back() == '/' || folder.back() == '\\')) folder.pop_back();
    return {(folder.empty() ? "." : folder) + query};
}

namespace {

// Returns Ok if the store in `folder` allows `operation`; Kerchunk references allow none. Reads
// `.zmetadata` of a local folder, because only this document shows that the folder holds
// references.
zarr::Status CheckChange(const StorePath& folder, StoreOperation operation) {
    ZARR_RETURN_IF_ERROR(OfKind(folder, &StoreKind::check)(folder, operation));
    const std::string key = zarr::DocumentKey("", zarr::Document::kConsolidated);
    const bool are_references =
        !folder.is_remote() && PathExists(FileIn(folder, key)) && HoldsKerchunkParquet(folder);
    return are_references ? ReferencesAreReadOnly() : zarr::Status();
}

}  // namespace

zarr::Status CheckWritable(const StorePath& path) {
    return CheckChange(path, StoreOperation::kCreate);
}

zarr::Status CheckChangeable(const StorePath& path) {
    const StorePath folder = FolderOf(path);
    return CheckChange(folder, StoreOperation::kWrite);
}

StorePath TargetFolderOf(const StorePath& path) {
    const StorePath folder = FolderOf(path);
    VSIStatBufL stat;
    const bool is_zip = IsNamedAsZip(folder) && !ArchiveOf(folder) &&
                        (VSIStatL(folder.c_str(), &stat) != 0 || !VSI_ISDIR(stat.st_mode));
    return is_zip ? StorePath(kZipPrefix + folder.text()) : folder;
}

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#include "driver/store/foreign_store.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/json/value.h"
#include "core/metadata/documents.h"
#include "core/store/keys.h"
#include "core/store/store.h"
#include "driver/base/builtin_driver.h"
#include "driver/base/report.h"
#include "driver/store/icechunk_kind.h"
#include "driver/store/kerchunk_json_kind.h"
#include "driver/store/location.h"
#include "driver/store/store_folder.h"
#include "driver/store/store_kind.h"
#include "driver/store/store_path.h"
#include "driver/store/vsi_store.h"
#include "driver/store/zip_file.h"

namespace zarr_driver {

using zarr::Status;

namespace {

// Prefix of GDAL's file system for Kerchunk references in Parquet files. If GDAL has this file
// system, its built-in Zarr driver can read the references.
constexpr const char* kParquetFileSystem = "/vsikerchunk_parquet_ref/";

bool HasFileSystem(const char* prefix) {
    const CPLStringList prefixes(VSIGetFileSystemsPrefixes());
    return prefixes.FindString(prefix) >= 0;
}

bool IsFolder(const std::string& path) {
    VSIStatBufL stat;
    return VSIStatExL(path.c_str(), &stat, VSI_STAT_EXISTS_FLAG | VSI_STAT_NATURE_FLAG) == 0 &&
           VSI_ISDIR(stat.st_mode);
}

ForeignStore FindByName(const StorePath& path) {
    if (STARTS_WITH(path.c_str(), kParquetFileSystem)) return ForeignStore::kReferenceParquet;
    if (!EQUAL(CPLGetExtension(path.c_str()), "parq")) return ForeignStore::kNone;
    if (!path.is_remote() && IsFolder(path)) return ForeignStore::kNone;
    return ForeignStore::kReferenceParquet;
}

bool Holds(const std::string& folder, std::string_view name) {
    return PathExists(FileIn(folder, name));
}

// True if the only document at the root of a zip file is the consolidated metadata. This is how
// Kerchunk references look; a Zarr store also has other documents.
bool HoldsConsolidatedAlone(const ZipLocation& place) {
    const auto archive = OpenZip(place.archive);
    if (!archive.ok()) return false;
    const std::string inner = InnerFolder(place, **archive);
    const auto holds = [&](std::string_view name) {
        return (*archive)->Find(zarr::JoinKey(inner, name)) != nullptr;
    };
    const auto* const first =
        std::find_if(std::begin(zarr::kRootDocuments), std::end(zarr::kRootDocuments), holds);
    return first != std::end(zarr::kRootDocuments) &&
           zarr::IsDocument(*first, zarr::Document::kConsolidated);
}

// True if `zarr_format` in the root's metadata is a string. Drafts of Zarr v3 have a URL there, and
// the final v3 has the number 3.
bool IsV3Draft(const std::string& folder) {
    const auto store = OpenStore(folder, {});
    zarr::Buffer text;
    if (!store.ok()) return false;
    const auto found = zarr::GetDocument(**store, std::string(zarr::kV3Document), text);
    if (!found.ok() || !*found) return false;
    const auto root = zarr::json::Parse(std::as_const(text).span().text());
    const zarr::json::Value* format = root.ok() ? root->Find("zarr_format") : nullptr;
    return format != nullptr && format->as_string() != nullptr;
}

ForeignStore FindInFolder(const std::string& folder, bool& is_store) {
    const auto place = IsKerchunkJson(folder) ? std::nullopt : ZipLocationOf(folder);
    if (place && HoldsConsolidatedAlone(*place) && HoldsKerchunkReferences(folder))
        return ForeignStore::kReferenceParquet;
    is_store = !place && IsStoreFolder(folder);
    if (is_store || (place && IsStoreFolder(folder))) return ForeignStore::kNone;
    if (place) return FindIcechunk(folder).empty() ? ForeignStore::kNone : ForeignStore::kIcechunk;
    // IsStoreFolder() was false, so a `.zmetadata` in this folder belongs to Kerchunk references.
    if (Holds(folder, zarr::DocumentKey("", zarr::Document::kConsolidated)))
        return ForeignStore::kReferenceParquet;
    return FindIcechunk(folder).empty() ? ForeignStore::kNone : ForeignStore::kIcechunk;
}

// Returns the name by which GDAL's built-in Zarr driver opens the store that `name` leads to.
std::string NameForBuiltin(const GDALOpenInfo& open_info, const ConnectionString& name) {
    std::string path = name.path;
    // The built-in driver does not accept every spelling of a URL that this driver accepts. A URL
    // is therefore not passed on as the user typed it.
    const std::string written = open_info.pszFilename;
    const std::size_t at = written.find(path);
    bool is_as_written = at != std::string::npos && (at == 0 || written[at - 1] != '/');
    const auto place = ZipLocationOf(path);
    if (place && !ArchiveOf(path)) {
        is_as_written = false;
        path = kZipPrefix + place->archive;
        const auto archive = OpenZip(place->archive);
        const std::string inner = archive.ok() ? InnerFolder(*place, **archive) : "";
        if (!inner.empty()) path += "/" + inner;
    } else if (zarr::LastName(path) == zarr::kV3Document) {
        is_as_written = false;
        path = zarr::ParentPath(path);
        if (path.empty()) path = ".";
    }
    if (is_as_written && (name.has_prefix || !name.path.is_remote())) return open_info.pszFilename;
    if (name.has_node) return FormatConnectionString(path, name.node, name.indices);
    return "ZARR:\"" + path + "\"";
}

// True if this driver cannot open the array because it lacks a codec, data type or chunk grid.
// False if only the requested operation is unsupported.
bool IsForeign(const zarr::Hierarchy& hierarchy, const std::string& array) {
    const auto opened = hierarchy.OpenArray(array);
    return !opened.ok() && opened.status().code() == zarr::StatusCode::kUnsupported;
}

// True if the node is an array for which IsForeign() is true, or a group with such an array as a
// member.
bool HoldsForeign(const Location& location) {
    const zarr::Hierarchy& hierarchy = *location.hierarchy;
    if (location.kind == zarr::NodeKind::kArray) return IsForeign(hierarchy, location.node);
    const auto members = hierarchy.Members(location.node);
    return members.ok() &&
           std::any_of(members->begin(), members->end(), [&](const zarr::Node& member) {
               return member.kind == zarr::NodeKind::kArray && IsForeign(hierarchy, member.path);
           });
}

}  // namespace

Status ForeignStoreError(ForeignStore kind) {
    if (kind == ForeignStore::kV3Draft)
        return Status::Unsupported(
            "follows the draft of Zarr v3 that GDAL 3.4 to 3.6 wrote; convert it to "
            "FORMAT=ZARR_V2 with gdalmdimtranslate of one of these versions");
    return Status::Unsupported(
        std::string("holds Kerchunk references, which only GDAL's built-in Zarr driver can read") +
        (Builtin() == nullptr   ? "; this GDAL build does not have that driver"
         : CanBuiltinRead(kind) ? "; that driver does not open these"
                                : "; a later version of GDAL is needed"));
}

ForeignStore FindForeignStore(ConnectionString& name) {
    const ForeignStore named = FindByName(name.path);
    if (named != ForeignStore::kNone || name.path.is_remote() || name.is_store) return named;
    const QuietErrors quiet;
    return FindInFolder(FolderOf(name.path), name.is_store);
}

ForeignStore FindForeignStoreAfterFailure(const StorePath& path, const Status& failure) {
    const std::string folder = FolderOf(path);
    const QuietErrors quiet;
    const bool is_unsupported = failure.code() == zarr::StatusCode::kUnsupported;
    if (path.is_remote() && is_unsupported && HoldsKerchunkReferences(folder))
        return ForeignStore::kReferenceParquet;
    if (failure.code() == zarr::StatusCode::kNotFound && IsRemoteIcechunk(folder))
        return ForeignStore::kIcechunk;
    const bool may_be_draft = is_unsupported || failure.code() == zarr::StatusCode::kCorrupt;
    return may_be_draft && IsV3Draft(folder) ? ForeignStore::kV3Draft : ForeignStore::kNone;
}

bool CanBuiltinRead(ForeignStore kind) {
    if (Builtin() == nullptr) return false;
    // Whether GDAL's built-in driver still reads drafts of Zarr v3 depends on its version. Only an
    // attempt to open the store can show it.
    if (kind == ForeignStore::kV3Draft) return true;
    return kind == ForeignStore::kReferenceParquet && HasFileSystem(kParquetFileSystem);
}

GDALDataset* OpenForeignStore(GDALOpenInfo* open_info, const ConnectionString& name,
                              ForeignStore kind) {
    // Without CanBuiltinRead() the built-in driver would show the referenced chunks as absent.
    if (CanBuiltinRead(kind)) {
        const auto errors = CPLGetErrorCounter();
        std::unique_ptr<QuietErrors> quiet;
        if (kind == ForeignStore::kV3Draft) quiet = std::make_unique<QuietErrors>();
        GDALDataset* const dataset = OpenAsBuiltin(open_info, NameForBuiltin(*open_info, name));
        const bool is_reported = quiet == nullptr && CPLGetErrorCounter() != errors;
        if (dataset != nullptr || is_reported) return dataset;
    }
    EmitError(name.path, ForeignStoreError(kind));
    return nullptr;
}

GDALDataset* OpenForeignCodec(GDALOpenInfo* open_info, const ConnectionString& name,
                              const Status& failure) {
    const bool is_raster = (open_info->nOpenFlags & GDAL_OF_MULTIDIM_RASTER) == 0;
    if (failure.code() != zarr::StatusCode::kUnsupported || !is_raster || Builtin() == nullptr)
        return nullptr;
    std::unique_ptr<GDALDataset> dataset;
    {
        const QuietErrors quiet;
        const auto location = Locate(name, {});
        if (!location.ok()) return nullptr;
        if (!HoldsForeign(*location)) return nullptr;
        dataset.reset(OpenAsBuiltin(open_info, NameForBuiltin(*open_info, name)));
        // The built-in driver cannot open the subdatasets of this dataset either, so a dataset
        // without bands is useless.
        if (dataset == nullptr || dataset->GetRasterCount() == 0) return nullptr;
    }
    EmitWarning(name.path, failure.message() + " (opened by GDAL's built-in Zarr driver instead)");
    return dataset.release();
}

bool IsStoreOfBuiltin(const char* name) {
    auto parsed = ParseConnectionString(name);
    if (!parsed.ok() || Builtin() == nullptr) return false;
    const ForeignStore kind = FindForeignStore(*parsed);
    return CanBuiltinRead(kind);
}

}  // namespace zarr_driver

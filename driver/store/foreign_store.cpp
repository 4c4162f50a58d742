// SPDX-License-Identifier: MIT
#include "driver/store/foreign_store.h"

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
#include "driver/base/gdal_errors.h"
#include "driver/store/open_node.h"
#include "driver/store/store_address.h"
#include "driver/store/store_kind.h"
#include "driver/store/zip_kind.h"
#include "driver/transport/open_zip.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Status;

namespace {

// True if the root's `zarr_format` is a string: drafts of Zarr v3 have a URL there, the final v3
// the number 3.
bool HasV3DraftRoot(const StoreAddress& address) {
    const auto store = OpenStore(address, {});
    zarr::Buffer text;
    if (!store.ok()) return false;
    const auto found = zarr::GetDocument(**store, std::string(zarr::kV3Document), text);
    if (!found.ok() || !*found) return false;
    const auto root = zarr::json::Parse(std::as_const(text).span().text());
    const zarr::json::Value* format = root.ok() ? root->Find("zarr_format") : nullptr;
    return format != nullptr && format->as_string() != nullptr;
}

// Returns the name for GDAL's built-in Zarr driver of the store that `name` means to this driver.
std::string NameForBuiltin(const GDALOpenInfo& open_info, const ConnectionString& name,
                           const StoreAddress& address) {
    std::string path = name.path;
    // The user's spelling is not passed on, because the built-in driver accepts fewer spellings
    // than this driver.
    const std::string written = open_info.pszFilename;
    const std::size_t at = written.find(path);
    bool is_as_written = at != std::string::npos && (at == 0 || written[at - 1] != '/');
    if (address.IsZipFile()) {
        is_as_written = false;
        const auto archive = OpenZip(address.archive);
        path = ZipAddress(address.archive, archive.ok() ? InnerFolder(address, **archive) : "");
    } else if (zarr::LastName(path) == zarr::kV3Document) {
        is_as_written = false;
        path = address;
    }
    if (is_as_written && (name.has_prefix || !name.path.is_remote())) return open_info.pszFilename;
    if (name.has_node) return FormatConnectionString(path, name.node, name.indices);
    return "ZARR:\"" + path + "\"";
}

// True if the array has a codec, data type or chunk grid that this driver lacks. False if only an
// operation on the array is unsupported.
bool IsForeign(const zarr::Hierarchy& hierarchy, const std::string& array) {
    const auto opened = hierarchy.OpenArray(array);
    return !opened.ok() && opened.status().code() == zarr::StatusCode::kUnsupported;
}

// True if a node is, or is a group that contains, an array with a codec, data type or chunk grid
// that this driver lacks.
bool HoldsForeign(const OpenNode& open_node) {
    const zarr::Hierarchy& hierarchy = *open_node.hierarchy;
    if (open_node.kind == zarr::NodeKind::kArray) return IsForeign(hierarchy, open_node.node);
    const auto members = hierarchy.Members(open_node.node);
    return members.ok() &&
           std::any_of(members->begin(), members->end(), [&](const zarr::Node& member) {
               return member.kind == zarr::NodeKind::kArray && IsForeign(hierarchy, member.path);
           });
}

}  // namespace

Status V3DraftError() {
    return Status::Unsupported(
        "follows the draft of Zarr v3 that GDAL 3.4 to 3.6 wrote; convert it to "
        "FORMAT=ZARR_V2 with gdalmdimtranslate of one of these versions");
}

bool FollowsV3Draft(const StoreAddress& address, const Status& failure) {
    const QuietErrors quiet;
    return (failure.code() == zarr::StatusCode::kUnsupported ||
            failure.code() == zarr::StatusCode::kCorrupt) &&
           HasV3DraftRoot(address);
}

GDALDataset* OpenV3Draft(GDALOpenInfo* open_info, const ConnectionString& name,
                         const StoreAddress& address) {
    // Some versions of GDAL's built-in driver still read drafts of Zarr v3.
    if (Builtin() != nullptr) {
        const QuietErrors quiet;
        GDALDataset* const dataset =
            OpenAsBuiltin(open_info, NameForBuiltin(*open_info, name, address));
        if (dataset != nullptr) return dataset;
    }
    EmitError(name.path, V3DraftError());
    return nullptr;
}

GDALDataset* OpenForeignCodec(GDALOpenInfo* open_info, const ConnectionString& name,
                              const StoreAddress& address, const Status& failure) {
    const bool is_raster = (open_info->nOpenFlags & GDAL_OF_MULTIDIM_RASTER) == 0;
    if (failure.code() != zarr::StatusCode::kUnsupported || !is_raster || Builtin() == nullptr)
        return nullptr;
    std::unique_ptr<GDALDataset> dataset;
    {
        const QuietErrors quiet;
        const auto open_node = OpenNodeAt(address, {});
        if (!open_node.ok()) return nullptr;
        if (!HoldsForeign(*open_node)) return nullptr;
        dataset.reset(OpenAsBuiltin(open_info, NameForBuiltin(*open_info, name, address)));
        // A dataset with only subdatasets is useless, because the built-in driver cannot open these
        // subdatasets.
        if (dataset == nullptr || dataset->GetRasterCount() == 0) return nullptr;
    }
    EmitWarning(name.path, failure.message() + " (opened by GDAL's built-in Zarr driver instead)");
    return dataset.release();
}

}  // namespace zarr_driver

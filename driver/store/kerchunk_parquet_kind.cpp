// SPDX-License-Identifier: MIT
#include "driver/store/kerchunk_parquet_kind.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/base/tuning.h"
#include "core/metadata/documents.h"
#include "core/references/kerchunk_parquet.h"
#include "core/references/reference_store.h"
#include "core/store/keys.h"
#include "driver/base/debug_log.h"
#include "driver/base/report.h"
#include "driver/store/logged_store.h"
#include "driver/store/reference_targets.h"
#include "driver/store/shared_maps.h"
#include "driver/store/store_folder.h"
#include "driver/store/vsi_store.h"
#include "driver/store/zip_file.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

using StorePtr = std::shared_ptr<const zarr::Store>;
using ParquetMapPtr = std::shared_ptr<const zarr::KerchunkParquet>;

// Returns the folder of the references: the path inside "/vsikerchunk_parquet_ref/{path}", or
// `path` itself without this prefix.
StorePath ReferenceFolderOf(const StorePath& path) {
    const std::string& text = path.text();
    const std::size_t start = std::strlen(kKerchunkParquetPrefix);
    if (!STARTS_WITH(text.c_str(), kKerchunkParquetPrefix) || text.size() < start + 2 ||
        text[start] != '{' || text.back() != '}')
        return path;
    return FolderOf(StorePath(text.substr(start + 1, text.size() - start - 2)));
}

bool HasPrefix(const StorePath& path) { return ReferenceFolderOf(path).text() != path.text(); }

// Opens the folder of references as a plain store of files, with the next store kind after
// kKerchunkParquetKind that recognises `folder`.
Result<StorePtr> OpenFiles(const StorePath& folder, const StoreAccess& access) {
    return OfKind(folder, &StoreKind::open, &kKerchunkParquetKind)(folder, access);
}

// Open references, by folder and access options. Never destroyed, because threads may use them
// while the process exits.
auto& open_maps = *new SharedMaps<zarr::KerchunkParquet>();

Result<ParquetMapPtr> OpenMap(const StorePath& folder, const StoreAccess& access) {
    ZARR_ASSIGN_OR_RETURN(StorePtr files, OpenFiles(folder, access));
    const std::string name = files->Identity() + "\n" + files->Traits().access + "\n" +
                             (access.missing_on_403 ? "403" : "");
    // References on a server are reused unchecked, because a check costs requests, but only for a
    // short time.
    const bool is_remote = files->Traits().remote;
    const auto most = is_remote ? std::optional(zarr::tuning::kSharedFor) : std::nullopt;
    const auto known = open_maps.Find(name, most);
    if (known != nullptr && (is_remote || known->IsCurrent())) return known;
    ZARR_ASSIGN_OR_RETURN(ParquetMapPtr map, zarr::KerchunkParquet::Open(std::move(files)));
    open_maps.Add(name, map);
    return map;
}

// Returns the folder to which relative locations in the references refer. For references in a zip
// file, this is a folder in /vsizip/.
StorePath FolderOfTargets(const StorePath& folder) {
    const auto place = ZipLocationOf(folder);
    if (!place) return folder;
    const auto archive = OpenZip(place->archive);
    const std::string inner = archive.ok() ? InnerFolder(*place, **archive) : "";
    return {kZipPrefix + place->archive + (inner.empty() ? "" : "/" + inner)};
}

Result<std::shared_ptr<zarr::Store>> OpenKerchunkParquetForUpdate(const StorePath& /*path*/,
                                                                  const StoreAccess& /*access*/) {
    return ReferencesAreReadOnly();
}

Status CheckKerchunkParquet(const StorePath& /*path*/, StoreOperation /*operation*/) {
    return ReferencesAreReadOnly();
}

Status EraseKerchunkParquet(const std::string& path, bool is_store) {
    const StorePath folder = ReferenceFolderOf(path);
    return OfKind(folder, &StoreKind::erase, &kKerchunkParquetKind)(folder, is_store);
}

}  // namespace

Result<StorePtr> OpenKerchunkParquet(const StorePath& path, const StoreAccess& access) {
    const StorePath folder = ReferenceFolderOf(path);
    ZARR_ASSIGN_OR_RETURN(ParquetMapPtr map, OpenMap(folder, access));
    const StorePath base = FolderOfTargets(folder);
    // A sample location shows whether local references have remote targets. Targets of remote
    // references are always remote.
    const std::string sample = base.is_remote() ? std::string() : map->SampleLocation();
    auto targets = OpenReferenceTargets(base, FolderAround(base), sample);
    StorePtr store =
        std::make_shared<zarr::ReferenceStore>(std::move(map), std::move(targets), folder.text());
    return IsDebugEnabled() ? std::make_shared<LoggedStore>(std::move(store)) : store;
}

void ForgetKerchunkParquet() { open_maps.Forget(); }

Status ReferencesAreReadOnly() { return Status::Unsupported("references are read-only"); }

bool HoldsKerchunkParquet(const StorePath& folder) {
    if (HasPrefix(folder)) return false;
    const auto files = OpenFiles(folder, {});
    if (!files.ok()) return false;
    const QuietErrors quiet;
    zarr::Buffer text;
    const auto found =
        zarr::GetDocument(**files, zarr::DocumentKey("", zarr::Document::kConsolidated), text);
    return found.ok() && *found && zarr::AreKerchunkReferences(std::as_const(text).span().text());
}

bool IsKerchunkParquet(const StorePath& path) {
    if (HasPrefix(path)) return true;
    std::string text = path;
    static_cast<void>(TakeQuery(path, text));
    return path.is_remote() && zarr::EndsWith(CPLString(text).tolower(), ".parq");
}

const StoreKind kKerchunkParquetKind = {
    IsKerchunkParquet, OpenKerchunkParquet, OpenKerchunkParquetForUpdate, CheckKerchunkParquet,
    nullptr,           EraseKerchunkParquet};

}  // namespace zarr_driver

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
#include "driver/base/gdal_errors.h"
#include "driver/store/resolve.h"
#include "driver/store/zip_kind.h"
#include "driver/transport/logged_store.h"
#include "driver/transport/open_zip.h"
#include "driver/transport/reference_targets.h"
#include "driver/transport/shared_objects.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

using StorePtr = std::shared_ptr<const zarr::Store>;
using ParquetMapPtr = std::shared_ptr<const zarr::KerchunkParquet>;

// Returns the folder of the references.
StoreAddress FolderOfReferences(const StoreAddress& address) {
    return address.scheme == PathScheme::kNone ? address : AddressOf(address.container);
}

// Opens the folder of references as a plain store of files, with the next store kind after
// kKerchunkParquetKind that recognises `folder`.
Result<StorePtr> OpenFiles(const StoreAddress& folder, const StoreAccess& access) {
    return OfKind(folder, &StoreKind::open, &kKerchunkParquetKind)(folder, access);
}

// Open references, by folder and access options. Never destroyed, because threads may use them
// while the process exits.
auto& open_maps = *new SharedObjects<zarr::KerchunkParquet>(LastObject::kKept);

Result<ParquetMapPtr> OpenMap(const StoreAddress& folder, const StoreAccess& access) {
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
StoreAddress FolderOfTargets(const StoreAddress& folder) {
    if (folder.archive.empty()) return folder;
    const auto archive = OpenZip(folder.archive);
    return ZipAddress(folder.archive, archive.ok() ? InnerFolder(folder, **archive) : "");
}

bool IsKerchunkParquet(const StoreAddress& address) {
    if (address.scheme != PathScheme::kNone) return address.scheme == PathScheme::kKerchunkParquet;
    std::string text = address;
    static_cast<void>(TakeQuery(address, text));
    return address.is_remote() && zarr::EndsWith(CPLString(text).tolower(), ".parq");
}

// True if a remote folder is named as references. Its first bytes may be a page that lists the
// folder. Only those of a Parquet file show that the name is no folder.
bool IsFolderOfParquet(const StorePath& path, std::string_view head) {
    return path.is_remote() && head.substr(0, 4) != "PAR1" && IsKerchunkParquet(StoreAddress(path));
}

Result<StorePtr> OpenKerchunkParquet(const StoreAddress& address, const StoreAccess& access) {
    const StoreAddress folder = FolderOfReferences(address);
    ZARR_ASSIGN_OR_RETURN(ParquetMapPtr map, OpenMap(folder, access));
    const StoreAddress base = FolderOfTargets(folder);
    // A sample location shows whether local references have remote targets. Targets of remote
    // references are always remote.
    const std::string sample = base.is_remote() ? std::string() : map->SampleLocation();
    auto targets = OpenReferenceTargets(base, FolderAround(base), sample);
    StorePtr store =
        std::make_shared<zarr::ReferenceStore>(std::move(map), std::move(targets), folder.text());
    return IsDebugEnabled() ? std::make_shared<LoggedStore>(std::move(store)) : store;
}

Status EraseKerchunkParquet(const StoreAddress& address, bool is_store) {
    const StoreAddress folder = FolderOfReferences(address);
    return OfKind(folder, &StoreKind::erase, &kKerchunkParquetKind)(folder, is_store);
}

}  // namespace

void ForgetKerchunkParquet() { open_maps.FreeLast(); }

Status RefuseChangeOfReferences(const StoreAddress& /*address*/, StoreOperation /*operation*/) {
    return Status::Unsupported("references are read-only");
}

bool HoldsKerchunkParquet(const StoreAddress& folder) {
    if (folder.scheme == PathScheme::kKerchunkParquet) return false;
    const auto files = OpenFiles(folder, {});
    if (!files.ok()) return false;
    const QuietErrors quiet;
    zarr::Buffer text;
    const auto found =
        zarr::GetDocument(**files, zarr::DocumentKey("", zarr::Document::kConsolidated), text);
    return found.ok() && *found && zarr::AreKerchunkReferences(std::as_const(text).span().text());
}

StoreAddress AsKerchunkParquet(const StoreAddress& folder) {
    StoreAddress address = folder;
    address.store_kind = &kKerchunkParquetKind;
    return address;
}

const StoreKind kKerchunkParquetKind = {IsKerchunkParquet,
                                        IsFolderOfParquet,
                                        IsThereAlways,
                                        IsRootItself,
                                        OpenKerchunkParquet,
                                        nullptr,
                                        RefuseChangeOfReferences,
                                        nullptr,
                                        EraseKerchunkParquet};

}  // namespace zarr_driver

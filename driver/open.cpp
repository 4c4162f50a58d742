// SPDX-License-Identifier: MIT
#include "driver/open.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "core/store/keys.h"
#include "driver/base/builtin_driver.h"
#include "driver/base/gdal_compat.h"
#include "driver/base/guard.h"
#include "driver/base/quiet_deletion.h"
#include "driver/base/report.h"
#include "driver/base/store_options.h"
#include "driver/multidim/array.h"
#include "driver/multidim/dataset.h"
#include "driver/multidim/shared_resource.h"
#include "driver/raster/raster_open.h"
#include "driver/store/access_refusal.h"
#include "driver/store/foreign_store.h"
#include "driver/store/icechunk_kind.h"
#include "driver/store/icechunk_name.h"
#include "driver/store/kerchunk_json_kind.h"
#include "driver/store/kerchunk_parquet_kind.h"
#include "driver/store/location.h"
#include "driver/store/store_folder.h"
#include "driver/store/store_in_use.h"
#include "driver/store/store_management.h"
#include "driver/store/store_path.h"
#include "driver/store/vsi_store.h"
#include "driver/store/zip_file.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// Parses the open options. In update mode, replaces open options that would disturb the update,
// such as consolidated metadata and read-ahead.
Result<OpenOptions> ReadOptionsOf(const GDALOpenInfo& open_info, const ConnectionString& name) {
    ZARR_ASSIGN_OR_RETURN(
        OpenOptions options,
        OpenOptions::Parse(open_info.papszOpenOptions, open_info.eAccess != GA_ReadOnly));
    if (!options.is_update) return options;
    // Consolidated metadata is ignored, because its copies of documents may become outdated by the
    // update.
    options.use_consolidated = zarr::UseConsolidated::kNever;
    // Read-ahead is turned off: a program that changes values usually reads each chunk only once.
    options.read_ahead = false;
    ZARR_RETURN_IF_ERROR(CheckChangeable(name.path));
    return options;
}

// Sets how changes of a store that is open for update take its lock. If the lock is required, fails
// now if there is none, before chunks are written, which need no lock.
Status SetLock(StoreUpdate& update, const OpenOptions& options) {
    update.SetLockWait(options.lock_wait);
    return options.lock_wait.is_required ? update.Lock().status() : Status();
}

Result<std::unique_ptr<GDALDataset>> OpenName(GDALOpenInfo* open_info,
                                              const ConnectionString& name) {
    ZARR_ASSIGN_OR_RETURN(OpenOptions options, ReadOptionsOf(*open_info, name));
    if (!name.select.empty())
        options.select = options.select.empty() ? name.select : options.select + "," + name.select;
    const bool update = options.is_update;
    if (update && options.wrap_longitude)
        return Status::Unsupported(
            "open option WRAP_LONGITUDE is not allowed in update mode: it reorders columns");
    if (update && options.north_up)
        return Status::Unsupported(
            "open option NORTH_UP is not allowed in update mode: it reorders rows");
    ZARR_ASSIGN_OR_RETURN(const Location location, Locate(name, options, OpenedFor::kRaster));
    if (update) ZARR_RETURN_IF_ERROR(location.hierarchy->CheckChangeable(location.node));
    ZARR_ASSIGN_OR_RETURN(auto dataset,
                          OpenRaster(open_info->pszFilename, location, name.indices, options));
    const bool is_by_path = name.indices.empty() && options.select.empty() &&
                            FolderOf(name.path).text() == location.store_path.text() &&
                            location.node.empty();
    dataset->Finish({name.indices, is_by_path});
    if (update) {
        // A failed listing may hide arrays, and an update would miss them. A failure is therefore
        // an error.
        ZARR_RETURN_IF_ERROR(location.hierarchy->TakeFailure());
        ZARR_ASSIGN_OR_RETURN(auto locks, OpenSynchronizer(options.synchronizer));
        auto store = std::make_unique<StoreUpdate>(
            location.writable, zarr::WriteConsolidated::kIfPresent, std::move(locks));
        ZARR_RETURN_IF_ERROR(SetLock(*store, options));
        dataset->EnableUpdate(std::move(store), Georeferenced::kEveryReader);
    }
    WarnOfFailure(*location.hierarchy, location.store_path);
    return std::unique_ptr<GDALDataset>(std::move(dataset));
}

Result<std::unique_ptr<GDALDataset>> OpenRootGroup(GDALOpenInfo* open_info,
                                                   const ConnectionString& name) {
    ZARR_ASSIGN_OR_RETURN(OpenOptions options, ReadOptionsOf(*open_info, name));
    ZARR_ASSIGN_OR_RETURN(Location location, Locate(name, options));
    if (!name.indices.empty() || !name.select.empty())
        return Status::Invalid("/" + name.node +
                               ": the multidimensional API cannot open slices; open the array");
    std::unique_ptr<StoreUpdate> update;
    if (options.is_update) {
        ZARR_RETURN_IF_ERROR(location.hierarchy->CheckChangeable(location.node));
        ZARR_ASSIGN_OR_RETURN(auto locks, OpenSynchronizer(options.synchronizer));
        update =
            std::make_unique<StoreUpdate>(location.writable, zarr::WriteConsolidated::kIfPresent,
                                          std::move(locks), location.hierarchy);
        ZARR_RETURN_IF_ERROR(SetLock(*update, options));
    }
    auto session = std::make_shared<SharedResource>(std::move(location), std::move(options),
                                                    std::move(update));
    // If the name leads to an array, the array is opened here, so that a faulty array gives an
    // error. Otherwise the user would get an empty group.
    std::shared_ptr<ZarrMDArray> array;
    if (session->single_array() != nullptr) {
        ZARR_ASSIGN_OR_RETURN(array, session->OpenArray(*session->single_array()));
    }
    return std::unique_ptr<GDALDataset>(
        std::make_unique<MdimDataset>(std::move(session), std::move(array)));
}

bool EndsWith(const std::string& text, const char* end) {
    const std::size_t size = std::strlen(end);
    return text.size() >= size && EQUAL(text.c_str() + text.size() - size, end);
}

// True if the name of a remote path shows that it is a Zarr store. GDAL cannot see whether a path
// on a web server is a folder.
bool IsNamedAsStore(const std::string& path) {
    const std::string name = path.substr(0, path.find('?'));
    return (name + "/").find(".zarr/") != std::string::npos || EndsWith(name, ".zarr.zip") ||
           IsOzx(name) || NamesDocument(name);
}

// True if the store and the node to which `name` leads exist.
bool IsStoreThere(const std::string& name) {
    const auto parsed = ParseConnectionString(name);
    if (!parsed.ok()) return false;
    const QuietErrors quiet;
    const bool is_slice = !parsed->indices.empty() || !parsed->select.empty();
    return IsStoreFolder(FolderOf(parsed->path)) &&
           (parsed->node.empty() || is_slice || FindStoreNode(name.c_str()).ok());
}

// True if the file starts with the signature of a zip member, or of the end of an empty zip file.
bool IsZip(const GDALOpenInfo& open_info) {
    return IsNamedAsZip(open_info.pszFilename) && open_info.nHeaderBytes >= 4 &&
           (std::memcmp(open_info.pabyHeader, "PK\3\4", 4) == 0 ||
            std::memcmp(open_info.pabyHeader, "PK\5\6", 4) == 0);
}

// True if the name is a path in GDAL's file systems for Kerchunk references.
bool IsInReferences(const GDALOpenInfo& open_info) {
    return STARTS_WITH(open_info.pszFilename, kKerchunkJsonPrefixes[0]) ||
           STARTS_WITH(open_info.pszFilename, kKerchunkJsonPrefixes[1]) ||
           STARTS_WITH(open_info.pszFilename, kKerchunkParquetPrefix);
}

// True if the name leads to Kerchunk references. Judges a remote folder by its name, and a file by
// its name and its first bytes.
bool IsReferences(const GDALOpenInfo& open_info, const StorePath& name) {
    // For a remote folder, the header may be a page that lists the folder. Only the header of a
    // Parquet file shows that the name is no folder.
    const bool is_parquet_file =
        open_info.nHeaderBytes >= 4 && std::memcmp(open_info.pabyHeader, "PAR1", 4) == 0;
    if (name.is_remote() && !is_parquet_file && IsKerchunkParquet(name)) return true;
    if (open_info.nHeaderBytes == 0) {
        const auto parsed = ParseConnectionString(open_info.pszFilename);
        return parsed.ok() && !parsed->path.is_remote() && IsKerchunkJson(parsed->path);
    }
    return AreKerchunkReferences(name, {reinterpret_cast<const char*>(open_info.pabyHeader),
                                        static_cast<std::size_t>(open_info.nHeaderBytes)});
}

// Why Identify() is called: to open a dataset, or to find the driver that deletes a dataset before
// a copy replaces it. For kReplace, a name proves nothing, because often nothing exists there. Only
// GDAL before 3.9 has kReplace: later, the driver recognises the deletion itself.
enum class Purpose : std::uint8_t { kOpen, kReplace };

Purpose PurposeOf(const GDALOpenInfo& open_info) {
    if (ZARR_HAS_DEFERRED_PLUGINS) return Purpose::kOpen;
    const int flags = open_info.nOpenFlags;
    const bool is_of_all = (flags & GDAL_OF_RASTER) != 0 && (flags & GDAL_OF_VECTOR) != 0 &&
                           (flags & ~GDAL_OF_KIND_MASK) == 0;
    return flags == 0 || (kIdentifiesWithAllKinds && is_of_all) ? Purpose::kReplace
                                                                : Purpose::kOpen;
}

// Text that Identify() stores as file header if a folder is a Zarr store. GDALOpenInfo passes the
// header on to Open(), so that Open() need not check the folder again.
constexpr char kHeaderOfStore[] = "Zarr store";

bool IsKnownAsStore(const GDALOpenInfo& open_info) {
    return open_info.bIsDirectory && open_info.nHeaderBytes == sizeof(kHeaderOfStore) &&
           std::memcmp(open_info.pabyHeader, kHeaderOfStore, sizeof(kHeaderOfStore)) == 0;
}

// True if the folder to which `name` leads is a Zarr store. Stores a positive result in
// `open_info`.
bool IsFolderOfStore(GDALOpenInfo& open_info, const StorePath& name) {
    if (IsKnownAsStore(open_info)) return true;
    if (!IsStoreFolder(FolderOf(name))) return false;
    if (!open_info.bIsDirectory || open_info.pabyHeader != nullptr) return true;
    open_info.pabyHeader = reinterpret_cast<GByte*>(CPLStrdup(kHeaderOfStore));
    open_info.nHeaderBytes = sizeof(kHeaderOfStore);
    return true;
}

// True if the name has a prefix for Icechunk repositories, or leads to the file "repo" of a
// repository.
bool IsIcechunkNamed(const GDALOpenInfo& open_info) {
    return HasIcechunkPrefix(open_info.pszFilename) ||
           STARTS_WITH(open_info.pszFilename, kIcechunkPrefix) ||
           (open_info.nHeaderBytes > 0 &&
            IsIcechunkRepoFile(open_info.pszFilename,
                               {reinterpret_cast<const char*>(open_info.pabyHeader),
                                static_cast<std::size_t>(open_info.nHeaderBytes)}));
}

bool IsZarr(GDALOpenInfo& open_info, Purpose purpose) {
    if (IsIcechunkNamed(open_info)) return purpose == Purpose::kOpen;
    if (IsInReferences(open_info)) return true;
    if (HasZarrPrefix(open_info.pszFilename))
        return purpose == Purpose::kOpen || IsStoreThere(open_info.pszFilename);
    const StorePath name(open_info.pszFilename);
    if (name.text().empty()) return false;
    const bool is_url = name.text() != open_info.pszFilename;
    if (name.is_remote() && IsNamedAsStore(name)) {
        if (purpose == Purpose::kReplace && !NamesDocument(name)) return IsStoreThere(name);
        // A path in an object store that GDAL has found to be no folder counts as Zarr only if it
        // holds metadata documents. GDAL has not examined the path if the user gave a URL.
        return !name.is_object_store() || is_url || open_info.bIsDirectory ||
               IsStoreFolder(FolderOf(name));
    }
    // GDAL may fail to recognise a folder: before version 3.7 a folder in /vsimem/, and in all
    // versions a folder given as a file:// URL.
    const bool may_be_folder = open_info.bIsDirectory ||
                               (!open_info.bStatOK && name.kind() == StorePath::Kind::kMemory) ||
                               (is_url && !name.is_remote());
    if (NamesDocument(name)) return true;
    if (may_be_folder)
        return IsFolderOfStore(open_info, name) ||
               (purpose == Purpose::kOpen && !FindIcechunk(name).empty());
    // Returns false if the purpose is kReplace, because GDAL would delete the file before the copy
    // is complete.
    if (IsReferences(open_info, name)) return purpose != Purpose::kReplace;
    if (!IsZip(open_info) || purpose == Purpose::kReplace) return false;
    return EndsWith(name, ".zarr.zip") || IsOzx(name) || IsStoreFolder(FolderOf(name)) ||
           !FindIcechunk(name).empty();
}

// Text that Identify() stores as file header if a server does not say whether a path holds a store.
constexpr char kHeaderOfUnknown[] = "unknown Zarr store";

// True if `name` is a URL of an object store for which GDAL has no credentials. No driver opens
// such a URL, so that nothing else says why.
bool LacksCredentials(const GDALOpenInfo& open_info, const StorePath& name) {
    const bool is_url = name.text() != open_info.pszFilename;
    return is_url && !HasZarrPrefix(open_info.pszFilename) && !FolderOf(name).Url("zarr.json");
}

// True if the path in an object store is named as a store, or lacks credentials, and the server
// refuses or fails to say whether a store is there. Open() then reports why. Stores a positive
// result in `open_info`, so that Open() need not ask again.
bool IsUnknown(GDALOpenInfo& open_info) {
    constexpr int kSize = sizeof(kHeaderOfUnknown);
    const StorePath name(open_info.pszFilename);
    if (open_info.bStatOK || PurposeOf(open_info) != Purpose::kOpen || !name.is_object_store() ||
        !(IsNamedAsStore(name) || LacksCredentials(open_info, name)))
        return false;
    if (open_info.nHeaderBytes == kSize &&
        std::memcmp(open_info.pabyHeader, kHeaderOfUnknown, kSize) == 0)
        return true;
    if (!IsStoreUnknown(FolderOf(name))) return false;
    if (open_info.pabyHeader == nullptr) {
        open_info.pabyHeader = reinterpret_cast<GByte*>(CPLStrdup(kHeaderOfUnknown));
        open_info.nHeaderBytes = kSize;
    }
    return true;
}

// True if a dataset of the store or array to which `name` leads is open in this process.
bool IsTargetInUse(const char* name) {
    const auto parsed = ParseConnectionString(name);
    return parsed.ok() && IsStoreInUse(FolderOf(parsed->path), parsed->node);
}

// True if the name leads to a Zarr store. Returns false for a store in use that GDAL would delete
// before a copy: the copy replaces it when the copy is complete. GDAL itself keeps folders.
bool IsIdentified(GDALOpenInfo& open_info) {
    const Purpose purpose = PurposeOf(open_info);
    return IsZarr(open_info, purpose) && (purpose == Purpose::kOpen || open_info.bIsDirectory ||
                                          !IsTargetInUse(open_info.pszFilename));
}

Result<std::unique_ptr<GDALDataset>> OpenAsAsked(GDALOpenInfo* open_info,
                                                 const ConnectionString& name) {
    return (open_info->nOpenFlags & GDAL_OF_MULTIDIM_RASTER) != 0 ? OpenRootGroup(open_info, name)
                                                                  : OpenName(open_info, name);
}

// Adds the branch, tag or snapshot of an Icechunk repository to `name`, if the open options select
// one.
Status SelectState(const GDALOpenInfo& open_info, ConnectionString& name) {
    ZARR_ASSIGN_OR_RETURN(name.path,
                          WithSelection(name.path, SelectionOf(open_info.papszOpenOptions)));
    return {};
}

GDALDataset* OpenOrReport(GDALOpenInfo* open_info) {
    auto name = ParseConnectionString(open_info->pszFilename);
    if (!name.ok()) {
        EmitError(open_info->pszFilename, name.status());
        return nullptr;
    }
    name->is_store = IsKnownAsStore(*open_info);
    if (const Status selected = SelectState(*open_info, *name); !selected.ok()) {
        EmitError(name->path, selected);
        return nullptr;
    }
    RecogniseIcechunk(*name);
    auto dataset = OpenAsAsked(open_info, *name);
    // A remote path is checked for an Icechunk repository only after opening has failed, because
    // the check costs requests.
    if (dataset.status().code() == zarr::StatusCode::kNotFound && IsRemoteIcechunk(name->path)) {
        name->path = AsIcechunk(FolderOf(name->path));
        dataset = OpenAsAsked(open_info, *name);
    }
    if (dataset.ok()) return dataset->release();
    if (FollowsV3Draft(name->path, dataset.status())) return OpenV3Draft(open_info, *name);
    if (auto* const foreign = OpenForeignCodec(open_info, *name, dataset.status())) return foreign;
    EmitError(name->path, WithRefusal(FolderOf(name->path), dataset.status()));
    return nullptr;
}

}  // namespace

int Identify(GDALOpenInfo* open_info) {
    return Guarded(open_info->pszFilename, [&]() -> int {
        NoteIdentification();
        if (IsIdentified(*open_info) || IsUnknown(*open_info)) return TRUE;
        return IsRejectedByIdentify(open_info) ? FALSE : IdentifyAsBuiltin(open_info);
    });
}

bool IsRejectedByIdentify(GDALOpenInfo* open_info) {
    return PurposeOf(*open_info) == Purpose::kReplace && !IsIdentified(*open_info) &&
           IsZarr(*open_info, Purpose::kOpen);
}

GDALDataset* Open(GDALOpenInfo* open_info) {
    return Guarded(open_info->pszFilename, [&]() -> GDALDataset* {
        const LockTimeoutScope lock_timeout(open_info->papszOpenOptions);
        if (IsZarr(*open_info, Purpose::kOpen) || IsUnknown(*open_info))
            return OpenOrReport(open_info);
        if (IdentifyAsBuiltin(open_info) != FALSE)
            return OpenAsBuiltin(open_info, open_info->pszFilename);
        return nullptr;
    });
}

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#include "driver/open.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/metadata/documents.h"
#include "driver/base/builtin_driver.h"
#include "driver/base/exception_guard.h"
#include "driver/base/gdal_compat.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/quiet_deletion.h"
#include "driver/base/store_options.h"
#include "driver/multidim/mdim_array.h"
#include "driver/multidim/mdim_dataset.h"
#include "driver/multidim/mdim_session.h"
#include "driver/raster/raster_open.h"
#include "driver/stac.h"
#include "driver/store/foreign_store.h"
#include "driver/store/icechunk_kind.h"
#include "driver/store/open_node.h"
#include "driver/store/resolve.h"
#include "driver/store/store_address.h"
#include "driver/store/store_in_use.h"
#include "driver/store/store_kind.h"
#include "driver/store/store_management.h"
#include "driver/store/zip_kind.h"
#include "driver/transport/access_refusal.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// Parses the open options. In update mode, replaces open options that would disturb the update,
// such as consolidated metadata and read-ahead.
Result<OpenOptions> ReadOptionsOf(const GDALOpenInfo& open_info, const StoreAddress& address) {
    ZARR_ASSIGN_OR_RETURN(
        OpenOptions options,
        OpenOptions::Parse(open_info.papszOpenOptions, open_info.eAccess != GA_ReadOnly));
    if (!options.is_update) return options;
    // Consolidated metadata is ignored, because its copies of documents may become outdated by the
    // update.
    options.use_consolidated = zarr::UseConsolidated::kNever;
    // Read-ahead is turned off: a program that changes values usually reads each chunk only once.
    options.read_ahead = false;
    ZARR_RETURN_IF_ERROR(CheckChangeable(address));
    return options;
}

// Sets how changes of a store that is open for update take its lock. If the lock is required, fails
// now if there is none, before chunks are written, which need no lock.
Status SetLock(StoreUpdate& update, const OpenOptions& options) {
    update.SetLockWait(options.lock_wait);
    return options.lock_wait.is_required ? update.Lock().status() : Status();
}

Result<std::unique_ptr<GDALDataset>> OpenAddress(GDALOpenInfo* open_info,
                                                 const StoreAddress& address) {
    ZARR_ASSIGN_OR_RETURN(OpenOptions options, ReadOptionsOf(*open_info, address));
    if (!address.select.empty())
        options.select += (options.select.empty() ? "" : ",") + address.select;
    const bool update = options.is_update;
    if (update && options.wrap_longitude)
        return Status::Unsupported(
            "open option WRAP_LONGITUDE is not allowed in update mode: it reorders columns");
    if (update && options.north_up)
        return Status::Unsupported(
            "open option NORTH_UP is not allowed in update mode: it reorders rows");
    ZARR_ASSIGN_OR_RETURN(const OpenNode open_node,
                          OpenNodeAt(address, options, OpenedFor::kRaster));
    if (update) ZARR_RETURN_IF_ERROR(open_node.hierarchy->CheckChangeable(open_node.node));
    ZARR_ASSIGN_OR_RETURN(auto dataset,
                          OpenRaster(open_info->pszFilename, open_node, address.indices, options));
    const bool is_by_path = address.indices.empty() && options.select.empty() &&
                            address.text() == open_node.address.text() && open_node.node.empty();
    dataset->Finish({address.indices, is_by_path});
    if (update) {
        // A failed listing may hide arrays, and an update would miss them. A failure is therefore
        // an error.
        ZARR_RETURN_IF_ERROR(open_node.hierarchy->TakeFailure());
        ZARR_ASSIGN_OR_RETURN(auto locks, OpenSynchronizer(options.synchronizer));
        auto store = std::make_unique<StoreUpdate>(
            open_node.writable, zarr::WriteConsolidated::kIfPresent, std::move(locks));
        ZARR_RETURN_IF_ERROR(SetLock(*store, options));
        dataset->EnableUpdate(std::move(store), GeoreferencingForm::kEveryReader);
    }
    WarnOfFailure(*open_node.hierarchy, open_node.address);
    return std::unique_ptr<GDALDataset>(std::move(dataset));
}

Result<std::unique_ptr<GDALDataset>> OpenRootGroup(GDALOpenInfo* open_info,
                                                   const StoreAddress& address) {
    ZARR_ASSIGN_OR_RETURN(OpenOptions options, ReadOptionsOf(*open_info, address));
    ZARR_ASSIGN_OR_RETURN(OpenNode open_node, OpenNodeAt(address, options));
    if (!address.indices.empty() || !address.select.empty())
        return Status::Invalid("/" + address.node +
                               ": the multidimensional API cannot open slices; open the array");
    std::unique_ptr<StoreUpdate> update;
    if (options.is_update) {
        ZARR_RETURN_IF_ERROR(open_node.hierarchy->CheckChangeable(open_node.node));
        ZARR_ASSIGN_OR_RETURN(auto locks, OpenSynchronizer(options.synchronizer));
        update =
            std::make_unique<StoreUpdate>(open_node.writable, zarr::WriteConsolidated::kIfPresent,
                                          std::move(locks), open_node.hierarchy);
        ZARR_RETURN_IF_ERROR(SetLock(*update, options));
    }
    auto session =
        std::make_shared<MdimSession>(std::move(open_node), std::move(options), std::move(update));
    // If the name leads to an array, the array is opened here, so that a faulty array gives an
    // error. Otherwise the user would get an empty group.
    std::shared_ptr<ZarrMDArray> array;
    if (session->single_array() != nullptr) {
        ZARR_ASSIGN_OR_RETURN(array, session->OpenArray(*session->single_array()));
    }
    return std::unique_ptr<GDALDataset>(
        std::make_unique<MdimDataset>(std::move(session), std::move(array)));
}

// True if the name of a remote path shows that it is a Zarr store. GDAL cannot see whether a path
// on a web server is a folder.
bool IsNamedAsStore(const std::string& path) {
    const std::string name = path.substr(0, path.find('?'));
    return (name + "/").find(".zarr/") != std::string::npos || IsNamedAsZippedStore(name) ||
           NamesDocument(name);
}

// True if the store and the node to which `name` leads exist.
bool IsStoreThere(const std::string& name) {
    const auto address = Resolve(name);
    if (!address.ok()) return false;
    const QuietErrors quiet;
    const bool is_slice = !address->indices.empty() || !address->select.empty();
    return HoldsStore(*address) &&
           (address->node.empty() || is_slice || FindStoreNode(name.c_str()).ok());
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

// Findings that Identify() stores as file header: a folder is a Zarr store, or a server does not
// say whether a path holds one. GDALOpenInfo passes the header on to Open(), which need not ask
// again.
constexpr std::string_view kIsStore = "Zarr store";
constexpr std::string_view kIsUnknown = "unknown Zarr store";

std::string_view HeadOf(const GDALOpenInfo& open_info) {
    return {reinterpret_cast<const char*>(open_info.pabyHeader),
            static_cast<std::size_t>(open_info.nHeaderBytes)};
}

void StoreFinding(GDALOpenInfo& open_info, std::string_view finding) {
    if (open_info.pabyHeader != nullptr) return;
    open_info.pabyHeader = reinterpret_cast<GByte*>(CPLStrdup(std::string(finding).c_str()));
    open_info.nHeaderBytes = static_cast<int>(finding.size());
}

bool IsKnownAsStore(const GDALOpenInfo& open_info) {
    return open_info.bIsDirectory && HeadOf(open_info) == kIsStore;
}

// True if `folder` is a Zarr store. Stores a positive result in `open_info`.
bool IsFolderOfStore(GDALOpenInfo& open_info, const StoreAddress& folder) {
    if (!HoldsStore(folder)) return false;
    if (open_info.bIsDirectory) StoreFinding(open_info, kIsStore);
    return true;
}

// True if a remote path that is named as a store may lead to one.
bool MayBeStoreOnServer(const GDALOpenInfo& open_info, const StorePath& name, Purpose purpose) {
    const std::string text = open_info.pszFilename;
    if (purpose == Purpose::kReplace && !NamesDocument(name)) return IsStoreThere(text);
    // A path in an object store that GDAL has found to be no folder counts as Zarr only if it holds
    // metadata documents. GDAL has not examined the path if the user gave a URL.
    return !name.is_object_store() || name.text() != text || open_info.bIsDirectory ||
           HoldsStore(AddressOf(name));
}

// True if GDAL says that `name` is a folder, or may fail to recognise it as one: before version 3.7
// a folder in /vsimem/, and in all versions a folder given as a file:// URL.
bool MayBeFolder(const GDALOpenInfo& open_info, const StorePath& name) {
    return open_info.bIsDirectory ||
           (!open_info.bStatOK && name.kind() == StorePath::Kind::kMemory) ||
           (name.text() != open_info.pszFilename && !name.is_remote());
}

bool IsZarr(GDALOpenInfo& open_info, Purpose purpose) {
    const bool is_opened = purpose == Purpose::kOpen;
    const std::string text = open_info.pszFilename;
    if (const PathScheme scheme = SchemeOf(text); scheme != PathScheme::kNone)
        return is_opened || scheme != PathScheme::kIcechunk;
    if (HasZarrPrefix(text)) return is_opened || IsStoreThere(text);
    if (IsKnownAsStore(open_info)) return true;
    const StorePath name(text);
    if (name.text().empty()) return false;
    const StoreKind* const proven = KindOfFile(name, HeadOf(open_info));
    if (proven == &kIcechunkKind) return is_opened;
    if (name.is_remote() && IsNamedAsStore(name))
        return MayBeStoreOnServer(open_info, name, purpose);
    if (NamesDocument(name)) return true;
    if (MayBeFolder(open_info, name)) {
        const StoreAddress folder = AddressOf(name);
        return IsFolderOfStore(open_info, folder) || (is_opened && FindIcechunk(folder));
    }
    // A file is not replaced, because GDAL would delete it before the copy is complete.
    if (!is_opened || proven == nullptr) return false;
    if (proven != &kZipKind || IsNamedAsZippedStore(name)) return true;
    const StoreAddress zip = AddressOf(name);
    return HoldsStore(zip) || FindIcechunk(zip);
}

// True if `name` is a URL of an object store for which GDAL has no credentials. No driver opens
// such a URL, so that nothing else says why.
bool LacksCredentials(const GDALOpenInfo& open_info, const StorePath& name) {
    const bool is_url = name.text() != open_info.pszFilename;
    return is_url && !HasZarrPrefix(open_info.pszFilename) &&
           !AddressOf(name).Url(std::string(zarr::kV3Document));
}

// True if the path in an object store is named as a store, or lacks credentials, and the server
// refuses or fails to say whether a store is there. Open() then reports why. Stores a positive
// result in `open_info`, so that Open() need not ask again.
bool IsUnknown(GDALOpenInfo& open_info) {
    const StorePath name(open_info.pszFilename);
    if (open_info.bStatOK || PurposeOf(open_info) != Purpose::kOpen || !name.is_object_store() ||
        !(IsNamedAsStore(name) || LacksCredentials(open_info, name)))
        return false;
    if (HeadOf(open_info) == kIsUnknown) return true;
    if (!IsStoreUnknown(AddressOf(name))) return false;
    StoreFinding(open_info, kIsUnknown);
    return true;
}

// True if a dataset of the store or array to which `name` leads is open in this process.
bool IsTargetInUse(const char* name) {
    const auto target = Resolve(name);
    return target.ok() && IsStoreInUse(*target, target->node);
}

// True if the name leads to a Zarr store. Returns false for a store in use that GDAL would delete
// before a copy: the copy replaces it when the copy is complete. GDAL itself keeps folders.
bool IsIdentified(GDALOpenInfo& open_info) {
    const Purpose purpose = PurposeOf(open_info);
    return IsZarr(open_info, purpose) && (purpose == Purpose::kOpen || open_info.bIsDirectory ||
                                          !IsTargetInUse(open_info.pszFilename));
}

Result<std::unique_ptr<GDALDataset>> OpenAsAsked(GDALOpenInfo* open_info,
                                                 const StoreAddress& address) {
    return (open_info->nOpenFlags & GDAL_OF_MULTIDIM_RASTER) != 0
               ? OpenRootGroup(open_info, address)
               : OpenAddress(open_info, address);
}

// Returns the address to which the name leads: in an Icechunk repository, the state that the name
// or the open options select.
Result<StoreAddress> ResolveToOpen(const GDALOpenInfo& open_info, const ConnectionString& name) {
    ZARR_ASSIGN_OR_RETURN(
        StoreAddress address,
        WithSelection(AddressOf(name.path), SelectionOf(open_info.papszOpenOptions)));
    address.is_store = IsKnownAsStore(open_info);
    if (!address.is_remote() && !address.is_store) {
        address.is_store = HoldsStore(address);
        if (!address.is_store)
            if (auto found = FindIcechunk(address)) address = *std::move(found);
    }
    return address.At(name);
}

// Returns the STAC document to which a name with a prefix leads, after no store was found there.
std::optional<StacDocument> NamedStac(const GDALOpenInfo& open_info, const ConnectionString& name,
                                      const Status& failure) {
    const bool is_no_store = failure.code() == zarr::StatusCode::kNotFound ||
                             failure.code() == zarr::StatusCode::kCorrupt;
    if (!is_no_store || !name.has_prefix || name.has_node || IsNamedAsStore(name.path))
        return std::nullopt;
    const QuietErrors quiet;
    auto document = ReadStac(open_info, name.path);
    return document.ok() ? document.Take() : std::nullopt;
}

enum class NameMay : std::uint8_t { kBeStac, kOnlyBeStore };

GDALDataset* OpenStac(GDALOpenInfo* open_info, const StacDocument& document);

GDALDataset* OpenOrReport(GDALOpenInfo* open_info, NameMay may = NameMay::kBeStac) {
    auto name = ParseConnectionString(open_info->pszFilename);
    if (!name.ok()) {
        EmitError(open_info->pszFilename, name.status());
        return nullptr;
    }
    auto address = ResolveToOpen(*open_info, *name);
    if (!address.ok()) {
        EmitError(name->path, address.status());
        return nullptr;
    }
    auto dataset = OpenAsAsked(open_info, *address);
    // A remote path is checked for an Icechunk repository only after opening has failed, because
    // the check costs requests.
    if (dataset.status().code() == zarr::StatusCode::kNotFound && IsRemoteIcechunk(*address)) {
        address = IcechunkAddress(*address).At(*name);
        dataset = OpenAsAsked(open_info, *address);
    }
    if (dataset.ok()) return dataset->release();
    if (address->scheme == PathScheme::kIcechunk) name->path = address->path();
    if (FollowsV3Draft(*address, dataset.status())) return OpenV3Draft(open_info, *name, *address);
    if (auto* const foreign = OpenForeignCodec(open_info, *name, *address, dataset.status()))
        return foreign;
    if (may == NameMay::kBeStac)
        if (const auto document = NamedStac(*open_info, *name, dataset.status()))
            return OpenStac(open_info, *document);
    EmitError(name->path, WithRefusal(*address, dataset.status()));
    return nullptr;
}

GDALDataset* OpenOnlyStore(GDALOpenInfo* open_info, const StacStore& only) {
    GDALOpenInfo store(NameOf(only).c_str(), open_info->nOpenFlags, nullptr);
    store.papszOpenOptions = open_info->papszOpenOptions;
    return OpenOrReport(&store, NameMay::kOnlyBeStore);
}

// Opens the only store of a STAC document, or lists its stores.
GDALDataset* OpenStac(GDALOpenInfo* open_info, const StacDocument& document) {
    const std::string name = open_info->pszFilename;
    // GDAL's driver HTTP puts a document of a server into /vsimem/. If no driver opens that, it
    // tries again with a local file, which may name local stores. So such a document is listed.
    const bool must_open = StorePath(name).kind() == StorePath::Kind::kMemory;
    const bool is_list =
        (open_info->nOpenFlags & GDAL_OF_MULTIDIM_RASTER) == 0 && open_info->eAccess == GA_ReadOnly;
    if (document.stores.empty()) {
        EmitError(name, Status::Permission(FirstFew(document.refused, "; ")));
        return must_open ? ListStac(document).release() : nullptr;
    }
    EmitWarnings(name, document.refused);
    const StacStore& first = document.stores[0];
    const bool is_one = std::all_of(document.stores.begin(), document.stores.end(),
                                    [&](const StacStore& store) { return store.key == first.key; });
    if (is_one && first.may_be_followed) {
        GDALDataset* const opened = OpenOnlyStore(open_info, first);
        return opened == nullptr && must_open ? ListStac(document).release() : opened;
    }
    if (is_list) return ListStac(document).release();
    EmitError(name, Status::Unsupported("is a STAC document that lists several Zarr stores; open "
                                        "one of its subdatasets, such as " +
                                        NameOf(first)));
    return must_open ? ListStac(document).release() : nullptr;
}

// True for a document of STAC. Programs that ask for vectors, too, get its footprint by GDAL's
// driver GeoJSON.
bool IsStac(GDALOpenInfo& open_info) {
    return (open_info.nOpenFlags & GDAL_OF_VECTOR) == 0 && PurposeOf(open_info) == Purpose::kOpen &&
           MayBeStac(open_info);
}

}  // namespace

int Identify(GDALOpenInfo* open_info) {
    return Guarded(open_info->pszFilename, [&]() -> int {
        NoteIdentification();
        if (IsIdentified(*open_info) || IsUnknown(*open_info) || IsStac(*open_info)) return TRUE;
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
        if (IsStac(*open_info)) {
            const auto document = ReadStac(*open_info, open_info->pszFilename);
            if (document.status().code() == zarr::StatusCode::kCorrupt) {
                EmitError(open_info->pszFilename, document.status());
                return nullptr;
            }
            if (document.ok() && *document) return OpenStac(open_info, **document);
        }
        if (IdentifyAsBuiltin(open_info) != FALSE)
            return OpenAsBuiltin(open_info, open_info->pszFilename);
        return nullptr;
    });
}

}  // namespace zarr_driver

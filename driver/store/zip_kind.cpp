// SPDX-License-Identifier: MIT
#include "driver/store/zip_kind.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/fork.h"
#include "core/json/value.h"
#include "core/metadata/documents.h"
#include "core/store/keys.h"
#include "core/store/staging.h"
#include "core/store/zip_writer.h"
#include "driver/base/debug_log.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/store_options.h"
#include "driver/store/resolve.h"
#include "driver/store/staged.h"
#include "driver/store/store_address.h"
#include "driver/transport/byte_file.h"
#include "driver/transport/logged_store.h"
#include "driver/transport/open_zip.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

std::string InnerFolder(const StoreAddress& address, const zarr::ZipArchive& archive) {
    if (address.inner) return *address.inner;
    return archive.FindRoot([&](const std::string& prefix) {
        return zarr::HoldsRootDocumentOfAnyFormat(
            prefix, [&](const std::string& key) { return archive.Find(key) != nullptr; });
    });
}

namespace {

bool IsInZip(const StoreAddress& address) { return !address.archive.empty(); }

// True if a file named as a zip file starts with the signature of a member, or of the end of an
// empty zip file.
bool IsProvenAsZip(const StorePath& path, std::string_view head) {
    return IsNamedAsZip(path) && (head.substr(0, 4) == "PK\3\4" || head.substr(0, 4) == "PK\5\6");
}

// True if the folder `prefix` of a zip file holds a metadata document that makes it a Zarr v2 or v3
// store.
bool HoldsRoot(const zarr::ZipArchive& archive, const std::string& prefix) {
    return zarr::HoldsRootDocument(
        prefix, [&](const std::string& key) { return archive.Find(key) != nullptr; });
}

bool IsThereInZip(const StoreAddress& address) {
    const auto archive = OpenZip(address.archive);
    return archive.ok() &&
           (HoldsRoot(**archive, InnerFolder(address, **archive)) || HoldsV1Array(address));
}

// Returns the topmost folder of the groups around `address`, a store in a zip file. If the zip file
// cannot be opened, a later step reports the error.
StoreAddress FindRootInZip(const StoreAddress& address) {
    if (!address.inner) return address;
    const auto archive = OpenZip(address.archive);
    if (!archive.ok() || !HoldsRoot(**archive, *address.inner)) return address;
    return Ascended(address, *address.inner,
                    [&](const std::string& key) { return (*archive)->Find(key) != nullptr; });
}

Result<std::shared_ptr<const zarr::Store>> OpenZipToRead(const StoreAddress& address,
                                                         const StoreAccess& /*access*/) {
    ZARR_ASSIGN_OR_RETURN(const auto archive, OpenZip(address.archive));
    std::shared_ptr<const zarr::Store> store =
        std::make_shared<zarr::ZipStore>(archive, InnerFolder(address, *archive));
    return IsDebugEnabled() ? std::make_shared<LoggedStore>(std::move(store)) : store;
}

using UpdateStore = std::shared_ptr<zarr::ZipUpdateStore>;

// The zip files that this process has open for update. Not thread-safe.
class UpdateStores {
  public:
    // Returns the store object of a folder in a zip file; nullptr if there is none, or if another
    // file has replaced the zip file.
    UpdateStore Find(const std::string& archive, const std::string& folder) const {
        const auto known = stores_.find({FileOf(archive), folder});
        auto store = known != stores_.end() ? known->second.lock() : nullptr;
        return store != nullptr && store->IsInPlace() ? store : nullptr;
    }
    // True if any folder in the zip file is open.
    bool HasOpen(const std::string& archive) const {
        return std::any_of(stores_.begin(), stores_.end(), [&](const auto& each) {
            return each.first.first == FileOf(archive) &&
                   Find(archive, each.first.second) != nullptr;
        });
    }
    void Add(const std::string& archive, const std::string& folder, const UpdateStore& store) {
        for (auto at = stores_.begin(); at != stores_.end();)
            at = at->second.expired() ? stores_.erase(at) : std::next(at);
        stores_[{FileOf(archive), folder}] = store;
    }

  private:
    static std::string FileOf(const std::string& archive) {
        return OpenFolder(archive)->Identity() + "\n" + std::to_string(zarr::ForkGeneration());
    }

    std::map<std::pair<std::string, std::string>, std::weak_ptr<zarr::ZipUpdateStore>> stores_;
};

// Returns the comment of an OME-Zarr zip file (RFC 9 of OME-NGFF): the version that the document of
// the root states. Empty if the document states none.
std::string OmeComment(zarr::ByteSpan document) {
    const auto parsed = zarr::json::Parse(document.text());
    const zarr::json::Value* found = parsed.ok() ? &*parsed : nullptr;
    for (const char* const name : {"attributes", "ome", "version"})
        found = found != nullptr ? found->Find(name) : nullptr;
    if (found == nullptr || found->as_string() == nullptr) return {};
    zarr::json::Value version(zarr::json::Object{{"version", *found}});
    return zarr::json::Dump(zarr::json::Value(zarr::json::Object{{"ome", std::move(version)}}));
}

zarr::ZipDocuments DocumentsOf(const std::string& archive) {
    zarr::ZipDocuments documents{std::string(zarr::kV3Document), nullptr};
    if (IsOzx(zarr::FinalName(archive))) documents.comment = OmeComment;
    return documents;
}

// Returns nullptr if somebody else has the zip file open for update.
Result<UpdateStore> TryToOpen(const StoreAddress& address, UpdateStores& stores) {
    // A staging name may have belonged to an earlier zip file, so an open store with that name is
    // not used. Sharing is not needed, because only its creator uses a staging file.
    const bool is_staging = zarr::FinalName(address.archive) != address.archive;
    const std::string folder = address.inner.value_or("");
    if (auto store = is_staging ? nullptr : stores.Find(address.archive, folder)) return store;
    ZARR_ASSIGN_OR_RETURN(auto file, OpenByteFile(address.archive, is_staging));
    if (file == nullptr) {
        if (!stores.HasOpen(address.archive)) return UpdateStore();
        return Status::Io(
            "the zip file is open for update in this process, by another path; close that first");
    }
    // Another process may change the zip file's directory until the file is locked, so the
    // directory is read after that.
    ZARR_ASSIGN_OR_RETURN(const auto archive, OpenLockedZip(address.archive, file->size()));
    ZARR_ASSIGN_OR_RETURN(auto store, zarr::ZipUpdateStore::Open(archive, std::move(file),
                                                                 InnerFolder(address, *archive),
                                                                 DocumentsOf(address.archive)));
    if (!is_staging) stores.Add(address.archive, folder, store);
    return store;
}

// Returns the store object of a zip file that is open for update. Opens the zip file if none is
// open, or if another file has replaced it, as soon as no other process has it open. Thread-safe.
Result<std::shared_ptr<zarr::Store>> OpenZipForUpdate(const StoreAddress& address,
                                                      const StoreAccess& /*access*/) {
    using Clock = std::chrono::steady_clock;
    static auto& stores = *new UpdateStores();
    static auto& mutex = *new std::mutex();
    ZARR_ASSIGN_OR_RETURN(const auto wait, ConfiguredLockWait());
    const auto deadline = Clock::now() + wait.limit;
    for (;;) {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            ZARR_ASSIGN_OR_RETURN(auto store, TryToOpen(address, stores));
            if (store != nullptr) return std::shared_ptr<zarr::Store>(std::move(store));
        }
        if (Clock::now() >= deadline)
            return Status::Io(
                CPLSPrintf("the zip file is open for update in another process; waited %g s, set "
                           "LOCK_TIMEOUT or ZARR_LOCK_TIMEOUT to wait longer",
                           std::chrono::duration<double>(wait.limit).count()));
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

Status CheckZip(const StoreAddress& address, StoreOperation operation) {
    const std::string& archive = address.archive;
    VSIStatBufL stat;
    if (IsLocalPath(archive) && VSIStatL(archive.c_str(), &stat) == 0)
        ZARR_RETURN_IF_ERROR(CheckIsNoPipe(archive, stat));
    if (operation == StoreOperation::kWrite && StorePath(archive).is_remote())
        return Status::Unsupported(
            "a zip file on a server cannot be updated in place; update a local copy");
    return OfKind(address, &StoreKind::check, &kZipKind)(address, operation);
}

Status CreateZip(const std::string& path) {
    const QuietErrors quiet;
    const std::string end = zarr::EmptyZip();
    const VsiFile file(VSIFOpenL(path.c_str(), "wb"));
    const bool is_written = file != nullptr &&
                            VSIFWriteL(end.data(), 1, end.size(), file.get()) == end.size() &&
                            VSIFFlushL(file.get()) == 0;
    return is_written ? Status()
                      : Status::Io("the zip file cannot be created: " + QuietErrors::Message());
}

Status EraseZip(const StoreAddress& address, bool /*is_store*/) {
    return EraseFileOrFolder(address.text());
}

// Copies the members of an archive into another one, in the order of its directory.
Status CopyMembers(const zarr::ZipArchive& from, zarr::Store& to) {
    using Place = std::tuple<bool, std::ptrdiff_t, std::string>;
    std::map<Place, const zarr::ZipMember*> members;
    for (const auto& [key, member] : from.directory().members()) {
        const std::string name(key);
        const bool is_document = zarr::LastName(name) == zarr::kV3Document;
        const std::ptrdiff_t depth =
            is_document ? std::count(name.begin(), name.end(), '/') : std::ptrdiff_t{0};
        members.emplace(Place(!is_document, depth, name), &member);
    }
    for (const auto& [place, member] : members) {
        zarr::Buffer contents;
        ZARR_RETURN_IF_ERROR(from.Check(*member));
        ZARR_RETURN_IF_ERROR(contents.Reset(static_cast<std::size_t>(member->size)));
        ZARR_RETURN_IF_ERROR(from.Read(*member, contents.span()));
        ZARR_RETURN_IF_ERROR(to.Set(std::get<2>(place), std::as_const(contents).span()));
    }
    return to.Flush();
}

Status CopySorted(const std::string& path, const std::string& target) {
    ZARR_ASSIGN_OR_RETURN(const auto archive, OpenZip(path));
    ZARR_ASSIGN_OR_RETURN(auto file, OpenByteFile(target, true));
    ZARR_ASSIGN_OR_RETURN(const auto empty, OpenLockedZip(target, file->size()));
    ZARR_ASSIGN_OR_RETURN(const auto store, zarr::ZipUpdateStore::Open(empty, std::move(file), "",
                                                                       DocumentsOf(path)));
    return CopyMembers(*archive, *store);
}

}  // namespace

Status SortZip(const std::string& path) {
    Staged sorted{StorePath(path)};
    Status status;
    sorted.Create([&](const std::string& zip) {
        status = CreateZip(zip);
        return status.ok() ? 0 : EIO;
    });
    if (status.ok()) status = CopySorted(path, sorted.path());
    CloseIdleZip();
    return status.ok() ? sorted.Commit() : status;
}

const StoreKind kZipKind = {IsInZip,       IsProvenAsZip, IsThereInZip,
                            FindRootInZip, OpenZipToRead, OpenZipForUpdate,
                            CheckZip,      CreateZip,     EraseZip};

}  // namespace zarr_driver

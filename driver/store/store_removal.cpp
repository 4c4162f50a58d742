// SPDX-License-Identifier: MIT
#include "driver/store/store_removal.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/base/text.h"
#include "core/hierarchy/tree.h"
#include "core/store/keys.h"
#include "driver/base/report.h"
#include "driver/store/location.h"
#include "driver/store/remote_url.h"
#include "driver/store/sidecars.h"
#include "driver/store/store_folder.h"
#include "driver/store/vsi_store.h"
#include "driver/store/zip_writer.h"

namespace zarr_driver {

using zarr::Status;

namespace {

bool EndsWith(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// What GDAL, a writer that was killed, xcube and desktops leave in a store.
bool IsCompanion(std::string_view name) {
    static constexpr std::string_view kNames[] = {"pam.aux.xml", ".DS_Store", "Thumbs.db"};
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
           EndsWith(name, ".partial") || EndsWith(name, ".link");
}

}  // namespace

Status CheckNothingElse(const std::string& folder, const char* refusal) {
    ZARR_ASSIGN_OR_RETURN(const std::string foreign,
                          zarr::FindForeign(VsiStore(folder), IsCompanion));
    if (foreign.empty()) return {};
    return Status::Invalid("holds " + zarr::Quoted(foreign) +
                           (IsStoreFolder(folder) ? " beside a Zarr store" : " and no Zarr store") +
                           ", so it is not " + refusal);
}

Status CheckRoom(const std::string& folder) {
    const QuietErrors quiet;
    VSIStatBufL stat;
    errno = 0;
    const bool is_there = VSIStatL(folder.c_str(), &stat) == 0;
    // What cannot be looked at may be somebody's. Over a network errno means nothing.
    if (!is_there && errno != 0 && errno != ENOENT && errno != ENOTDIR && !IsRemote(folder))
        return Status::Io("cannot be looked at: " + std::generic_category().message(errno));
    if (is_there && !VSI_ISDIR(stat.st_mode))
        return Status::Invalid("is a file, so it is not overwritten");
    // /vsimem/ does not know all of its folders.
    return is_there || IsStoreFolder(folder) ? CheckNothingElse(folder, "overwritten") : Status();
}

std::string WholeOf(const std::string& folder) { return ArchiveOf(folder).value_or(folder); }

namespace {

// GDAL remembers what an object store has listed, whatever others have done since, and whatever was
// deleted.
void ForgetListings(const std::string& folder) {
    if (IsObjectStore(folder)) VSICurlPartialClearCache(folder.c_str());
}

// The keys of all objects below a folder of an object store; those that only stand for folders,
// which GDAL, among others, makes, are left out.
std::vector<std::string> ListObjects(const std::string& folder) {
    ForgetListings(folder);
    const CPLStringList found(VSIReadDirRecursive(folder.c_str()));
    std::vector<std::string> keys;
    for (int i = 0; i < found.size(); ++i)
        if (!EndsWith(found[i], "/")) keys.emplace_back(found[i]);
    return keys;
}

// Deletes what lies below a folder of an object store by one listing of all of it: a listing that
// fails looks as if there were nothing. What makes the folder a store goes last, once nothing else
// is left, so that what a failure leaves can be deleted again.
Status EraseObjects(const std::string& folder) {
    const QuietErrors quiet;
    VsiStore store(folder);
    const auto is_last = [](const std::string& key) {
        return zarr::IsDocument(key, zarr::Document::kGroup) ||
               zarr::IsDocument(key, zarr::Document::kArray);
    };
    std::vector<std::string> keys = ListObjects(folder);
    const auto last = std::stable_partition(keys.begin(), keys.end(),
                                            [&](const std::string& key) { return !is_last(key); });
    const std::vector<std::string> roots(last, keys.end());
    keys.erase(last, keys.end());
    // Nobody is to take for whole what is only partly there.
    std::stable_partition(keys.begin(), keys.end(), [](const std::string& key) {
        return zarr::IsNodeDocument(zarr::LastName(key));
    });
    ZARR_RETURN_IF_ERROR(store.EraseMany(keys));
    for (const std::string& key : ListObjects(folder))
        if (!is_last(key)) return Status::Io(key + ": was put there while the store was deleted");
    ZARR_RETURN_IF_ERROR(store.EraseMany(roots));
    VSIRmdirRecursive(folder.c_str());
    ForgetListings(folder);
    return {};
}

}  // namespace

Status EraseWhole(const std::string& path) {
    VSIStatBufL stat;
    if (VSIStatL(path.c_str(), &stat) == 0 && !VSI_ISDIR(stat.st_mode)) {
        errno = 0;
        if (VSIUnlink(path.c_str()) == 0) return {};
        return Status::Io("cannot be removed: " + std::generic_category().message(errno));
    }
    const std::string& folder = path;
    if (IsObjectStore(folder)) return EraseObjects(folder);
    VsiStore store(folder);
    ZARR_RETURN_IF_ERROR(zarr::EraseStore(store));
    const QuietErrors quiet;
    if (VSIRmdir(folder.c_str()) == 0 || VSIUnlink(folder.c_str()) == 0) return {};
    return PathExists(folder) ? Status::Io("the empty folder cannot be removed") : Status();
}

// True where a folder in a zip file has something besides a store and its sidecars.
bool HoldsMoreThan(const std::string& name, const std::string& folder) {
    const CPLStringList entries(VSIReadDir(folder.c_str()));
    int own = 1;
    for (const char* const end : kSidecarEnds)
        own += entries.FindString((name + end).c_str()) >= 0 ? 1 : 0;
    return entries.size() > own;
}

// It is, where it is the root, or the only thing at the root.
Status CheckAlone(const std::string& folder) {
    const std::optional<std::string> archive = ArchiveOf(folder);
    if (!archive || !PathExists(*archive)) return {};
    std::string above = folder;
    while (!EQUAL(WholeOf(above).c_str(), above.substr(std::strlen("/vsizip/")).c_str())) {
        const std::string name = CPLGetFilename(above.c_str());
        above = CPLGetPath(above.c_str());
        if (HoldsMoreThan(name, above) || !STARTS_WITH_CI(above.c_str(), "/vsizip/"))
            return Status::Unsupported(
                "is not all that is in its zip file, which is written and deleted as a whole");
    }
    return {};
}

Status RemoveStore(const std::string& folder) {
    if (!IsStoreFolder(folder)) return Status::Invalid("not a Zarr v2 store, so it is not deleted");
    ForgetListings(folder);
    ZARR_RETURN_IF_ERROR(CheckNothingElse(folder, "deleted"));
    ZARR_RETURN_IF_ERROR(CheckAlone(folder));
    ZARR_RETURN_IF_ERROR(EraseWhole(WholeOf(folder)));
    RemoveBeside(WholeOf(folder));
    return {};
}

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#include "driver/store_removal.h"

#include <cpl_vsi.h>

#include <algorithm>
#include <string_view>

#include "core/base/text.h"
#include "core/hierarchy/store_erasure.h"
#include "driver/location.h"
#include "driver/report.h"
#include "driver/vsi_store.h"

namespace zarr_driver {

using zarr::Result;
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
    VSIStatBufL stat;
    const bool is_there = VSIStatL(folder.c_str(), &stat) == 0;
    if (is_there && !VSI_ISDIR(stat.st_mode))
        return Status::Invalid("is a file, so it is not overwritten");
    // /vsimem/ does not know all of its folders.
    return is_there || IsStoreFolder(folder) ? CheckNothingElse(folder, "overwritten") : Status();
}

namespace {

// The file beside a store in which GDAL keeps statistics.
std::string Statistics(const std::string& folder) { return folder + ".aux.xml"; }

Status EraseFolder(const std::string& folder) {
    VsiStore store(folder);
    ZARR_RETURN_IF_ERROR(zarr::EraseStore(store));
    const QuietErrors quiet;
    if (VSIRmdir(folder.c_str()) == 0 || VSIUnlink(folder.c_str()) == 0) return {};
    return PathExists(folder) ? Status::Io("the empty folder cannot be removed") : Status();
}

}  // namespace

Status RemoveStore(const std::string& folder) {
    if (!IsStoreFolder(folder)) return Status::Invalid("not a Zarr v2 store, so it is not deleted");
    ZARR_RETURN_IF_ERROR(CheckNothingElse(folder, "deleted"));
    ZARR_RETURN_IF_ERROR(EraseFolder(folder));
    const QuietErrors quiet;
    VSIUnlink(Statistics(folder).c_str());
    return {};
}

Result<StoreReplacement> StoreReplacement::Begin(const std::string& folder) {
    ZARR_RETURN_IF_ERROR(CheckRoom(folder));
    StoreReplacement replacement;
    replacement.folder_ = folder;
    if (!IsStoreFolder(folder)) return replacement;
    const std::string aside = TemporaryPath(folder);
    const QuietErrors quiet;
    if (VSIRename(folder.c_str(), aside.c_str()) == 0) {
        replacement.aside_ = aside;
        VSIRename(Statistics(folder).c_str(), Statistics(aside).c_str());
        return replacement;
    }
    ZARR_RETURN_IF_ERROR(EraseFolder(folder));
    VSIUnlink(Statistics(folder).c_str());
    return replacement;
}

void StoreReplacement::Commit() {
    folder_.clear();
    if (aside_.empty()) return;
    // What cannot be deleted is left over, and harms nobody.
    static_cast<void>(EraseFolder(aside_));
    const QuietErrors quiet;
    VSIUnlink(Statistics(aside_).c_str());
    aside_.clear();
}

void StoreReplacement::Undo() {
    if (folder_.empty()) return;
    if (PathExists(folder_)) static_cast<void>(EraseFolder(folder_));
    const QuietErrors quiet;
    VSIUnlink(Statistics(folder_).c_str());
    if (!aside_.empty()) {
        VSIRename(aside_.c_str(), folder_.c_str());
        VSIRename(Statistics(aside_).c_str(), Statistics(folder_).c_str());
    }
    folder_.clear();
}

}  // namespace zarr_driver

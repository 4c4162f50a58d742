// SPDX-License-Identifier: MIT
#include "driver/store/store_in_use.h"

#include <cpl_vsi.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "core/store/keys.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

namespace {

std::mutex& StoresInUseMutex() {
    static auto& mutex = *new std::mutex();
    return mutex;
}

// The registry is never destroyed, because datasets may be closed while the process ends. It holds
// no store that is not open.
std::set<const StoreInUse*>& StoresInUse() {
    static auto& stores = *new std::set<const StoreInUse*>();
    return stores;
}

bool IsLocalStore(const std::string& path) {
    return StorePath(path).kind() == StorePath::Kind::kLocal;
}

// Returns the absolute path of a folder or file without links; a URL unchanged.
std::string RealPathOfStore(const std::string& path) {
    return IsLocalStore(path) ? OpenFolder(path)->Identity() : path;
}

// Returns a text that is equal for all paths of one folder or file.
std::string IdentityOfStore(const std::string& path) {
    VSIStatBufL stat;
    if (!IsLocalStore(path) || VSIStatL(path.c_str(), &stat) != 0 || stat.st_ino == 0)
        return RealPathOfStore(path);
    return std::to_string(stat.st_dev) + ":" + std::to_string(stat.st_ino);
}

}  // namespace

StoreInUse::StoreInUse(const StoreAddress& store)
    : path_(RealPathOfStore(store.FileOrFolder())),
      identity_(IdentityOfStore(store.FileOrFolder())) {
    const std::lock_guard<std::mutex> lock(StoresInUseMutex());
    StoresInUse().insert(this);
}

StoreInUse::~StoreInUse() {
    const std::lock_guard<std::mutex> lock(StoresInUseMutex());
    StoresInUse().erase(this);
}

void StoreInUse::Show(const std::string& array) {
    const std::lock_guard<std::mutex> lock(StoresInUseMutex());
    arrays_.push_back(array);
}

void StoreInUse::ShowGroup(const std::string& group) {
    const std::lock_guard<std::mutex> lock(StoresInUseMutex());
    groups_.push_back(group);
}

bool StoreInUse::MayShow(const std::string& node) const {
    const auto is_in_group = [&](const std::string& group) {
        return zarr::IsAtOrBelow(node, group) || zarr::IsAtOrBelow(group, node);
    };
    const auto is_below = [&](const std::string& array) { return zarr::IsAtOrBelow(array, node); };
    return std::any_of(groups_.begin(), groups_.end(), is_in_group) ||
           std::any_of(arrays_.begin(), arrays_.end(), is_below);
}

bool IsStoreInUse(const StoreAddress& store, const std::string& node) {
    const std::string real = RealPathOfStore(store.FileOrFolder());
    const std::string identity = IdentityOfStore(store.FileOrFolder());
    const std::lock_guard<std::mutex> lock(StoresInUseMutex());
    return std::any_of(StoresInUse().begin(), StoresInUse().end(), [&](const StoreInUse* open) {
        const bool is_below = open->path_ != real && zarr::IsAtOrBelow(open->path_, real);
        if (open->identity_ != identity) return is_below && node.empty();
        return node.empty() || open->MayShow(node);
    });
}

zarr::Status CheckNotInUse(const StoreAddress& store, const std::string& node,
                           const char* refusal) {
    if (!IsStoreInUse(store, node)) return {};
    const std::string what = node.empty() ? std::string("is open") : "/" + node + ": is open";
    return zarr::Status::Unsupported(what + " as a dataset in this process, so it is not " +
                                     refusal + "; close the dataset first");
}

}  // namespace zarr_driver

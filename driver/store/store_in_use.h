// SPDX-License-Identifier: MIT
// Stores that this process has open as datasets. Such a store is not deleted or renamed, and
// nothing is built in its place, because its datasets would then read absent chunks.
#pragma once

#include <string>
#include <vector>

#include "core/base/status.h"
#include "driver/store/store_address.h"

namespace zarr_driver {

// Registers the store of a dataset from the constructor until the destructor. Thread-safe.
class StoreInUse {
  public:
    // A local store is known by its device and
    // inode, whatever the links and names by which a user leads to it.
    explicit StoreInUse(const StoreAddress& store);
    ~StoreInUse();
    StoreInUse(const StoreInUse&) = delete;
    StoreInUse& operator=(const StoreInUse&) = delete;

    // Adds an array that the dataset shows.
    void Show(const std::string& array);
    // Adds a group of which the dataset shows all arrays.
    void ShowGroup(const std::string& group);

  private:
    friend bool IsStoreInUse(const StoreAddress& store, const std::string& node);

    // True if the dataset may show an array at or below `node`. The caller holds the mutex.
    bool MayShow(const std::string& node) const;

    const std::string path_;
    const std::string identity_;
    std::vector<std::string> arrays_;
    std::vector<std::string> groups_;
};

// True if a dataset of `store` is open in this process, or of a store in a folder below it. If
// `node` is not empty, only datasets count that may show an array at or below `node`. Thread-safe.
bool IsStoreInUse(const StoreAddress& store, const std::string& node = {});

// Returns Ok unless IsStoreInUse(). The message ends with `refusal`, such as "deleted" in "so it is
// not deleted".
zarr::Status CheckNotInUse(const StoreAddress& store, const std::string& node, const char* refusal);

}  // namespace zarr_driver

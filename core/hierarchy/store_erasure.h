// SPDX-License-Identifier: MIT
// Removing whole stores, and knowing what is one.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/store/store.h"

namespace zarr {

// The first key or prefix that belongs to no Zarr store; empty where there is none. `is_known` is
// asked about names that Zarr does not have, wherever they are. kUnsupported where the store cannot
// list, kLimit where it nests too deeply.
Result<std::string> FindForeign(const Store& store,
                                const std::function<bool(std::string_view name)>& is_known);

// Removes every key. The nodes go as in EraseTree(); the root's `.zgroup` goes last, so that what a
// failure leaves is still a store, and this can be repeated.
Status EraseStore(Store& store);

}  // namespace zarr

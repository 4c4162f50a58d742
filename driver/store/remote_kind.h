// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "core/base/status.h"
#include "driver/store/store_kind.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

// Store kinds for web servers and for object stores.
extern const StoreKind kWebServerKind;
extern const StoreKind kObjectStoreKind;

// Returns the keys of a store that is known to exist: an empty listing is an error.
zarr::Result<std::vector<std::string>> ListStoredObjects(const VsiStore& store);

}  // namespace zarr_driver

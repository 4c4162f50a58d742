// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_string.h>

#include <optional>

#include "core/base/status.h"
#include "core/references/icechunk_repository.h"
#include "core/store/store.h"
#include "driver/store/store_address.h"
#include "driver/store/store_kind.h"

namespace zarr_driver {

// Read-only store kind for Icechunk repositories: addresses of the scheme kIcechunk.
extern const StoreKind kIcechunkKind;

// Returns the address of the local Icechunk repository to which `address` leads: a folder, a zip
// file, or the file "repo" of a repository. Returns nullopt if there is none, and for an address of
// the scheme kIcechunk. Takes up to three stats.
std::optional<StoreAddress> FindIcechunk(const StoreAddress& address);

// True if an Icechunk repository exists at the remote `address`. Takes one or two requests. False
// for addresses that are not remote.
bool IsRemoteIcechunk(const StoreAddress& address);

// Returns the address of a repository with the branch, tag or snapshot that `wanted` names. If
// `address` leads to the file of a repository, the result leads to its folder. Returns
// kInvalidArgument if `wanted` selects more than one state, or another state than `address`
// selects.
zarr::Result<StoreAddress> WithSelection(const StoreAddress& address,
                                         const zarr::IcechunkSelection& wanted);

// Adds the items BRANCHES, TAGS and SNAPSHOT about the repository at `address` to `list`. Names are
// separated by commas. `store` is the open store, from which the snapshot is taken. Adds nothing
// for other addresses.
void DescribeIcechunk(const StoreAddress& address, const zarr::Store& store, CPLStringList& list);

// Frees the snapshot and the manifests that were read last. They were kept in memory for the next
// opening.
void ForgetIcechunk();

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
// Prefetches documents that readers of facts read one after another from a remote store.
#pragma once

#include <string>
#include <vector>

#include "core/hierarchy/hierarchy.h"

namespace zarr {

// True if keys that are requested together save requests: the store is remote and caches absent
// keys.
bool CanPrefetch(const Hierarchy& hierarchy);

// Prefetches the documents of arrays, then those of the coordinate arrays that they name.
void PrefetchArrays(const Hierarchy& hierarchy, const std::vector<std::string>& paths);
// Returns the members of a group like MembersOf(). Prefetches the metadata and the attributes of
// all members.
Result<std::vector<Node>> MembersWithAttributes(const Hierarchy& hierarchy,
                                                const std::string& group);

}  // namespace zarr

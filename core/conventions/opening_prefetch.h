// SPDX-License-Identifier: MIT
// Prefetches what opening a node as a raster, and finding the facts of its arrays, reads from a
// remote store. Requests are sent together instead of one after another; see Store::Prefetch().
//
// Besides this file and facts/prefetch.h, no convention asks where a store lies or which of its
// keys are cached, because facts do not depend on that.
#pragma once

#include <string>
#include <vector>

#include "core/hierarchy/hierarchy.h"

namespace zarr {

// Returns the keys of the Zarr v3 documents to read before Hierarchy::Open(). The documents
// identify the store and describe the root and the node. The first key is the root's `zarr.json`.
std::vector<std::string> FirstKeys(const std::string& node);
// Returns the keys of the documents to read next if the root has no `zarr.json`: documents of older
// Zarr versions.
std::vector<std::string> FirstKeysOfOldStore(const std::string& node);

// Prefetches the documents for opening `node` in few steps: levels of a pyramid, their coordinates
// and grid mappings, labels of an image, listed groups. Each step requests the documents to which
// documents of the previous step refer. Does nothing unless the store is remote and caches absent
// keys.
//
// Unknown names are guessed from the habits of writers. A wrong guess costs a request and has no
// other effect.
void PrefetchOpening(const Hierarchy& hierarchy, const std::string& node);
// Maximum number of keys and listings that PrefetchOpening() requests.
inline constexpr std::size_t kMaxPrefetchedKeys = 512;

}  // namespace zarr

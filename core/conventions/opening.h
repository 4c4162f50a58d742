// SPDX-License-Identifier: MIT
// What opening a node as a raster reads of a store where each request takes a while: asked for
// together, before it is read one after another; see Store::Prefetch().
#pragma once

#include <string>
#include <vector>

#include "core/hierarchy/hierarchy.h"

namespace zarr {

// The documents that tell what the store is, and what it and the node say, of either format: for
// before Hierarchy::Open(). The first one every store is asked for.
std::vector<std::string> FirstKeys(const std::string& node);

// Asks for the rest in as few steps as what is read in one names what is needed next: the levels of
// a pyramid, their coordinates and grid mappings, an image's labels, the groups that are listed.
// What is not known yet is guessed as writers name it; a wrong guess costs a request, and changes
// nothing of what is found. At most kMaxAskedAhead keys and listings. Does nothing where requests
// take no time, or where nothing is kept.
void PrefetchOpening(const Hierarchy& hierarchy, const std::string& node);
inline constexpr std::size_t kMaxAskedAhead = 512;

}  // namespace zarr

// SPDX-License-Identifier: MIT
// The levels format of xcube: a folder `x.levels` that is not a Zarr group, with a group `N.zarr`
// for each level, or a text file `N.link` in place of it, and an optional JSON file `.zlevels`.
#pragma once

#include <optional>
#include <string>

#include "core/conventions/pyramid.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// The levels, as groups, of a folder that is of this format; nullopt for any other. A folder below
// the root must be named `*.levels` or hold `.zlevels`; the root's name is not known here. Links
// are relative to the folder and are followed to places inside the store only.
std::optional<ListedPyramid> ListXcubeLevels(const Hierarchy& hierarchy, const std::string& folder,
                                             Warnings& warnings);

// Where xcube writes that level 0 of the levels at the root of a store is the dataset that they
// were made from: the text of its link, trimmed and with slashes. nullopt where there is none, or
// where it cannot be read.
std::optional<std::string> LinkOfBase(const Store& store);
// The name under which that dataset, where it lies outside the store, is mounted in it; see
// MountStore.
inline constexpr std::string_view kBaseOfLevels = "0.zarr";

// The path from the root that the relative path `link` means in `folder`. kInvalidArgument where it
// is absolute, a URL, or leads outside the root.
Result<std::string> ResolveLink(const std::string& folder, std::string_view link);

}  // namespace zarr

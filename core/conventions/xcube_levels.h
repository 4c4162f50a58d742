// SPDX-License-Identifier: MIT
// Reads the levels format of xcube: a folder `x.levels` that is not a Zarr group. For each level,
// the folder contains a group `N.zarr` or a text file `N.link`. A JSON file `.zlevels` is optional.
#pragma once

#include <optional>
#include <string>

#include "core/conventions/pyramid.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// Returns the levels of a folder in the levels format, as groups; nullopt for any other folder. A
// folder below the root must be named `*.levels` or contain `.zlevels`. The root needs neither,
// because the name of the root is unknown. Links are relative to the folder and must stay inside of
// the store.
std::optional<ListedPyramid> ListXcubeLevels(const Hierarchy& hierarchy, const std::string& folder,
                                             Warnings& warnings);

// Returns the text of the link `0.link` at the root of a store of xcube levels. Blanks at both ends
// of the text are removed, and separators become slashes. xcube writes the link if level 0 is the
// dataset that the levels were made from. Returns nullopt if the link is absent or cannot be read.
std::optional<std::string> ReadBaseLink(const Store& store);
// Name under which the dataset of `0.link` is mounted in the store, if the dataset is outside of
// the store; see MountStore.
inline constexpr std::string_view kMountedBase = "0.zarr";

// Resolves the relative path `link` in `folder` to a path from the root. Returns kInvalidArgument
// if `link` is absolute, a URL, or leads outside the root.
Result<std::string> ResolveLink(const std::string& folder, std::string_view link);

}  // namespace zarr

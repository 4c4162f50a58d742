// SPDX-License-Identifier: MIT
// Reads xcube's format of pyramid levels: a folder `x.levels` that is not a Zarr group, with a
// group `N.zarr` or a text file `N.link` for each level.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/conventions/pyramid/level_checker.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// Returns the pyramid of a folder in xcube's format, whose levels are groups; none for any other
// folder. Below the root, the folder must be named `*.levels` or contain `.zlevels`. Links must
// stay inside of the store. With `holding`, the path of an array, the folder is read only if the
// array is in a direct member.
std::vector<ListedPyramid> ListXcubeLevels(const Hierarchy& hierarchy, const std::string& folder,
                                           const std::string& holding, Warnings& warnings);

// Returns the text of the link `0.link` at the root of a store of xcube levels, trimmed and with
// slashes as separators; nullopt if unreadable. The link leads to the dataset that is level 0.
std::optional<std::string> ReadBaseLink(const Store& store);
// Name under which the dataset of `0.link` is mounted in the store, if the dataset is outside of
// the store; see MountStore.
inline constexpr std::string_view kMountedBase = "0.zarr";

// Resolves the relative path `link` in `folder` to a path from the root. Returns kInvalidArgument
// if `link` is absolute, a URL, or leads outside the root.
Result<std::string> ResolveLink(const std::string& folder, std::string_view link);

}  // namespace zarr

// SPDX-License-Identifier: MIT
// Finding what attributes name: variables of the same group or of a group above it.
#pragma once

#include <string>
#include <vector>

#include "core/conventions/attributes.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// The path of the array that `name` means in `group` (CF conventions, section 2.7.1): an absolute
// path, or a name in the group or the nearest group above that has it. Empty where there is none,
// or where the name would lead outside the store.
std::string FindVariable(const Hierarchy& hierarchy, const std::string& group,
                         const std::string& name);

// Attributes of a node; an empty object, and a warning, where `.zattrs` is broken.
json::Value LenientAttributes(const Hierarchy& hierarchy, const std::string& path,
                              Warnings& warnings);

}  // namespace zarr

// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace zarr::test {

// Returns the path of a file or folder of the project, such as "data/icechunk/". Only this
// function's object file contains the project's folder, so that a compiler cache has the others for
// every clone.
std::string ProjectFile(std::string_view name);

}  // namespace zarr::test

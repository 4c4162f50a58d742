// SPDX-License-Identifier: MIT
// The names under which stores are built before they take their place.
#pragma once

#include <string>

namespace zarr_driver {

// The name beside `path` for what is built to take its place: "x.zarr.0.partial". There are few, so
// that the next writer finds what a killed one has left without listing a folder.
std::string AsideName(const std::string& path, unsigned number);
inline constexpr unsigned kAsideNames = 16;

// For messages: a path at or below an AsideName() as it will be called, also with ": " and more
// behind it; other paths as they are.
std::string NameWhenDone(const std::string& path);

}  // namespace zarr_driver

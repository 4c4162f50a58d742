// SPDX-License-Identifier: MIT
// The names of OME's images.
#pragma once

#include <string>
#include <vector>

#include "core/conventions/catalog.h"

namespace zarr_driver {

// Gives the images in `groups` the names that they have in the OME-XML of the group `root`, where
// that is one of bioformats2raw's. Without it they keep what `multiscales` call them. What the path
// says already is taken away. OME-XML that cannot be read gives a warning.
void NameImages(const zarr::Hierarchy& hierarchy, const std::string& root,
                std::vector<zarr::CatalogGroup>& groups, zarr::Warnings& warnings);

}  // namespace zarr_driver

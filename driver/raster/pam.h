// SPDX-License-Identifier: MIT
// What GDAL writes into the auxiliary file (".aux.xml") beside a store.
#pragma once

#include <cpl_minixml.h>
#include <cpl_string.h>

namespace zarr_driver {

// Takes the metadata that the store itself says, `stored`, out of what a dataset or band would
// write beside it: the copy would outlive the attributes, and hide what they become. `tree` is the
// caller's, and what is returned is, too: nullptr where nothing is left. nullptr stays nullptr.
CPLXMLNode* WithoutStored(CPLXMLNode* tree, const CPLStringList& stored);

}  // namespace zarr_driver

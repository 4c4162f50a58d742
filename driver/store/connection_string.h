// SPDX-License-Identifier: MIT
// The one grammar of the names that GDAL's users open:
//
//   path
//   ZARR:path  or  ZARR:"path"
//   ZARR:"path":/group/array
//   ZARR:"path":/array:3:0      index along each extra dimension, slowest first
//
// A path may be a URL: http://, https://, s3://, gs://, az:// or file://.
//
// A name that ends as if with an index needs a slash behind it: /array:3/ or /array:3/:0.
//
// The quotes may be left out where the path holds no ":/" of its own, a drive letter or the "://"
// of a URL aside. A quote in the path needs none before it; only a path that holds `":/` cannot be
// named with a node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/status.h"

namespace zarr_driver {

struct ConnectionString {
    bool has_prefix = false;             // starts with ZARR:
    std::string path;                    // of the store, as given
    bool has_node = false;               // names a node inside the store
    std::string node;                    // normal form, "" for the root
    std::vector<std::uint64_t> indices;  // of a slice
};

// True where `name` starts with "ZARR:" in any case.
bool HasZarrPrefix(const std::string& name);

// A path as GDAL's virtual file systems spell it: what URLs mean, and any other as it is.
std::string ExpandUrl(const std::string& path);

// Splits a name. Anything without the prefix is a path as a whole.
zarr::Result<ConnectionString> ParseConnectionString(const std::string& name);

// The name of a node: ZARR:"path":/node, with the indices of a slice.
std::string FormatConnectionString(const std::string& path, const std::string& node,
                                   const std::vector<std::uint64_t>& indices = {});

}  // namespace zarr_driver

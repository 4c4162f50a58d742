// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/references/icechunk_repository.h"

namespace zarr_driver {

// Prefix of the paths in GDAL's file system for Icechunk repositories. This driver accepts names
// with the prefix even if GDAL lacks this file system.
inline constexpr const char* kIcechunkPrefix = "/vsiicechunk/";

// Name of an Icechunk repository and of one of its states. The path of a store with this name is
// "/vsiicechunk/{path}" or "/vsiicechunk/{path?branch=name}"; "tag" or "snapshot" may replace
// "branch". "ignore-timestamp-etag=yes" turns off the check that files of virtual chunks are
// unchanged.
struct IcechunkName {
    std::string path;  // as a user writes it: a folder, zip file or URL
    zarr::IcechunkSelection selection;
    bool checks_targets = true;
};

// Parses "path", "path?branch=name" and "path?tag=name&ignore-timestamp-etag=yes". Characters of a
// value may be written as "%XX". A question mark that is not followed by a known item belongs to
// the path.
IcechunkName ParseIcechunkQuery(const std::string& text);

// Parses the path of a store. Returns nullopt if `path` does not begin with kIcechunkPrefix.
std::optional<IcechunkName> ParseIcechunkName(const std::string& path);

// Returns the query of a name, such as "?branch=name"; empty for the branch "main".
std::string IcechunkQuery(const IcechunkName& name);

// Returns the path of a store: "/vsiicechunk/{path?query}".
std::string FormatIcechunkName(const IcechunkName& name);

}  // namespace zarr_driver

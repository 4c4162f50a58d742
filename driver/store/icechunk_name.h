// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/references/icechunk_repository.h"

namespace zarr_driver {

// Prefix of paths in GDAL's file system for Icechunk, which this driver accepts even if GDAL lacks
// that file system.
inline constexpr const char* kIcechunkPrefix = "/vsiicechunk/";

// Name of an Icechunk repository and of one of its states. As a path: "/vsiicechunk/{path}" or
// "/vsiicechunk/{path?branch=name}", with "tag" or "snapshot" instead of "branch".
//
// "ignore-timestamp-etag=yes" turns off the check that files with virtual chunks are unchanged.
struct IcechunkName {
    std::string path;  // folder, zip file or URL of the repository, as users write it
    zarr::IcechunkSelection selection;
    bool checks_targets = true;
};

// Parses "path", "path?branch=name" and "path?tag=name&ignore-timestamp-etag=yes", where values may
// contain "%XX". If no known item follows the question mark, it belongs to the path.
IcechunkName ParseIcechunkQuery(const std::string& text);

// Parses the path of an Icechunk store; nullopt if `path` does not begin with kIcechunkPrefix.
std::optional<IcechunkName> ParseIcechunkName(const std::string& path);

// Returns the query part of a name, such as "?branch=name"; empty for the branch "main".
std::string IcechunkQuery(const IcechunkName& name);

// Returns the path of an Icechunk store: "/vsiicechunk/{path?query}".
std::string FormatIcechunkName(const IcechunkName& name);

}  // namespace zarr_driver

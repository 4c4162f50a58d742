// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

namespace zarr_driver {

// True for paths of web servers and object stores, to which every request takes a while.
bool IsRemote(const std::string& path);

// True for paths of object stores, /vsis3/ and the like: they list what they have, and may be
// written to.
bool IsObjectStore(const std::string& path);

// The URL that a GET reads the file `key` of a remote folder from, `key` being empty for the folder
// itself: of a web server percent-encoded, with what the folder has after a "?" at the end; of an
// object store signed with the credentials that GDAL finds, for an hour. nullopt where GDAL's
// options ask for more than a URL can say, and for paths that are not remote.
std::optional<std::string> RemoteUrl(const std::string& folder, const std::string& key);

// GDAL's options, as they are set for a path now, that decide what server, account and rights
// answer for it: two texts that differ may mean two contents of one path. It holds passwords: not
// to be shown. Empty where none is set.
std::string RemoteOptions(const std::string& path);

}  // namespace zarr_driver

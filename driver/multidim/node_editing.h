// SPDX-License-Identifier: MIT
// Changes of nodes and dimensions, in the store and in the objects of a session that show them.
// They need exclusive use of these objects. Errors name the node; kPermission if the session is for
// reading.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/base/status.h"

namespace zarr_driver {

class SharedResource;
class ZarrDimension;

zarr::Status DeleteNode(SharedResource& session, const std::string& path);
// Gives a node another name in its group.
zarr::Status RenameNode(SharedResource& session, const std::string& node,
                        const std::string& new_name);

// Renames a dimension in all arrays that have it, and renames its coordinate array.
zarr::Status RenameDimension(SharedResource& session, ZarrDimension& dimension,
                             const std::string& new_name);
// Gives dimensions new sizes, and resizes all arrays that have them.
zarr::Status ResizeDimensions(SharedResource& session,
                              const std::map<ZarrDimension*, std::uint64_t>& sizes);

// Stores the axis of each created dimension in its coordinate array, in CF's words, unless that
// array states it. Emits failures as warnings.
void StoreAxes(SharedResource& session);

}  // namespace zarr_driver

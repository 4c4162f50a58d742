// SPDX-License-Identifier: MIT
// Changes nodes and dimensions, in the store and in the objects of a session that represent them,
// which the caller must use exclusively. Errors name the node; kPermission means a read-only
// session.
#pragma once

#include <gdal_priv.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/status.h"

namespace zarr_driver {

class MdimSession;
class ZarrDimension;

zarr::Status DeleteNode(MdimSession& session, const std::string& path);
// Gives a node another name within its parent group.
zarr::Status RenameNode(MdimSession& session, const std::string& node, const std::string& new_name);

// Renames a dimension in all arrays that have it, and renames its coordinate array.
zarr::Status RenameDimension(MdimSession& session, ZarrDimension& dimension,
                             const std::string& new_name);
// Gives dimensions new sizes, and resizes all arrays that have these dimensions.
zarr::Status ResizeDimensions(MdimSession& session,
                              const std::map<ZarrDimension*, std::uint64_t>& sizes);

// Gives the array at `path` another shape, and resizes all arrays that share one of the changed
// dimensions. `dimensions` are those of the array, each a ZarrDimension.
zarr::Status SetShape(MdimSession& session, const std::string& path,
                      const std::vector<std::shared_ptr<GDALDimension>>& dimensions,
                      const std::vector<GUInt64>& shape);

// Stores the axis (such as X or T) of each dimension that a caller created, as CF attributes of its
// coordinate array, unless the array states one. Failures give warnings.
void StoreAxes(MdimSession& session);

}  // namespace zarr_driver

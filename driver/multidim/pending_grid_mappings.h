// SPDX-License-Identifier: MIT
#pragma once

#include <ogr_spatialref.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/status.h"

namespace zarr_driver {

class SharedResource;

// Finds the grid mappings of copied arrays. A copy may set the CRS of an array before it creates
// the source's grid mapping, a scalar array. The driver writes a grid mapping at first, which the
// scalar array then replaces. Thread-safe.
class PendingGridMappings {
  public:
    void Add(const std::string& path, const OGRSpatialReference& srs);
    // Records a scalar array that a caller has created.
    void AddScalar(const std::string& path);

    // Replaces the grid mapping of each array from Add() by a scalar array from AddScalar(), if one
    // describes the CRS. Removes absent arrays from the attribute "coordinates", because xarray
    // ignores the whole attribute if one of them is absent. Clears the records.
    zarr::Status Finish(SharedResource& session);
    void Forget();

  private:
    static zarr::Status DropAbsentCoordinates(SharedResource& session, const std::string& path);

    std::mutex mutex_;
    std::map<std::string, OGRSpatialReference> arrays_;  // by path
    std::vector<std::string> scalars_;                   // paths of scalar arrays
};

}  // namespace zarr_driver

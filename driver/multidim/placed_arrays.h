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

// Arrays of a dataset that were given a CRS with a grid mapping, and grid mappings that a caller
// has made itself, maybe later, as a copy does. Thread-safe.
class PlacedArrays {
  public:
    void Add(const std::string& path, const OGRSpatialReference& srs);
    // Notes an array without dimensions that a caller has made.
    void AddScalar(const std::string& path);

    // Lets the arrays name the caller's grid mappings, where these state the CRS, in place of those
    // that the driver has written for them; and no coordinates that are not there, as xarray takes
    // all of them or none, the grid mapping among them. Forgets the arrays.
    zarr::Status Finish(SharedResource& session);
    void Forget();

  private:
    static zarr::Status DropAbsentCoordinates(SharedResource& session, const std::string& path);

    std::mutex mutex_;
    std::map<std::string, OGRSpatialReference> arrays_;  // by path
    std::vector<std::string> scalars_;                   // paths
};

}  // namespace zarr_driver

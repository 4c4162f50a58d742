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

// Records arrays whose CRS was set with a grid mapping, and scalar arrays that may be grid
// mappings. Both are needed because a copy may set the CRS before it creates the grid mapping of
// its source. Thread-safe.
class PendingGridMappings {
  public:
    void Add(const std::string& path, const OGRSpatialReference& srs);
    // Records a scalar array that a caller has created.
    void AddScalar(const std::string& path);

    // Replaces grid mappings that the driver wrote by grid mappings of the caller, if these
    // describe the CRS. Removes absent arrays from the attribute "coordinates": xarray reads none
    // of the arrays in that attribute if one of them is absent. Clears the records.
    zarr::Status Finish(SharedResource& session);
    void Forget();

  private:
    static zarr::Status DropAbsentCoordinates(SharedResource& session, const std::string& path);

    std::mutex mutex_;
    std::map<std::string, OGRSpatialReference> arrays_;  // by path
    std::vector<std::string> scalars_;                   // paths of scalar arrays
};

}  // namespace zarr_driver

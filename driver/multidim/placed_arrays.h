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

// Arrays that got a CRS with a grid mapping, and scalar arrays that may be grid mappings. A copy
// may create the source's grid mapping after it sets the CRS. Thread-safe.
class PlacedArrays {
  public:
    void Add(const std::string& path, const OGRSpatialReference& srs);
    // Records an array without dimensions that a caller has created.
    void AddScalar(const std::string& path);

    // Replaces the grid mappings that the driver wrote by the caller's, if these describe the CRS.
    // Removes absent arrays from the attribute "coordinates": xarray reads all arrays named there
    // or none, the grid mapping included. Clears the records.
    zarr::Status Finish(SharedResource& session);
    void Forget();

  private:
    static zarr::Status DropAbsentCoordinates(SharedResource& session, const std::string& path);

    std::mutex mutex_;
    std::map<std::string, OGRSpatialReference> arrays_;  // by path
    std::vector<std::string> scalars_;                   // paths of scalar arrays
};

}  // namespace zarr_driver

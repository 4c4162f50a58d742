// SPDX-License-Identifier: MIT
#pragma once

#include <ogr_spatialref.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/status.h"

namespace zarr_driver {

class MdimSession;

// Replaces grid mappings that the driver wrote by the source's own grid mappings. During a copy, an
// array may get its CRS before its grid mapping, a scalar array, is copied. Thread-safe.
class PendingGridMappings {
  public:
    void Add(const std::string& path, const OGRSpatialReference& srs);
    // Records a scalar array that a program has created, which may be a grid mapping.
    void AddScalar(const std::string& path);

    // Lets arrays from Add() refer to a scalar array from AddScalar() that describes their CRS.
    // Removes absent arrays from the attribute "coordinates", because xarray ignores the whole
    // attribute if one of them is absent. Clears the records.
    zarr::Status Finish(MdimSession& session);
    void Forget();

  private:
    static zarr::Status DropAbsentCoordinates(MdimSession& session, const std::string& path);

    std::mutex mutex_;
    std::map<std::string, OGRSpatialReference> arrays_;  // by path
    std::vector<std::string> scalars_;                   // paths of new scalar arrays
};

}  // namespace zarr_driver

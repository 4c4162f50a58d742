// SPDX-License-Identifier: MIT
// The file "pam.aux.xml" of GDAL's multidimensional API in the folder of a group.
#pragma once

#include <cpl_string.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/store/store.h"

namespace zarr_driver {

// CRS of an array, for the file "pam.aux.xml" of GDAL's multidimensional API. GDAL's built-in
// driver reads the CRS from this file if it cannot read the CRS of the store.
struct MultidimCrs {
    std::string path;     // path of the array in the store
    std::string wkt;      // empty if the array has no CRS
    std::string mapping;  // GDAL's mapping of CRS axes to the array's dimensions: "2,1"
};
// Writes the CRSs of arrays into the file "pam.aux.xml" in the store. Also removes the statistics
// of all arrays from that file: the file gets a new modification time, which would make outdated
// statistics seem current.
zarr::Status StoreMultidimCrs(zarr::Store& store, const std::vector<MultidimCrs>& arrays);

// Facts about an array in the file "pam.aux.xml", which GDAL's multidimensional API writes.
struct MultidimPam {
    std::string crs;           // WKT; empty without a CRS, or if StoreMultidimCrs() wrote it
    CPLStringList statistics;  // band items such as STATISTICS_MINIMUM; may be empty
};
// Loads the facts about the array at `path` from the file "pam.aux.xml". Returns an empty result
// for remote stores. Statistics are left out if `has_changed_since` returns true for the time of
// the file, in nanoseconds since 1970.
MultidimPam ReadMultidimPam(const std::string& store_path, const std::string& path,
                            const std::function<bool(std::int64_t)>& has_changed_since);

// Returns the full names of arrays whose statistics are in the file at `path`.
std::vector<std::string> ArraysWithStatistics(const std::string& path);

}  // namespace zarr_driver

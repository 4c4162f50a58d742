// SPDX-License-Identifier: MIT
#include "driver/georef/grid_mappings.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>
#include <cmath>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/catalog/catalog.h"
#include "core/conventions/crs/geotransform.h"
#include "core/conventions/crs/grid_mapping.h"
#include "core/store/keys.h"
#include "driver/base/gdal_errors.h"
#include "driver/georef/georeferencing.h"
#include "driver/georef/georeferencing_write.h"

namespace zarr_driver {

using zarr::Result;

bool IsSameCrs(const OGRSpatialReference& a, const OGRSpatialReference& b) {
    const std::string code = CodeOf(a, ":");
    const std::string other = CodeOf(b, ":");
    if (!code.empty() && !other.empty()) return code == other;
    const char* const options[] = {"IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES",
                                   "IGNORE_COORDINATE_EPOCH=YES",
                                   "CRITERION=EQUIVALENT_EXCEPT_AXIS_ORDER_GEOGCRS", nullptr};
    const QuietErrors quiet;
    return a.IsSame(&b, options) != FALSE;
}

namespace {

// Returns the grid mapping at `path` if its CRS is `srs`, else nullopt.
Result<std::optional<GridMapping>> GridMappingAt(const zarr::Hierarchy& hierarchy,
                                                 const std::string& path,
                                                 const OGRSpatialReference& srs) {
    using Found = std::optional<GridMapping>;
    ZARR_ASSIGN_OR_RETURN(const bool is_array, hierarchy.HoldsArray(path));
    if (!is_array) return Found();
    const auto metadata = hierarchy.Metadata(path);
    if (!metadata.ok() || metadata->rank() != 0) return Found();
    const auto attributes = hierarchy.Attributes(path);
    if (!attributes.ok()) return Found();
    const auto stated = CrsOfGridMapping(*attributes);
    if (!stated.ok() || !IsSameCrs(*stated, srs)) return Found();
    return Found(GridMapping{std::string(zarr::LastName(path)), *attributes, CodeOf(*stated, ":")});
}

}  // namespace

Result<std::optional<GridMapping>> FindGridMapping(const zarr::Hierarchy& hierarchy,
                                                   const std::string& group,
                                                   const std::vector<std::string>& names,
                                                   const OGRSpatialReference& srs,
                                                   bool only_names) {
    for (const std::string& name : names) {
        ZARR_ASSIGN_OR_RETURN(auto found,
                              GridMappingAt(hierarchy, zarr::JoinKey(group, name), srs));
        if (found) return found;
    }
    std::optional<GridMapping> none;
    if (only_names) return none;
    const auto members = zarr::ListGroup(hierarchy, group);
    if (!members.ok()) return none;
    for (const zarr::CatalogArray& array : members->arrays) {
        if (!array.status.ok() || array.metadata.rank() != 0) continue;
        ZARR_ASSIGN_OR_RETURN(auto found, GridMappingAt(hierarchy, array.path, srs));
        if (found) return found;
    }
    return none;
}

bool StatesTransform(const zarr::json::Value& attributes, const zarr::GeoTransform& transform) {
    const std::string* const text = zarr::StringAttribute(attributes, "GeoTransform");
    if (text == nullptr) return false;
    const CPLStringList words(CSLTokenizeString2(text->c_str(), " ,", 0));
    if (words.size() != static_cast<int>(transform.size())) return false;
    const double pixel =
        std::max(std::hypot(transform[1], transform[4]), std::hypot(transform[2], transform[5]));
    for (int i = 0; i < words.size(); ++i) {
        const double difference =
            std::fabs(CPLAtof(words[i]) - transform[static_cast<std::size_t>(i)]);
        if (!(difference <= 1e-9 * pixel)) return false;
    }
    return true;
}

}  // namespace zarr_driver

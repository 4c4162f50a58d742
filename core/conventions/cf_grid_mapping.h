// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/cf_earth.h"

namespace zarr {

// A grid mapping of CF conventions, appendix F. What its projection needs is there; what it does
// not use is 0. Angles are degrees.
struct CfGridMapping {
    std::string name;  // grid_mapping_name, spelt as in appendix F
    CfEarth earth;
    std::string projected_crs_name;
    std::vector<double> standard_parallels;  // up to two
    double origin_latitude = 0;              // latitude_of_projection_origin
    // longitude_of_projection_origin, longitude_of_central_meridian or
    // straight_vertical_longitude_from_pole
    double origin_longitude = 0;
    // scale_factor_at_projection_origin or scale_factor_at_central_meridian; absent where standard
    // parallels say it
    std::optional<double> scale_factor;
    double azimuth = 0;                   // azimuth_of_central_line
    double perspective_point_height = 0;  // metres
    char sweep_angle_axis = 'y';          // 'x' or 'y'
    double grid_north_pole_latitude = 0;
    double grid_north_pole_longitude = 0;
    double north_pole_grid_longitude = 0;
    double false_easting = 0;  // in the unit of the coordinate arrays
    double false_northing = 0;
};

// Reads the attributes of a grid mapping variable that state a projection by its parameters;
// `crs_wkt` and `spatial_ref` are not looked at. Every number may be an array of one or a string,
// and either of two synonymous attributes counts. kUnsupported where grid_mapping_name is none of
// appendix F, kCorrupt where it or a compulsory parameter is missing or out of its domain. What can
// be done without (a scale factor, which is 1 then) gives a warning.
Result<CfGridMapping> ParseCfGridMapping(const json::Value& attributes, Warnings& warnings);

}  // namespace zarr

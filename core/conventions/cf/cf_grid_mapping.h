// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/attributes/attributes.h"

namespace zarr {

// An ellipsoid. The inverse flattening of a sphere is stored as 0.
struct Ellipsoid {
    double semi_major_axis = 0;  // metres
    double inverse_flattening = 0;
};

// Ellipsoid, prime meridian and datum of a grid mapping (CF conventions, appendix F).
struct CfEarth {
    std::optional<Ellipsoid> ellipsoid;  // nullopt if not stated
    std::string ellipsoid_name;          // EPSG's name if known, else as stated
    double prime_meridian = 0;           // degrees east of Greenwich
    std::string prime_meridian_name;     // empty if the meridian has no name
    std::string datum_name;              // attribute horizontal_datum_name
    std::string geographic_crs_name;
    // Attribute towgs84: empty, or seven numbers in metres, arc-seconds, ppm.
    std::vector<double> to_wgs84;
    bool prime_meridian_is_given = false;  // false if Greenwich is only the default
};

// Reads the attributes of ellipsoid, prime meridian and datum of a grid mapping. The ellipsoid
// comes from the first of:
// 1. semi_major_axis with inverse_flattening or semi_minor_axis;
// 2. semi_minor_axis with inverse_flattening;
// 3. semi_major_axis alone, as a sphere;
// 4. earth_radius, else radius_of_sphere, alone, as a sphere;
// 5. reference_ellipsoid_name.
//
// If the axes from 1 to 4 are the rounded axes of the ellipsoid that reference_ellipsoid_name
// names, its exact axes replace them. Attributes that are not numbers, contradict each other or are
// out of range give a warning and are ignored. Some stores have radii in kilometres; such radii
// give a warning and are converted to metres.
CfEarth ParseCfEarth(const json::Value& attributes, Warnings& warnings);

// True if both semi-axes of `a` differ by less than `metres` from the semi-axes of `b`. For
// comparison, WGS 84 and GRS 1980 differ by 0.1 mm.
bool SameEllipsoid(const Ellipsoid& a, const Ellipsoid& b, double metres);

// Maximum difference in metres between a semi-axis and the same semi-axis rounded to float32.
inline constexpr double kRoundedAxes = 1;

// True if `name` contains "crs", "spatial_ref" or "grid_mapping", ignoring case and punctuation.
bool IsNameOfGridMapping(const std::string& name);

// A grid mapping (CF conventions, appendix F). Parameters that the projection does not use are 0.
// Angles are in degrees.
struct CfGridMapping {
    std::string name;  // grid_mapping_name, spelt as in appendix F
    CfEarth earth;
    std::string projected_crs_name;
    std::vector<double> standard_parallels;  // zero to two latitudes
    double origin_latitude = 0;              // latitude_of_projection_origin
    // Attribute longitude_of_projection_origin, longitude_of_central_meridian or
    // straight_vertical_longitude_from_pole.
    double origin_longitude = 0;
    // Attribute scale_factor_at_projection_origin or scale_factor_at_central_meridian. nullopt if
    // standard parallels define the scale.
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

// Reads the projection parameters of a grid mapping variable (CF conventions, appendix F).
// `crs_wkt` and `spatial_ref` are ignored. A number may also be stored as an array of one number or
// as a string. Synonymous attributes are accepted.
//
// Returns kUnsupported if grid_mapping_name is not in appendix F. Returns kCorrupt if
// grid_mapping_name or a required parameter is missing or out of range. A missing parameter with a
// default, such as a scale factor of 1, gives a warning.
Result<CfGridMapping> ParseCfGridMapping(const json::Value& attributes, Warnings& warnings);

}  // namespace zarr

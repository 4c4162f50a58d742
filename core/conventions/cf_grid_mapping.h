// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/attributes.h"

namespace zarr {

// An ellipsoid; a sphere has the inverse flattening 0.
struct Ellipsoid {
    double semi_major_axis = 0;  // metres
    double inverse_flattening = 0;
};

// What CF conventions, appendix F, call the attributes of ellipsoid, prime meridian and datum.
struct CfEarth {
    std::optional<Ellipsoid> ellipsoid;  // absent where nothing says it
    std::string ellipsoid_name;          // EPSG's where it is known, else as the text has it
    double prime_meridian = 0;           // degrees east of Greenwich
    std::string prime_meridian_name;     // empty for one without a name
    std::string datum_name;              // horizontal_datum_name
    std::string geographic_crs_name;
    std::vector<double> to_wgs84;          // towgs84: none, or seven; metres, arc-seconds, ppm
    bool prime_meridian_is_given = false;  // else it is Greenwich by default
};

// Reads these attributes. The ellipsoid is that of semi_major_axis with inverse_flattening, else
// with semi_minor_axis; semi_minor_axis with inverse_flattening; a sphere for semi_major_axis or
// earth_radius alone; the ellipsoid named by reference_ellipsoid_name, whose exact axes also
// replace ones that are rounded. Attributes that are no numbers, contradict each other or are no
// Earth's give a warning and are passed over; radii in kilometres, which are found in the wild,
// give a warning and count as such.
CfEarth ParseCfEarth(const json::Value& attributes, Warnings& warnings);

// True where the axes differ by less than `metres`. WGS 84 and GRS 1980 are 0.1 mm apart.
bool SameEllipsoid(const Ellipsoid& a, const Ellipsoid& b, double metres);

// Axes that differ by less, in metres, are the same ones stored as float32.
inline constexpr double kRoundedAxes = 1;

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
// and either of two synonymous attributes counts. kUnsupported where grid_mapping_name is not one
// of appendix F, kCorrupt where it or a compulsory parameter is missing or out of its domain. What
// can be done without (a scale factor, which is 1 then) gives a warning.
Result<CfGridMapping> ParseCfGridMapping(const json::Value& attributes, Warnings& warnings);

}  // namespace zarr

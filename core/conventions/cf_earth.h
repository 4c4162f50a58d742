// SPDX-License-Identifier: MIT
// The figure of the Earth that a CF grid mapping states: ellipsoid, prime meridian, datum.
#pragma once

#include <optional>
#include <string>
#include <vector>

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

}  // namespace zarr

// SPDX-License-Identifier: MIT
#include "driver/cf_projections.h"

#include <cpl_conv.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "core/conventions/cf_units.h"

namespace zarr_driver {

using zarr::CfGridMapping;
using zarr::Status;

namespace {

Status Check(OGRErr error, const CfGridMapping& m) {
    if (error == OGRERR_NONE) return {};
    return Status::Corrupt("GDAL refuses the parameters of " + m.name);
}

double First(const CfGridMapping& m) { return m.standard_parallels.front(); }

// The second standard parallel, the same as the first where there is one.
double Second(const CfGridMapping& m) { return m.standard_parallels.back(); }

Status Albers(const CfGridMapping& m, OGRSpatialReference& srs) {
    return Check(srs.SetACEA(First(m), Second(m), m.origin_latitude, m.origin_longitude,
                             m.false_easting, m.false_northing),
                 m);
}

Status AzimuthalEquidistant(const CfGridMapping& m, OGRSpatialReference& srs) {
    return Check(
        srs.SetAE(m.origin_latitude, m.origin_longitude, m.false_easting, m.false_northing), m);
}

// OGRSpatialReference can only be asked for sweep axis y; the WKT of both differs in a word.
Status SweepX(const CfGridMapping& m, OGRSpatialReference& srs) {
    constexpr std::string_view kSweepY = "METHOD[\"Geostationary Satellite (Sweep Y)\"";
    constexpr std::string_view kSweepX = "METHOD[\"Geostationary Satellite (Sweep X)\"";
    const char* const options[] = {"FORMAT=WKT2_2019", nullptr};
    char* text = nullptr;
    ZARR_RETURN_IF_ERROR(Check(srs.exportToWkt(&text, options), m));
    std::string wkt(text);
    CPLFree(text);
    const std::size_t at = wkt.find(kSweepY);
    if (at == std::string::npos) return Check(OGRERR_UNSUPPORTED_SRS, m);
    wkt.replace(at, kSweepY.size(), kSweepX);
    return Check(srs.importFromWkt(wkt.c_str()), m);
}

Status Geostationary(const CfGridMapping& m, OGRSpatialReference& srs) {
    ZARR_RETURN_IF_ERROR(Check(srs.SetGEOS(m.origin_longitude, m.perspective_point_height,
                                           m.false_easting, m.false_northing),
                               m));
    return m.sweep_angle_axis == 'x' ? SweepX(m, srs) : Status();
}

Status LambertAzimuthal(const CfGridMapping& m, OGRSpatialReference& srs) {
    return Check(
        srs.SetLAEA(m.origin_latitude, m.origin_longitude, m.false_easting, m.false_northing), m);
}

// CF's one standard parallel is where the cone touches; the origin may lie elsewhere.
Status LambertConformal(const CfGridMapping& m, OGRSpatialReference& srs) {
    const bool one = First(m) == Second(m);
    if (one && std::fabs(First(m) - m.origin_latitude) < 1e-9)
        return Check(srs.SetLCC1SP(m.origin_latitude, m.origin_longitude,
                                   m.scale_factor.value_or(1), m.false_easting, m.false_northing),
                     m);
    return Check(srs.SetLCC(First(m), Second(m), m.origin_latitude, m.origin_longitude,
                            m.false_easting, m.false_northing),
                 m);
}

// The latitude whose parallel has the scale k: k = cos(lat) / sqrt(1 - e^2 sin^2(lat)), which is
// Snyder's (10-13).
Status ParallelOfScale(const CfGridMapping& m, const OGRSpatialReference& srs, double& latitude) {
    const double k = *m.scale_factor;
    if (k > 1)
        return Status::Corrupt("scale_factor_at_projection_origin " + std::to_string(k) +
                               " is more than 1, which no parallel has");
    const double e2 = srs.GetSquaredEccentricity();
    latitude = std::asin(std::sqrt((1 - k * k) / (1 - k * k * e2))) / zarr::kRadiansPerDegree;
    return {};
}

Status CylindricalEqualArea(const CfGridMapping& m, OGRSpatialReference& srs) {
    double latitude = 0;
    if (m.standard_parallels.empty())
        ZARR_RETURN_IF_ERROR(ParallelOfScale(m, srs, latitude));
    else
        latitude = First(m);
    return Check(srs.SetCEA(latitude, m.origin_longitude, m.false_easting, m.false_northing), m);
}

Status Mercator(const CfGridMapping& m, OGRSpatialReference& srs) {
    if (!m.standard_parallels.empty())
        return Check(
            srs.SetMercator2SP(First(m), 0, m.origin_longitude, m.false_easting, m.false_northing),
            m);
    return Check(
        srs.SetMercator(0, m.origin_longitude, *m.scale_factor, m.false_easting, m.false_northing),
        m);
}

// Appendix F has no angle from the rectified to the skew grid and refers to PROJ, where it is the
// azimuth: y points north at the centre. The false origin is the centre's, as its latitude and
// longitude are those of "the origin of rectangular coordinates".
Status ObliqueMercator(const CfGridMapping& m, OGRSpatialReference& srs) {
    return Check(srs.SetHOMAC(m.origin_latitude, m.origin_longitude, m.azimuth, m.azimuth,
                              *m.scale_factor, m.false_easting, m.false_northing),
                 m);
}

Status Orthographic(const CfGridMapping& m, OGRSpatialReference& srs) {
    return Check(srs.SetOrthographic(m.origin_latitude, m.origin_longitude, m.false_easting,
                                     m.false_northing),
                 m);
}

// SetPS takes a latitude other than a pole's for that of true scale.
Status PolarStereographic(const CfGridMapping& m, OGRSpatialReference& srs) {
    double latitude = m.origin_latitude;
    double scale = m.scale_factor.value_or(1);
    if (!m.standard_parallels.empty() && std::fabs(First(m)) != 90) {
        latitude = std::copysign(First(m), m.origin_latitude);
        scale = 1;
    }
    if (latitude == 0) return Check(OGRERR_CORRUPT_DATA, m);
    return Check(srs.SetPS(latitude, m.origin_longitude, scale, m.false_easting, m.false_northing),
                 m);
}

Status Sinusoidal(const CfGridMapping& m, OGRSpatialReference& srs) {
    return Check(srs.SetSinusoidal(m.origin_longitude, m.false_easting, m.false_northing), m);
}

Status Stereographic(const CfGridMapping& m, OGRSpatialReference& srs) {
    if (std::fabs(m.origin_latitude) == 90)
        return Check(srs.SetPS(m.origin_latitude, m.origin_longitude, *m.scale_factor,
                               m.false_easting, m.false_northing),
                     m);
    return Check(srs.SetStereographic(m.origin_latitude, m.origin_longitude, *m.scale_factor,
                                      m.false_easting, m.false_northing),
                 m);
}

Status TransverseMercator(const CfGridMapping& m, OGRSpatialReference& srs) {
    return Check(srs.SetTM(m.origin_latitude, m.origin_longitude, *m.scale_factor, m.false_easting,
                           m.false_northing),
                 m);
}

Status VerticalPerspective(const CfGridMapping& m, OGRSpatialReference& srs) {
    return Check(
        srs.SetVerticalPerspective(m.origin_latitude, m.origin_longitude, 0,
                                   m.perspective_point_height, m.false_easting, m.false_northing),
        m);
}

struct Builder {
    std::string_view name;
    Status (*set)(const CfGridMapping& mapping, OGRSpatialReference& srs);
};

constexpr Builder kBuilders[] = {
    {"albers_conical_equal_area", Albers},
    {"azimuthal_equidistant", AzimuthalEquidistant},
    {"geostationary", Geostationary},
    {"lambert_azimuthal_equal_area", LambertAzimuthal},
    {"lambert_conformal_conic", LambertConformal},
    {"lambert_cylindrical_equal_area", CylindricalEqualArea},
    {"mercator", Mercator},
    {"oblique_mercator", ObliqueMercator},
    {"orthographic", Orthographic},
    {"polar_stereographic", PolarStereographic},
    {"sinusoidal", Sinusoidal},
    {"stereographic", Stereographic},
    {"transverse_mercator", TransverseMercator},
    {"vertical_perspective", VerticalPerspective},
};

}  // namespace

Status SetProjection(const CfGridMapping& mapping, OGRSpatialReference& srs) {
    const auto* const found =
        std::find_if(std::begin(kBuilders), std::end(kBuilders),
                     [&](const Builder& builder) { return builder.name == mapping.name; });
    if (found == std::end(kBuilders))
        return Status::Unsupported("grid_mapping_name " + mapping.name + " is no projection");
    return found->set(mapping, srs);
}

}  // namespace zarr_driver

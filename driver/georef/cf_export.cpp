// SPDX-License-Identifier: MIT
#include "driver/georef/cf_export.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/cf/cf_grid_mapping.h"
#include "driver/base/gdal_errors.h"
#include "driver/georef/cf_srs.h"

namespace zarr_driver {

namespace json = zarr::json;

namespace {

// Reads the parameters of a projected CRS, and collects them under the names that CF gives them.
class Exporter {
  public:
    explicit Exporter(const OGRSpatialReference& srs) : srs_(srs) {}

    json::Object Take() { return std::move(attributes_); }

    Exporter& Name(const char* name) { return Set("grid_mapping_name", json::Value(name)); }
    Exporter& Set(const char* name, json::Value value) {
        attributes_.emplace_back(name, std::move(value));
        return *this;
    }
    Exporter& Number(const char* name, const char* parameter, double fallback = 0) {
        return Set(name, json::Value(Parameter(parameter, fallback)));
    }
    // Sets `standard_parallel` from the GDAL parameters `first` and `second`: one number if both
    // are equal, else two.
    Exporter& Parallels(const char* first, const char* second) {
        const double a = Parameter(first);
        const double b = Parameter(second, a);
        return Set(
            "standard_parallel",
            a == b ? json::Value(a) : json::Value(json::Array{json::Value(a), json::Value(b)}));
    }
    Exporter& FalseOrigin() {
        // In CF false easting and northing are in the unit of the coordinates. That unit is the
        // linear unit of the CRS, as in GDAL.
        return Set("false_easting", json::Value(srs_.GetProjParm(SRS_PP_FALSE_EASTING, 0)))
            .Set("false_northing", json::Value(srs_.GetProjParm(SRS_PP_FALSE_NORTHING, 0)));
    }

    // Returns a parameter of the projection; angles are in degrees.
    double Parameter(const char* parameter, double fallback = 0) const {
        return srs_.GetNormProjParm(parameter, fallback);
    }

    bool HasSweepX() const {
        char* text = nullptr;
        const bool is_x = srs_.exportToProj4(&text) == OGRERR_NONE && text != nullptr &&
                          std::strstr(text, "+sweep=x") != nullptr;
        CPLFree(text);
        return is_x;
    }

  private:
    const OGRSpatialReference& srs_;
    json::Object attributes_;
};

void Mercator1Sp(Exporter& to) {
    to.Name("mercator")
        .Number("longitude_of_projection_origin", SRS_PP_CENTRAL_MERIDIAN)
        .Number("scale_factor_at_projection_origin", SRS_PP_SCALE_FACTOR, 1);
}

void Mercator2Sp(Exporter& to) {
    to.Name("mercator")
        .Number("longitude_of_projection_origin", SRS_PP_CENTRAL_MERIDIAN)
        .Number("standard_parallel", SRS_PP_STANDARD_PARALLEL_1);
}

void TransverseMercator(Exporter& to) {
    to.Name("transverse_mercator")
        .Number("longitude_of_central_meridian", SRS_PP_CENTRAL_MERIDIAN)
        .Number("latitude_of_projection_origin", SRS_PP_LATITUDE_OF_ORIGIN)
        .Number("scale_factor_at_central_meridian", SRS_PP_SCALE_FACTOR, 1);
}

void Albers(Exporter& to) {
    to.Name("albers_conical_equal_area")
        .Parallels(SRS_PP_STANDARD_PARALLEL_1, SRS_PP_STANDARD_PARALLEL_2)
        .Number("longitude_of_central_meridian", SRS_PP_LONGITUDE_OF_CENTER)
        .Number("latitude_of_projection_origin", SRS_PP_LATITUDE_OF_CENTER);
}

void Conformal2Sp(Exporter& to) {
    to.Name("lambert_conformal_conic")
        .Parallels(SRS_PP_STANDARD_PARALLEL_1, SRS_PP_STANDARD_PARALLEL_2)
        .Number("longitude_of_central_meridian", SRS_PP_CENTRAL_MERIDIAN)
        .Number("latitude_of_projection_origin", SRS_PP_LATITUDE_OF_ORIGIN);
}

// Exports a Lambert conformal conic projection with one standard parallel, which is GDAL's latitude
// of origin. Exports nothing unless the scale factor is 1: CF has no scale factor for this
// projection.
void Conformal1Sp(Exporter& to) {
    if (to.Parameter(SRS_PP_SCALE_FACTOR, 1) != 1) return;
    to.Name("lambert_conformal_conic")
        .Number("standard_parallel", SRS_PP_LATITUDE_OF_ORIGIN)
        .Number("longitude_of_central_meridian", SRS_PP_CENTRAL_MERIDIAN)
        .Number("latitude_of_projection_origin", SRS_PP_LATITUDE_OF_ORIGIN);
}

void CylindricalEqualArea(Exporter& to) {
    to.Name("lambert_cylindrical_equal_area")
        .Number("longitude_of_central_meridian", SRS_PP_CENTRAL_MERIDIAN)
        .Number("standard_parallel", SRS_PP_STANDARD_PARALLEL_1);
}

// Sets the name `name` and the centre of an azimuthal projection. `longitude` and `latitude` are
// GDAL's names of the centre's parameters.
void Centred(Exporter& to, const char* name, const char* longitude, const char* latitude) {
    to.Name(name)
        .Number("longitude_of_projection_origin", longitude)
        .Number("latitude_of_projection_origin", latitude);
}

void LambertAzimuthal(Exporter& to) {
    Centred(to, "lambert_azimuthal_equal_area", SRS_PP_LONGITUDE_OF_CENTER,
            SRS_PP_LATITUDE_OF_CENTER);
}
void Equidistant(Exporter& to) {
    Centred(to, "azimuthal_equidistant", SRS_PP_LONGITUDE_OF_CENTER, SRS_PP_LATITUDE_OF_CENTER);
}
void Orthographic(Exporter& to) {
    Centred(to, "orthographic", SRS_PP_CENTRAL_MERIDIAN, SRS_PP_LATITUDE_OF_ORIGIN);
}
void Stereographic(Exporter& to) {
    Centred(to, "stereographic", SRS_PP_CENTRAL_MERIDIAN, SRS_PP_LATITUDE_OF_ORIGIN);
    to.Number("scale_factor_at_projection_origin", SRS_PP_SCALE_FACTOR, 1);
}

// Exports polar_stereographic. If GDAL's latitude of origin is a pole, exports the scale factor.
// Otherwise exports that latitude as the standard parallel.
void PolarStereographic(Exporter& to) {
    const double latitude = to.Parameter(SRS_PP_LATITUDE_OF_ORIGIN);
    to.Name("polar_stereographic")
        .Number("straight_vertical_longitude_from_pole", SRS_PP_CENTRAL_MERIDIAN)
        .Set("latitude_of_projection_origin", json::Value(latitude < 0 ? -90.0 : 90.0));
    if (std::fabs(latitude) == 90)
        to.Number("scale_factor_at_projection_origin", SRS_PP_SCALE_FACTOR, 1);
    else
        to.Set("standard_parallel", json::Value(latitude));
}

void Sinusoidal(Exporter& to) {
    to.Name("sinusoidal").Number("longitude_of_projection_origin", SRS_PP_LONGITUDE_OF_CENTER);
}

void ObliqueMercator(Exporter& to) {
    to.Name("oblique_mercator")
        .Number("azimuth_of_central_line", SRS_PP_AZIMUTH)
        .Number("longitude_of_projection_origin", SRS_PP_LONGITUDE_OF_CENTER)
        .Number("latitude_of_projection_origin", SRS_PP_LATITUDE_OF_CENTER)
        .Number("scale_factor_at_projection_origin", SRS_PP_SCALE_FACTOR, 1);
}

void Geostationary(Exporter& to) {
    to.Name("geostationary")
        .Number("longitude_of_projection_origin", SRS_PP_CENTRAL_MERIDIAN)
        .Set("latitude_of_projection_origin", json::Value(0.0))
        .Number("perspective_point_height", SRS_PP_SATELLITE_HEIGHT)
        .Set("sweep_angle_axis", json::Value(to.HasSweepX() ? "x" : "y"));
}

struct Projection {
    const char* name;  // GDAL's name of the projection
    void (*write)(Exporter& to);
};

constexpr Projection kProjections[] = {
    {SRS_PT_MERCATOR_1SP, Mercator1Sp},
    {SRS_PT_MERCATOR_2SP, Mercator2Sp},
    {SRS_PT_TRANSVERSE_MERCATOR, TransverseMercator},
    {SRS_PT_ALBERS_CONIC_EQUAL_AREA, Albers},
    {SRS_PT_LAMBERT_CONFORMAL_CONIC_2SP, Conformal2Sp},
    {SRS_PT_LAMBERT_CONFORMAL_CONIC_1SP, Conformal1Sp},
    {SRS_PT_CYLINDRICAL_EQUAL_AREA, CylindricalEqualArea},
    {SRS_PT_LAMBERT_AZIMUTHAL_EQUAL_AREA, LambertAzimuthal},
    {SRS_PT_AZIMUTHAL_EQUIDISTANT, Equidistant},
    {SRS_PT_ORTHOGRAPHIC, Orthographic},
    {SRS_PT_STEREOGRAPHIC, Stereographic},
    {SRS_PT_OBLIQUE_STEREOGRAPHIC, Stereographic},
    {SRS_PT_POLAR_STEREOGRAPHIC, PolarStereographic},
    {SRS_PT_SINUSOIDAL, Sinusoidal},
    {SRS_PT_HOTINE_OBLIQUE_MERCATOR_AZIMUTH_CENTER, ObliqueMercator},
    {SRS_PT_GEOSTATIONARY_SATELLITE, Geostationary},
};

// True for the projection Web Mercator, which projects WGS 84 latitudes as if they were latitudes
// on a sphere.
bool IsWebMercator(const OGRSpatialReference& srs) {
    const char* const extension = srs.GetExtension("PROJCS", "PROJ4", "");
    const char* const code = srs.GetAuthorityCode(nullptr);
    return (extension != nullptr && std::strstr(extension, "+nadgrids=@null") != nullptr) ||
           (code != nullptr && EQUAL(code, "3857"));
}

void AddText(json::Object& attributes, const char* name, const char* text) {
    if (text != nullptr && text[0] != '\0') attributes.emplace_back(name, json::Value(text));
}

void AddEarth(const OGRSpatialReference& srs, json::Object& attributes) {
    const bool is_web_mercator = IsWebMercator(srs);
    attributes.emplace_back("semi_major_axis", json::Value(srs.GetSemiMajor()));
    attributes.emplace_back("inverse_flattening",
                            json::Value(is_web_mercator ? 0.0 : srs.GetInvFlattening()));
    const char* meridian = nullptr;
    // GetPrimeMeridian() always returns degrees
    const double longitude = srs.GetPrimeMeridian(&meridian);
    attributes.emplace_back("longitude_of_prime_meridian", json::Value(longitude));
    AddText(attributes, "prime_meridian_name", meridian);
    if (is_web_mercator) return;  // CF has no name for Web Mercator's sphere
    AddText(attributes, "reference_ellipsoid_name", srs.GetAttrValue("SPHEROID"));
    AddText(attributes, "horizontal_datum_name", srs.GetAttrValue("DATUM"));
    AddText(attributes, "geographic_crs_name", srs.GetAttrValue("GEOGCS"));
}

// True if a reader of the CF `attributes` gets the projection of `srs`. The datum is not compared.
bool DescribesProjection(const OGRSpatialReference& srs, const json::Object& attributes) {
    zarr::Warnings warnings;
    const auto mapping = zarr::ParseCfGridMapping(json::Value(attributes), warnings);
    if (!mapping.ok() || !warnings.empty()) return false;
    zarr::CfGridMapping in_metres = *mapping;
    in_metres.false_easting *= srs.GetLinearUnits();
    in_metres.false_northing *= srs.GetLinearUnits();
    OGRSpatialReference back;
    back.SetProjCS("unknown");
    back.CopyGeogCSFrom(&srs);
    if (!SetProjection(in_metres, back).ok()) return false;
    // Only the parameters of the projections are compared. OGRSpatialReference::IsSame() also
    // compares axes, names and methods, which may differ without any effect on coordinates.
    static constexpr const char* kAngles[] = {SRS_PP_CENTRAL_MERIDIAN,
                                              SRS_PP_LATITUDE_OF_ORIGIN,
                                              SRS_PP_STANDARD_PARALLEL_1,
                                              SRS_PP_STANDARD_PARALLEL_2,
                                              SRS_PP_LONGITUDE_OF_CENTER,
                                              SRS_PP_LATITUDE_OF_CENTER,
                                              SRS_PP_AZIMUTH,
                                              SRS_PP_RECTIFIED_GRID_ANGLE,
                                              SRS_PP_SCALE_FACTOR};
    static constexpr const char* kLengths[] = {SRS_PP_FALSE_EASTING, SRS_PP_FALSE_NORTHING,
                                               SRS_PP_SATELLITE_HEIGHT};
    const auto is_same = [&](const char* parameter, double tolerance) {
        return std::fabs(srs.GetNormProjParm(parameter, 0) - back.GetNormProjParm(parameter, 0)) <=
               tolerance;
    };
    const char* const projection = srs.GetAttrValue("PROJECTION");
    const char* const its = back.GetAttrValue("PROJECTION");
    return projection != nullptr && its != nullptr && EQUAL(projection, its) &&
           std::all_of(std::begin(kAngles), std::end(kAngles),
                       [&](const char* name) { return is_same(name, 1e-9); }) &&
           std::all_of(std::begin(kLengths), std::end(kLengths),
                       [&](const char* name) { return is_same(name, 1e-4); });
}

}  // namespace

json::Object CfAttributes(const OGRSpatialReference& crs) {
    const QuietErrors quiet;
    OGRSpatialReference srs(crs);
    if (srs.IsCompound()) srs.StripVertical();
    if (!srs.IsGeographic() && !srs.IsProjected()) return {};
    json::Object attributes;
    if (srs.IsGeographic() && srs.IsDerivedGeographic() == FALSE)
        attributes.emplace_back("grid_mapping_name", json::Value("latitude_longitude"));
    if (srs.IsProjected()) {
        const char* const projection = srs.GetAttrValue("PROJECTION");
        const auto* const found = std::find_if(
            std::begin(kProjections), std::end(kProjections), [&](const Projection& known) {
                return projection != nullptr && EQUAL(known.name, projection);
            });
        if (found != std::end(kProjections)) {
            Exporter exporter(srs);
            found->write(exporter);
            json::Object written = exporter.FalseOrigin().Take();
            if (IsWebMercator(srs) || DescribesProjection(srs, written))
                attributes = std::move(written);
        }
        AddText(attributes, "projected_crs_name", srs.GetAttrValue("PROJCS"));
    }
    AddEarth(srs, attributes);
    return attributes;
}

}  // namespace zarr_driver

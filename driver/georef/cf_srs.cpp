// SPDX-License-Identifier: MIT
#include "driver/georef/cf_srs.h"

#include <cpl_conv.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/text.h"
#include "core/conventions/cf/cf_units.h"
#include "driver/base/gdal_errors.h"

namespace zarr_driver {

using zarr::CfEarth;
using zarr::CfGridMapping;
using zarr::Ellipsoid;
using zarr::Result;
using zarr::SpaceUnit;
using zarr::Status;

namespace {

constexpr double kDegree = zarr::kRadiansPerDegree;

bool IsGeographic(const CfGridMapping& mapping) {
    return mapping.name == "latitude_longitude" || mapping.name == "rotated_latitude_longitude";
}

// Returns the unit of the coordinates to which a grid mapping applies. Adds a warning if `units`
// cannot be used.
SpaceUnit CoordinateUnit(const CfGridMapping& mapping, const std::string& units,
                         zarr::Warnings& warnings) {
    SpaceUnit degree{SpaceUnit::Kind::kAngle, kDegree, "degree"};
    SpaceUnit radian{SpaceUnit::Kind::kAngle, 1, "radian"};
    const bool geographic = IsGeographic(mapping);
    const bool geostationary = mapping.name == "geostationary";
    if (units.empty()) return geographic ? degree : geostationary ? radian : SpaceUnit{};
    // Some writers state "1" as the unit of scanning angles, because radians have no dimension.
    if (geostationary && units == "1") return radian;
    const auto unit = zarr::ParseSpaceUnit(units);
    const SpaceUnit::Kind wanted = geographic ? SpaceUnit::Kind::kAngle : SpaceUnit::Kind::kLength;
    if (unit && (unit->kind == wanted || geostationary)) return *unit;
    warnings.push_back("attribute units: " + zarr::Quoted(units) + " is not a unit of " +
                       (geographic ? "angle" : "length") + " for grid_mapping_name " +
                       mapping.name + "; " + (geographic ? "degrees" : "metres") + " are assumed");
    return geographic ? degree : SpaceUnit{};
}

Result<OGRSpatialReference> Rotated(const CfGridMapping& mapping,
                                    const OGRSpatialReference& geographic) {
    OGRSpatialReference srs(geographic);
    if (srs.SetDerivedGeogCRSWithPoleRotationNetCDFCFConvention(
            "Rotated_pole", mapping.grid_north_pole_latitude, mapping.grid_north_pole_longitude,
            mapping.north_pole_grid_longitude) != OGRERR_NONE)
        return Status::Corrupt("GDAL refuses the parameters of " + mapping.name);
    return srs;
}

// Returns the EPSG code of the CRS that equals `srs` except for names, or 0. Except for UTM zones
// and polar projections, searching PROJ's database takes about ten milliseconds.
int FindCode(const OGRSpatialReference& srs) {
    OGRSpatialReference copy(srs);
    if (copy.AutoIdentifyEPSG() == OGRERR_NONE) {
        const char* code = copy.GetAuthorityCode(nullptr);
        if (code != nullptr) return std::atoi(code);
    }
    constexpr int kAllButNames = 90;
    int count = 0;
    int* confidence = nullptr;
    OGRSpatialReferenceH* matches = srs.FindMatches(nullptr, &count, &confidence);
    int found = 0;
    for (int i = 0; i < count && found == 0; ++i) {
        const auto* match = OGRSpatialReference::FromHandle(matches[i]);
        const char* authority = match->GetAuthorityName(nullptr);
        if (confidence[i] >= kAllButNames && authority != nullptr && EQUAL(authority, "EPSG"))
            found = std::atoi(match->GetAuthorityCode(nullptr));
    }
    OSRFreeSRSArray(matches);
    CPLFree(confidence);
    return found;
}

// Replaces `srs` by the equal CRS in EPSG, if there is one. Must only be called for a CRS with an
// EPSG datum: with other datums the search is slow and imprecise.
void Identify(OGRSpatialReference& srs) {
    OGRSpatialReference known;
    const int code = FindCode(srs);
    const char* const options[] = {"CRITERION=EQUIVALENT",
                                   "IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES", nullptr};
    if (code != 0 && known.importFromEPSG(code) == OGRERR_NONE && known.IsSame(&srs, options))
        srs = known;
}

// False if no point can be projected: PROJ accepts some combinations of parameters with which every
// transformation fails. The test transforms the origin of the projection, which every projection
// can transform.
bool IsUsable(const CfGridMapping& mapping, OGRSpatialReference geographic,
              const OGRSpatialReference& srs) {
    geographic.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    const std::unique_ptr<OGRCoordinateTransformation> transformation(
        OGRCreateCoordinateTransformation(&geographic, &srs));
    double x = mapping.origin_longitude;
    double y = mapping.origin_latitude;
    return transformation != nullptr && transformation->Transform(1, &x, &y) != FALSE &&
           std::isfinite(x) && std::isfinite(y);
}

// Returns the projected CRS of `mapping` with the linear unit `unit`. False easting and northing
// are in a unit of `offset_metres` metres.
Result<OGRSpatialReference> Projected(CfGridMapping mapping, const OGRSpatialReference& geographic,
                                      const SpaceUnit& unit, double offset_metres) {
    OGRSpatialReference srs;
    mapping.false_easting *= offset_metres;
    mapping.false_northing *= offset_metres;
    if (srs.SetProjCS("unknown") != OGRERR_NONE || srs.CopyGeogCSFrom(&geographic) != OGRERR_NONE)
        return Status::Corrupt("GDAL refuses the projected CRS");
    ZARR_RETURN_IF_ERROR(SetProjection(mapping, srs));
    if (unit.factor != 1 &&
        srs.SetLinearUnitsAndUpdateParameters(unit.name.c_str(), unit.factor) != OGRERR_NONE)
        return Status::Corrupt("GDAL refuses the unit " + zarr::Quoted(unit.name));
    if (!IsUsable(mapping, geographic, srs))
        return Status::Corrupt("PROJ refuses the parameters of " + mapping.name);
    if (unit.factor == 1 && geographic.GetAuthorityCode(nullptr) != nullptr) Identify(srs);
    // The name is set last. Earlier calls would search PROJ's database for it, which is slow for an
    // unknown name.
    const std::string& name = mapping.projected_crs_name;
    if (srs.GetAuthorityCode(nullptr) == nullptr && !name.empty() &&
        srs.SetProjCS(name.c_str()) != OGRERR_NONE)
        return Status::Corrupt("GDAL refuses the name " + zarr::Quoted(name));
    return srs;
}

bool IsWgs84(const OGRSpatialReference& geographic) {
    const char* code = geographic.GetAuthorityCode(nullptr);
    return code != nullptr && std::string(code) == "4326";
}

Status SetDatumShift(const std::vector<double>& shift, OGRSpatialReference& srs) {
    if (shift.size() != 7) return {};
    if (srs.SetTOWGS84(shift[0], shift[1], shift[2], shift[3], shift[4], shift[5], shift[6]) !=
        OGRERR_NONE)
        return Status::Corrupt("GDAL refuses towgs84");
    return {};
}

struct KnownDatum {
    std::string_view key;  // name of a datum or geographic CRS, simplified by NameKey()
    int crs;               // EPSG code of the geographic CRS
};

constexpr int kWgs84 = 4326;

// Known names of datums and geographic CRS. The spellings are those of EPSG, of OGC (EPSG's with
// underscores), of ESRI (OGC's with the prefix D_), and short names.
constexpr KnownDatum kDatums[] = {
    {"wgs84", kWgs84},
    {"wgs1984", kWgs84},
    {"worldgeodeticsystem1984", kWgs84},
    {"worldgeodeticsystem1984ensemble", kWgs84},
    {"wgs72", 4322},
    {"wgs1972", 4322},
    {"worldgeodeticsystem1972", 4322},
    {"nad83", 4269},
    {"northamericandatum1983", 4269},
    {"northamerican1983", 4269},
    {"nad27", 4267},
    {"northamericandatum1927", 4267},
    {"northamerican1927", 4267},
    {"etrs89", 4258},
    {"etrs1989", 4258},
    {"europeanterrestrialreferencesystem1989", 4258},
    {"europeanterrestrialreferencesystem1989ensemble", 4258},
    {"ed50", 4230},
    {"europeandatum1950", 4230},
    {"european1950", 4230},
    {"osgb36", 4277},
    {"osgb1936", 4277},
    {"ordnancesurveyofgreatbritain1936", 4277},
    {"amersfoort", 4289},
    {"dhdn", 4314},
    {"deutscheshauptdreiecksnetz", 4314},
    {"mgi", 4312},
    {"militargeographischeinstitut", 4312},
    {"militargeographischesinstitut", 4312},
    {"ch1903", 4149},
    {"ntf", 4275},
    {"nouvelletriangulationfrancaise", 4275},
    {"ntfparis", 4807},
    {"nouvelletriangulationfrancaiseparis", 4807},
    {"rgf93", 4171},
    {"rgf93v1", 4171},
    {"reseaugeodesiquefrancais1993", 4171},
    {"reseaugeodesiquefrancais1993v1", 4171},
    {"pulkovo1942", 4284},
    {"gda94", 4283},
    {"gda1994", 4283},
    {"geocentricdatumofaustralia1994", 4283},
    {"gda2020", 7844},
    {"geocentricdatumofaustralia2020", 7844},
    {"nzgd2000", 4167},
    {"newzealandgeodeticdatum2000", 4167},
    {"tokyo", 4301},
    {"jgd2000", 4612},
    {"japanesegeodeticdatum2000", 4612},
    {"jgd2011", 6668},
    {"japanesegeodeticdatum2011", 6668},
    {"cgcs2000", 4490},
    {"china2000", 4490},
    {"chinageodeticcoordinatesystem2000", 4490},
    {"sirgas2000", 4674},
    {"sistemadereferenciageocentricoparalasamericas2000", 4674},
    {"sad69", 4618},
    {"southamericandatum1969", 4618},
    {"hartebeesthoek94", 4148},
};

// Returns the EPSG code of the geographic CRS that `name`, a datum or geographic CRS, stands for.
// The name may be a code, "EPSG:4326".
// Returns 0 if the name is unknown.
int EpsgCodeOfName(const std::string& name) {
    constexpr std::string_view kCode = "EPSG:";
    if (name.compare(0, kCode.size(), kCode) == 0) return std::atoi(name.c_str() + kCode.size());
    std::string key = zarr::NameKey(name);
    if (name.compare(0, 2, "D_") == 0) key.erase(0, 1);
    const auto* const found =
        std::find_if(std::begin(kDatums), std::end(kDatums),
                     [&key](const KnownDatum& datum) { return datum.key == key; });
    return found == std::end(kDatums) ? 0 : found->crs;
}

bool IsPlaceholderName(const std::string& name) {
    const std::string key = zarr::NameKey(name);
    return key.empty() || key == "unknown" || key == "undefined" || key == "unnamed" ||
           key.rfind("unknownbasedon", 0) == 0 || key.rfind("notspecified", 0) == 0;
}

bool IsWgs84(const Ellipsoid& ellipsoid) {
    return zarr::SameEllipsoid(ellipsoid, {6378137, 298.257223563}, 5e-5);
}

// Returns the EPSG code of the geographic CRS that the names in `earth` imply, or 0. Without known
// names, the ellipsoid of WGS 84 implies WGS 84, as does a missing ellipsoid.
int ImpliedCode(const CfEarth& earth) {
    if (!IsPlaceholderName(earth.datum_name)) return EpsgCodeOfName(earth.datum_name);
    if (!IsPlaceholderName(earth.geographic_crs_name)) {
        const int code = EpsgCodeOfName(earth.geographic_crs_name);
        if (code != 0) return code;
    }
    return !earth.ellipsoid || IsWgs84(*earth.ellipsoid) ? kWgs84 : 0;
}

// Sets `srs` to the geographic EPSG CRS, in degrees, that names or ellipsoid in `earth` imply.
// Returns false if there is none, or if its ellipsoid or prime meridian differ from those of
// `earth`.
bool UseKnownDatum(const CfEarth& earth, OGRSpatialReference& srs, zarr::Warnings& warnings) {
    const int code = ImpliedCode(earth);
    OGRSpatialReference known;
    if (code == 0 || known.importFromEPSG(code) != OGRERR_NONE) return false;
    const Ellipsoid its_own{known.GetSemiMajor(), known.GetInvFlattening()};
    const bool is_named =
        !IsPlaceholderName(earth.datum_name) || !IsPlaceholderName(earth.geographic_crs_name);
    if (earth.ellipsoid && !zarr::SameEllipsoid(*earth.ellipsoid, its_own, zarr::kRoundedAxes)) {
        if (is_named)
            warnings.push_back(
                "attribute " +
                std::string(IsPlaceholderName(earth.datum_name) ? "geographic_crs_name"
                                                                : "horizontal_datum_name") +
                ": " +
                zarr::Quoted(IsPlaceholderName(earth.datum_name) ? earth.geographic_crs_name
                                                                 : earth.datum_name) +
                " does not have the ellipsoid of the other attributes, which are used");
        return false;
    }
    const double meridian = known.GetPrimeMeridian();  // in degrees, whatever the unit of the CRS
    const double degrees = earth.prime_meridian;
    if (std::fabs(meridian - degrees) > 1e-6 && (earth.prime_meridian_is_given || code == kWgs84))
        return false;
    srs = known;
    // CF requires longitudes and latitudes in degrees. EPSG defines some CRS in grads, so their
    // unit is replaced.
    constexpr double kNegligible = 1e-12;
    if (std::fabs(srs.GetAngularUnits() - zarr::kRadiansPerDegree) > kNegligible)
        return srs.SetAngularUnits(SRS_UA_DEGREE, zarr::kRadiansPerDegree) == OGRERR_NONE;
    return true;
}

// True if both CRS project four points around the origin of `mapping` to positions less than a
// metre apart.
bool ProjectsEqually(const OGRSpatialReference& known, const OGRSpatialReference& other,
                     const CfGridMapping& mapping) {
    const std::unique_ptr<OGRSpatialReference> geographic(known.CloneGeogCS());
    if (geographic == nullptr) return false;
    geographic->SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    OGRSpatialReference of_other(other);
    of_other.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    const std::unique_ptr<OGRCoordinateTransformation> to_known(
        OGRCreateCoordinateTransformation(geographic.get(), &known));
    const std::unique_ptr<OGRCoordinateTransformation> to_other(
        OGRCreateCoordinateTransformation(geographic.get(), &of_other));
    if (to_known == nullptr || to_other == nullptr) return false;
    constexpr double kMetresPerDegree = 111'320;
    const double unit = known.IsProjected() ? known.GetLinearUnits() : kMetresPerDegree;
    const double other_unit = other.IsProjected() ? other.GetLinearUnits() : kMetresPerDegree;
    for (const double east : {-2.0, 2.0}) {
        for (const double north : {-2.0, 2.0}) {
            double x = mapping.origin_longitude + east;
            double y = std::clamp(mapping.origin_latitude + north, -89.0, 89.0);
            double other_x = x;
            double other_y = y;
            if (to_known->Transform(1, &x, &y) == FALSE ||
                to_other->Transform(1, &other_x, &other_y) == FALSE ||
                !(std::hypot(x * unit - other_x * other_unit, y * unit - other_y * other_unit) <
                  zarr::kRoundedAxes))
                return false;
        }
    }
    return true;
}

Status Check(OGRErr error, const CfGridMapping& m) {
    if (error == OGRERR_NONE) return {};
    return Status::Corrupt("GDAL refuses the parameters of " + m.name);
}

double First(const CfGridMapping& m) { return m.standard_parallels.front(); }

// Returns the second standard parallel, or the first if there is only one.
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

// Sets a geostationary projection with sweep axis x. OGRSpatialReference can only set sweep axis y.
// The WKT of sweep axis x differs by one word, which is replaced here.
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

// Sets lambert_conformal_conic. In CF a single standard parallel is the latitude of true scale. The
// latitude of origin may have another value.
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

// Computes the latitude of the parallel on which the scale factor is k, from k = cos(lat) / sqrt(1
// - e^2 sin^2(lat)). The formula is Snyder's equation (10-13).
Status ParallelOfScale(const CfGridMapping& m, const OGRSpatialReference& srs, double& latitude) {
    const double k = *m.scale_factor;
    if (k > 1)
        return Status::Corrupt("scale_factor_at_projection_origin " + std::to_string(k) +
                               " exceeds 1, so there is no standard parallel with this scale");
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

// Sets oblique_mercator as PROJ defines it. The angle from the rectified to the skew grid equals
// the azimuth, so that y points north at the centre, where false easting and northing apply.
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

// Sets polar_stereographic. SetPS() interprets the latitude of a pole as the origin, and any other
// latitude as the latitude of true scale.
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

Result<CfSrs> MakeCfSrs(const CfGridMapping& mapping, const std::string& units,
                        zarr::Warnings& warnings) {
    const QuietErrors quiet;
    CfSrs result;
    const SpaceUnit unit = CoordinateUnit(mapping, units, warnings);
    ZARR_ASSIGN_OR_RETURN(OGRSpatialReference geographic,
                          MakeGeographicSrs(mapping.earth, warnings));
    const bool needs_shift = !IsWgs84(geographic);
    if (mapping.name == "latitude_longitude") {
        result.srs = std::move(geographic);
        result.coordinate_scale = unit.name == "degree" ? 1 : unit.factor / kDegree;
    } else if (mapping.name == "rotated_latitude_longitude") {
        ZARR_ASSIGN_OR_RETURN(result.srs, Rotated(mapping, geographic));
        result.coordinate_scale = unit.name == "degree" ? 1 : unit.factor / kDegree;
    } else if (unit.kind == SpaceUnit::Kind::kAngle) {
        result.coordinate_scale = unit.factor * mapping.perspective_point_height;
        ZARR_ASSIGN_OR_RETURN(result.srs,
                              Projected(mapping, geographic, SpaceUnit{}, result.coordinate_scale));
    } else {
        ZARR_ASSIGN_OR_RETURN(result.srs, Projected(mapping, geographic, unit, unit.factor));
    }
    if (needs_shift) ZARR_RETURN_IF_ERROR(SetDatumShift(mapping.earth.to_wgs84, result.srs));
    result.srs.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    return result;
}

bool ReplaceByCode(const std::string& code, const CfGridMapping& mapping, CfSrs& located) {
    const QuietErrors quiet;
    OGRSpatialReference known;
    if (known.SetFromUserInput(code.c_str(),
                               OGRSpatialReference::SET_FROM_USER_INPUT_LIMITATIONS_get()) !=
            OGRERR_NONE ||
        known.IsProjected() != located.srs.IsProjected())
        return false;
    known.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    if (!zarr::SameEllipsoid({known.GetSemiMajor(), known.GetInvFlattening()},
                             {located.srs.GetSemiMajor(), located.srs.GetInvFlattening()},
                             zarr::kRoundedAxes) ||
        !ProjectsEqually(known, located.srs, mapping))
        return false;
    if (known.IsProjected())
        located.coordinate_scale *= located.srs.GetLinearUnits() / known.GetLinearUnits();
    located.srs = known;
    return true;
}

double SatelliteHeight(const OGRSpatialReference& srs) {
    OGRErr error = OGRERR_NONE;
    const double height = srs.GetNormProjParm(SRS_PP_SATELLITE_HEIGHT, 0, &error);
    return error == OGRERR_NONE && height > 0 ? height : 0;
}

double CoordinateScale(const OGRSpatialReference& srs, const std::string& units) {
    const QuietErrors quiet;
    const auto unit = zarr::ParseSpaceUnit(units);
    if (!unit) return 1;
    if (unit->kind == SpaceUnit::Kind::kLength)
        return srs.IsProjected() ? unit->factor / srs.GetLinearUnits() : 1;
    if (srs.IsGeographic()) return unit->name == "degree" ? 1 : unit->factor / kDegree;
    const double height = SatelliteHeight(srs);
    return height > 0 ? unit->factor * height / srs.GetLinearUnits() : 1;
}

Result<OGRSpatialReference> MakeGeographicSrs(const CfEarth& earth, zarr::Warnings& warnings) {
    OGRSpatialReference srs;
    if (!UseKnownDatum(earth, srs, warnings)) {
        // A name that is missing or only a placeholder becomes "unknown". PROJ gives this name to a
        // datum of which only the ellipsoid is known.
        const auto name_or = [](const std::string& name, const char* otherwise) {
            return IsPlaceholderName(name) ? std::string(otherwise) : name;
        };
        const Ellipsoid ellipsoid = earth.ellipsoid.value_or(Ellipsoid{6378137, 298.257223563});
        const std::string datum = EpsgCodeOfName(earth.datum_name) != 0
                                      ? "unknown"
                                      : name_or(earth.datum_name, "unknown");
        const std::string name = EpsgCodeOfName(earth.geographic_crs_name) != 0
                                     ? "unknown"
                                     : name_or(earth.geographic_crs_name, "unknown");
        const bool greenwich = earth.prime_meridian == 0;
        if (srs.SetGeogCS(
                name.c_str(), datum.c_str(), name_or(earth.ellipsoid_name, "unknown").c_str(),
                ellipsoid.semi_major_axis, ellipsoid.inverse_flattening,
                name_or(earth.prime_meridian_name, greenwich ? "Greenwich" : "unknown").c_str(),
                earth.prime_meridian) != OGRERR_NONE)
            return Status::Corrupt("GDAL refuses the ellipsoid, prime meridian or datum");
    }
    return srs;
}

Status SetProjection(const CfGridMapping& mapping, OGRSpatialReference& srs) {
    const auto* const found =
        std::find_if(std::begin(kBuilders), std::end(kBuilders),
                     [&](const Builder& builder) { return builder.name == mapping.name; });
    if (found == std::end(kBuilders))
        return Status::Unsupported("grid_mapping_name " + mapping.name + " is not a projection");
    return found->set(mapping, srs);
}

}  // namespace zarr_driver

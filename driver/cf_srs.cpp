// SPDX-License-Identifier: MIT
#include "driver/cf_srs.h"

#include <cpl_conv.h>

#include <cmath>
#include <cstdlib>
#include <memory>

#include "core/base/text.h"
#include "core/conventions/cf_units.h"
#include "driver/cf_geographic.h"
#include "driver/cf_projections.h"
#include "driver/report.h"

namespace zarr_driver {

using zarr::CfGridMapping;
using zarr::Result;
using zarr::SpaceUnit;
using zarr::Status;

namespace {

constexpr double kDegree = zarr::kRadiansPerDegree;

bool IsGeographic(const CfGridMapping& mapping) {
    return mapping.name == "latitude_longitude" || mapping.name == "rotated_latitude_longitude";
}

// The unit that coordinates of this mapping are in.
SpaceUnit CoordinateUnit(const CfGridMapping& mapping, const std::string& units,
                         zarr::Warnings& warnings) {
    SpaceUnit degree{SpaceUnit::Kind::kAngle, kDegree, "degree"};
    SpaceUnit radian{SpaceUnit::Kind::kAngle, 1, "radian"};
    const bool geographic = IsGeographic(mapping);
    const bool geostationary = mapping.name == "geostationary";
    if (units.empty()) return geographic ? degree : geostationary ? radian : SpaceUnit{};
    // Radians are without dimension, and some writers say just that.
    if (geostationary && units == "1") return radian;
    const auto unit = zarr::ParseSpaceUnit(units);
    const SpaceUnit::Kind wanted = geographic ? SpaceUnit::Kind::kAngle : SpaceUnit::Kind::kLength;
    if (unit && (unit->kind == wanted || geostationary)) return *unit;
    warnings.push_back("attribute units: " + zarr::Quoted(units) + " is no unit of " +
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

// The code of EPSG's CRS that is this one but for names, 0 where there is none. GDAL knows UTM
// zones and the poles at once; PROJ's database takes some ten milliseconds.
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

// Puts EPSG's own definition in place of an equivalent one. Only on a datum of EPSG's: others make
// the search slow and vague.
void Identify(OGRSpatialReference& srs) {
    OGRSpatialReference known;
    const int code = FindCode(srs);
    const char* const options[] = {"CRITERION=EQUIVALENT",
                                   "IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES", nullptr};
    if (code != 0 && known.importFromEPSG(code) == OGRERR_NONE && known.IsSame(&srs, options))
        srs = known;
}

// False for parameters that each are sound but together make no projection: PROJ builds such a CRS
// and fails whenever it is used. The origin is in the domain of every projection.
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

// `unit` is the CRS's linear unit; false easting and northing are in `offset_metres`.
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
    // Only now: the database's search for a name that it does not have is slow.
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

double CoordinateScale(const OGRSpatialReference& srs, const std::string& units) {
    const QuietErrors quiet;
    const auto unit = zarr::ParseSpaceUnit(units);
    if (!unit) return 1;
    if (unit->kind == SpaceUnit::Kind::kLength)
        return srs.IsProjected() ? unit->factor / srs.GetLinearUnits() : 1;
    if (srs.IsGeographic()) return unit->name == "degree" ? 1 : unit->factor / kDegree;
    OGRErr error = OGRERR_NONE;
    const double height = srs.GetNormProjParm(SRS_PP_SATELLITE_HEIGHT, 0, &error);
    if (error != OGRERR_NONE || !(height > 0)) return 1;
    return unit->factor * height / srs.GetLinearUnits();
}

}  // namespace zarr_driver

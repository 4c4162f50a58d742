// SPDX-License-Identifier: MIT
#include "driver/georef/georeferencing.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/attributes/axis_roles.h"
#include "core/conventions/cf/cf_units.h"
#include "core/conventions/crs/affine.h"
#include "core/conventions/crs/crs_sources.h"
#include "core/conventions/crs/crs_text.h"
#include "core/conventions/crs/geolocation.h"
#include "core/conventions/crs/geotransform.h"
#include "core/conventions/crs/mesh.h"
#include "core/store/keys.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/metadata_text.h"
#include "driver/georef/cf_srs.h"
#include "driver/georef/geolocation_domain.h"

namespace zarr_driver {

using zarr::CrsSource;
using zarr::GeoTransform;
using zarr::Result;
using zarr::Status;

namespace {

// Facts about the coordinates along X and Y that decide how an ambiguous CRS statement is
// interpreted.
struct MapCoordinates {
    std::string units;          // units of X, or of Y if X has none; may be empty
    double y_factor = 1;        // converts Y to the unit of X
    double farthest = 0;        // largest absolute coordinate; 0 if unknown
    bool are_long_lat = false;  // true if X and Y are longitude and latitude
};

// Returns the factor that converts `from` to `to`. Returns 1 unless both are units of length or
// both are units of angle.
double FactorBetween(const std::string& from, const std::string& to) {
    const auto a = zarr::ParseSpaceUnit(from);
    const auto b = zarr::ParseSpaceUnit(to);
    return a && b && a->kind == b->kind ? a->factor / b->factor : 1;
}

MapCoordinates CoordinatesOf(const zarr::ArrayFacts& facts,
                             const std::optional<zarr::AffineSource>& affine,
                             const std::optional<zarr::Geolocation>& geolocation) {
    MapCoordinates coordinates;
    if (!facts.axes.x || !facts.axes.y) return coordinates;
    const zarr::Dimension& x = facts.dimensions[*facts.axes.x];
    const zarr::Dimension& y = facts.dimensions[*facts.axes.y];
    const auto* x_units = zarr::StringAttribute(x.coordinate_attributes, "units");
    const auto* y_units = zarr::StringAttribute(y.coordinate_attributes, "units");
    if (x_units != nullptr || y_units != nullptr)
        coordinates.units = x_units != nullptr ? *x_units : *y_units;
    if (y_units != nullptr) coordinates.y_factor = FactorBetween(*y_units, coordinates.units);
    const bool is_by_arrays = geolocation && !geolocation->is_along_axes &&
                              geolocation->kind == zarr::Geolocation::Kind::kInCrs;
    if (is_by_arrays && !(affine && affine->from_coordinates)) {
        const auto* units = zarr::StringAttribute(geolocation->x.facts.attributes, "units");
        coordinates.units = units != nullptr ? *units : std::string();
    }
    coordinates.are_long_lat =
        zarr::IsLongitude(x.coordinate_attributes) && zarr::IsLatitude(y.coordinate_attributes);
    if (!affine || !affine->from_coordinates) return coordinates;
    const GeoTransform& t = affine->transform;
    const double east = t[0] + static_cast<double>(x.size) * t[1];
    const double south = t[3] + static_cast<double>(y.size) * t[5];
    coordinates.farthest =
        std::max({std::fabs(t[0]), std::fabs(east), std::fabs(t[3]), std::fabs(south)});
    return coordinates;
}

// Returns the units of coordinates in a geostationary CRS. If none are stated, guesses them from
// the largest coordinate. The edge of the Earth is at about 0.15 in radians, and at millions in
// metres.
std::string GeostationaryUnits(const MapCoordinates& coordinates) {
    if (!coordinates.units.empty() || coordinates.farthest == 0) return coordinates.units;
    return coordinates.farthest > 1 ? "m" : "radian";
}

// Replaces `srs` by EPSG's definition of its code, if both are equal. A CRS that was read from WKT
// 2 lacks the codes of its components, which users expect in WKT 1.
void UseDefinitionOfEpsg(OGRSpatialReference& srs) {
    const char* const authority = srs.GetAuthorityName(nullptr);
    const char* const code = srs.GetAuthorityCode(nullptr);
    if (authority == nullptr || code == nullptr || !EQUAL(authority, "EPSG")) return;
    OGRSpatialReference known;
    if (known.importFromEPSG(std::atoi(code)) == OGRERR_NONE && known.IsSame(&srs)) srs = known;
}

Result<CfSrs> FromText(const CrsSource& source, const MapCoordinates& coordinates,
                       zarr::Warnings& warnings) {
    ZARR_ASSIGN_OR_RETURN(const std::string text, zarr::SafeCrsText(source.text).Report(warnings));
    const QuietErrors quiet;
    CfSrs located;
    if (located.srs.SetFromUserInput(text.c_str(),
                                     OGRSpatialReference::SET_FROM_USER_INPUT_LIMITATIONS_get()) !=
        OGRERR_NONE) {
        const std::string detail = QuietErrors::Message();
        return Status::Corrupt("not a CRS that PROJ knows" + (detail.empty() ? "" : ": " + detail));
    }
    UseDefinitionOfEpsg(located.srs);
    const bool is_view = SatelliteHeight(located.srs) > 0;
    located.coordinate_scale =
        CoordinateScale(located.srs, is_view ? GeostationaryUnits(coordinates) : coordinates.units);
    return located;
}

Result<CfSrs> FromLongLat(const MapCoordinates& coordinates) {
    CfSrs located;
    if (located.srs.importFromEPSG(4326) != OGRERR_NONE)
        return Status::NotFound("PROJ's database has no EPSG:4326");
    located.coordinate_scale = CoordinateScale(located.srs, coordinates.units);
    return located;
}

Result<CfSrs> FromGridMapping(const CrsSource& source, const MapCoordinates& coordinates,
                              zarr::Warnings& warnings) {
    ZARR_ASSIGN_OR_RETURN(const zarr::CfGridMapping mapping,
                          zarr::ParseCfGridMapping(source.attributes, warnings));
    const bool is_view = mapping.name == "geostationary";
    const std::string& units = source.units.empty() ? coordinates.units : source.units;
    ZARR_ASSIGN_OR_RETURN(
        CfSrs located,
        MakeCfSrs(mapping, is_view ? GeostationaryUnits(coordinates) : units, warnings));
    const auto code = zarr::SafeCrsText(source.code).value;
    if (code.ok() && !ReplaceByCode(*code, mapping, located) &&
        source.attributes.Find("epsg_code") != nullptr)
        warnings.push_back(source.origin + ": attribute epsg_code: " + source.code +
                           " is not the CRS of the other attributes, which are used");
    return located;
}

Result<CfSrs> Interpret(const CrsSource& source, const MapCoordinates& coordinates,
                        zarr::Warnings& warnings) {
    switch (source.kind) {
        case CrsSource::Kind::kText:
            return FromText(source, coordinates, warnings);
        case CrsSource::Kind::kLongLat:
            return FromLongLat(coordinates);
        case CrsSource::Kind::kBroken:
            return Status::Corrupt(source.text);
        case CrsSource::Kind::kGridMapping:
            break;
    }
    return FromGridMapping(source, coordinates, warnings);
}

// Sets the coordinate epoch of a dynamic CRS from an array's attributes. Ignores the attribute if
// the CRS is static: another program has then replaced the CRS, and left the attribute.
void SetEpoch(const zarr::json::Value& attributes, OGRSpatialReference& srs) {
    const zarr::json::Value* const stated = attributes.Find(kEpochAttribute);
    double epoch = 0;
    if (stated != nullptr && stated->GetDouble(epoch) && epoch > 0 && srs.IsDynamic())
        srs.SetCoordinateEpoch(epoch);
}

// Sets the CRS from the first statement that can be used. Adds a warning for each statement that
// was tried before and cannot be used.
void FindSrs(const zarr::Hierarchy& hierarchy, const zarr::ArrayFacts& facts,
             const std::optional<zarr::AffineSource>& affine, const MapCoordinates& coordinates,
             const GeoreferencingOptions& options, Georeferencing& result) {
    const bool is_ome = affine && affine->is_ome;
    for (const CrsSource& source : zarr::FindCrsSources(
             hierarchy, facts, is_ome ? zarr::AssumeLonglat::kNo : options.assume_longlat)) {
        auto located = Interpret(source, coordinates, result.warnings);
        if (!located.ok()) {
            const std::string where = source.origin.empty() ? "" : source.origin + ": ";
            result.warnings.push_back(where + located.status().message());
            continue;
        }
        if (source.yields_to_degrees && coordinates.are_long_lat && !located->srs.IsGeographic())
            continue;
        result.srs = std::move(located->srs);
        result.srs->SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
        SetEpoch(facts.attributes, *result.srs);
        result.srs_origin = source.origin;
        result.coordinate_scale = located->coordinate_scale;
        return;
    }
}

// Converts a geotransform from the units of the coordinates to the units of the CRS. `factor`
// converts X; `factor` * `y_factor` converts Y.
void Scale(GeoTransform& transform, double factor, double y_factor) {
    if (factor == 1 && y_factor == 1) return;
    for (std::size_t i = 0; i < transform.size(); ++i)
        transform[i] *= i < 3 ? factor : factor * y_factor;
}

// Returns the number of columns that span 360 degrees, if the raster has as many, or more, because
// columns are repeated at its end. Returns nullopt for other rasters.
std::optional<double> ColumnsOfGlobe(double step, double columns) {
    const double period = std::round(360 / std::fabs(step));
    const bool is_whole = std::fabs(period * std::fabs(step) - 360) < 0.01 * std::fabs(step);
    return is_whole && columns >= period ? std::optional(period) : std::nullopt;
}

// Shifts longitudes to -180..180. Columns are rotated only if the raster spans the globe. The
// raster then starts with the column next to 180 degrees: west of it if longitudes decrease. The
// range includes -180 and not 180, unless the raster has a column for both.
void WrapLongitude(const zarr::ArrayFacts& facts, Georeferencing& result) {
    GeoTransform& t = *result.transform;
    const auto columns = static_cast<double>(facts.dimensions[*facts.axes.x].size);
    const double step = t[1];
    if (step == 0 || t[2] != 0 || t[4] != 0) return;
    const double noise = 1e-6 * std::fabs(step);
    const auto is_within = [&](double first) {
        const auto [low, high] = std::minmax({first, first + (columns - 1) * step});
        return low >= -180 - noise && high <= 180 + noise;
    };
    const double first = t[0] + 0.5 * step;
    if (is_within(first)) return;
    const double start = first - 360 * std::floor((first + 180 + noise) / 360);
    if (is_within(start)) {
        t[0] += start - first;
        return;
    }
    const auto period = ColumnsOfGlobe(step, columns);
    if (!period) {
        result.warnings.push_back(
            "WRAP_LONGITUDE: the raster crosses 180 degrees but does not span the globe; it is not "
            "wrapped");
        return;
    }
    const double to_west = (start + 180) / -step;
    const double rolled = step > 0            ? std::ceil((180 - noise - start) / step)
                          : columns > *period ? std::ceil(to_west - 1e-6)
                                              : std::floor(to_west + 1e-6) + 1;
    t[0] = start + rolled * step - std::copysign(360, step) - 0.5 * step;
    result.rolled_columns = static_cast<int>(rolled);
    result.roll_period = static_cast<int>(*period);
}

// True if X and Y are the map axes of the array. False if DIM_X or DIM_Y select other axes, such as
// time over latitude; statements about the map do not apply then.
bool IsMap(const zarr::ArrayFacts& facts) {
    using zarr::AxisRole;
    const auto fits = [&](const std::optional<std::size_t>& axis, AxisRole role) {
        const AxisRole its = axis ? facts.dimensions[*axis].role : AxisRole::kNone;
        return its == role || its == AxisRole::kNone;
    };
    return fits(facts.axes.x, AxisRole::kX) && fits(facts.axes.y, AxisRole::kY);
}

void FlipRows(const zarr::ArrayFacts& facts, Georeferencing& result) {
    zarr::GeoTransform& t = *result.transform;
    if (!IsSouthUp(t)) return;
    t[3] += t[5] * static_cast<double>(facts.metadata.shape[*facts.axes.y]);
    t[5] = -t[5];
    result.is_flipped = true;
}

// True if 2-D coordinate arrays locate the raster, and X and Y are no map coordinates. An example
// is a radar's angle and distance.
bool IsLocatedByArrays(const zarr::ArrayFacts& facts,
                       const std::optional<zarr::Geolocation>& geolocation) {
    return geolocation && !geolocation->is_along_axes &&
           facts.dimensions[*facts.axes.x].role == zarr::AxisRole::kNone &&
           facts.dimensions[*facts.axes.y].role == zarr::AxisRole::kNone;
}

// True if the geotransform `t` maps to whole pixel numbers of a larger raster from which this
// raster was cut.
bool HoldsPixelNumbers(const GeoTransform& t) {
    return t[2] == 0 && t[4] == 0 && t[1] >= 1 && t[5] >= 1 && t[1] == std::floor(t[1]) &&
           t[5] == std::floor(t[5]);
}

// Sets ground control points in `result`, in its CRS. If the geotransform gives pixel numbers of a
// larger raster, the points get pixel numbers of this raster. Does nothing if the geotransform is
// in map coordinates, or if the points do not fit the raster.
void TakePoints(std::vector<zarr::GroundControlPoint> points, const zarr::ArrayFacts& facts,
                Georeferencing& result) {
    if (points.empty()) return;
    if (result.transform) {
        const GeoTransform t = *result.transform;
        if (!HoldsPixelNumbers(t)) return;
        for (zarr::GroundControlPoint& point : points) {
            point.pixel = (point.pixel - t[0]) / t[1];
            point.line = (point.line - t[3]) / t[5];
        }
        result.transform.reset();
        result.transform_origin.clear();
    } else if (!zarr::ArePointsForRaster(facts, points)) {
        return;
    }
    result.points = std::move(points);
    result.points_srs = std::move(result.srs);
    result.srs.reset();
    result.srs_origin.clear();
}

// Sets ground control points of EOPF, in WGS 84, and removes the CRS. Returns false if the array
// has no such points.
bool FindControl(const zarr::Hierarchy& hierarchy, const zarr::ArrayFacts& facts,
                 std::size_t threads, Georeferencing& result) {
    result.points = zarr::FindGroundControl(hierarchy, facts, threads, result.warnings);
    if (result.points.empty()) return false;
    result.srs.reset();
    result.srs_origin.clear();
    result.points_srs.emplace();
    if (result.points_srs->importFromEPSG(4326) != OGRERR_NONE)
        result.points_srs.reset();
    else
        result.points_srs->SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    return true;
}

// Applies the options wrap_longitude and north_up to the geotransform.
void ApplyOptions(const zarr::AffineSource& affine, const zarr::ArrayFacts& facts,
                  const GeoreferencingOptions& options, Georeferencing& result) {
    const bool geographic = result.srs && result.srs->IsGeographic();
    if (affine.first_column != 0) {
        result.rolled_columns = static_cast<int>(affine.first_column);
        result.roll_period = static_cast<int>(facts.dimensions[*facts.axes.x].size);
    } else if (options.wrap_longitude && geographic && affine.from_coordinates) {
        WrapLongitude(facts, result);
    }
    if (options.north_up) FlipRows(facts, result);
}

// Warns about coordinate arrays that a server refuses to return (403), if coordinates are expected.
// They are expected if the array has the attribute "coordinates" or "grid_mapping", or if only one
// of X and Y lacks coordinates.
void WarnOfRefusedCoordinates(const zarr::Hierarchy& hierarchy, const zarr::ArrayFacts& facts,
                              zarr::Warnings& warnings) {
    std::vector<std::string> names = zarr::WordsAttribute(facts.attributes, "coordinates");
    bool are_expected = !names.empty() || facts.attributes.Find("grid_mapping") != nullptr;
    for (const auto& axis : {facts.axes.y, facts.axes.x}) {
        if (!axis) continue;
        const zarr::Dimension& dimension = facts.dimensions[*axis];
        if (!dimension.coordinate_path.empty())
            are_expected = true;
        else if (dimension.is_named)
            names.push_back(dimension.name);
    }
    if (!are_expected) return;
    for (const std::string& name : names) {
        const std::string path = zarr::JoinKey(zarr::ParentPath(facts.path), name);
        const auto found = hierarchy.Has(path, zarr::Document::kArray);
        if (!found.ok() && found.status().code() == zarr::StatusCode::kPermission)
            warnings.push_back(found.status().message());
    }
}

// Reads the georeferencing of an array whose X and Y count rows and columns of pixels.
Georeferencing ReadOfPixels(const zarr::Hierarchy& hierarchy, const zarr::ArrayFacts& facts,
                            const std::string& store_path, const GeoreferencingOptions& options) {
    Georeferencing result;
    const auto find_control = [&] {
        return FindControl(hierarchy, facts, options.threads, result);
    };
    // X and Y that are no map axes may be time and the width of a satellite's track. Control points
    // may locate such an array.
    if (!IsMap(facts) && find_control()) return result;
    const auto columns =
        options.wrap_longitude && IsMap(facts) ? zarr::MovedColumns::kYes : zarr::MovedColumns::kNo;
    auto affine =
        zarr::FindGeoTransform(hierarchy, facts, options.threads, result.warnings, columns);
    if (!IsMap(facts)) {
        if (affine && affine->from_coordinates) {
            result.transform = affine->transform;
            result.transform_origin = affine->origin;
        }
        return result;
    }
    const auto geolocation = zarr::FindGeolocation(hierarchy, facts).Report(result.warnings);
    const bool is_by_arrays =
        affine && affine->from_coordinates && IsLocatedByArrays(facts, geolocation);
    const bool is_in_crs = geolocation && geolocation->kind == zarr::Geolocation::Kind::kInCrs;
    if (is_by_arrays && is_in_crs) affine.reset();
    const MapCoordinates coordinates = CoordinatesOf(facts, affine, geolocation);
    result.y_factor = coordinates.y_factor;
    FindSrs(hierarchy, facts, affine, coordinates, options, result);
    const std::optional<OGRSpatialReference> srs_of_arrays = result.srs;
    if (is_by_arrays && is_in_crs) {
        result.srs.reset();
        result.srs_origin.clear();
    } else if (is_by_arrays && !result.srs) {
        affine.reset();
    }
    if (affine) {
        result.transform = affine->transform;
        result.transform_origin = affine->origin;
        if (affine->from_coordinates)
            Scale(*result.transform, result.coordinate_scale, result.y_factor);
    }
    TakePoints(zarr::FindStatedPoints(hierarchy, facts, result.warnings), facts, result);
    if (!result.transform && result.points.empty()) find_control();
    if (result.transform) ApplyOptions(*affine, facts, options, result);
    // Geolocation arrays are dropped if they repeat the geotransform: they are along the axes, or
    // in the CRS of the raster. Longitudes and latitudes of each pixel of a projected raster are
    // kept, because they add information.
    const bool is_repeated =
        geolocation && result.transform &&
        (geolocation->is_along_axes || geolocation->kind == zarr::Geolocation::Kind::kInCrs);
    if (!geolocation && !result.transform && result.points.empty())
        WarnOfRefusedCoordinates(hierarchy, facts, result.warnings);
    if (geolocation && !is_repeated)
        result.geolocation =
            GeolocationDomain({hierarchy, store_path, srs_of_arrays ? &*srs_of_arrays : nullptr,
                               options.fixed, options.threads},
                              *geolocation, result.warnings);
    return result;
}

}  // namespace

Georeferencing ReadGeoreferencing(const zarr::Hierarchy& hierarchy, const zarr::ArrayFacts& facts,
                                  const std::string& store_path,
                                  const GeoreferencingOptions& options) {
    const zarr::ArrayFacts located = zarr::WithAuxiliaryAxes(hierarchy, facts);
    const std::string grid = zarr::CellGridOf(hierarchy, located);
    if (grid.empty()) return ReadOfPixels(hierarchy, located, store_path, options);
    Georeferencing result;
    // Only the CRS may be of use. Its statements may be unknown, such as a HEALPix grid mapping.
    FindSrs(hierarchy, located, std::nullopt, MapCoordinates(), options, result);
    result.warnings = {"the cells of " + grid +
                       " are not in rows and columns; there is no geotransform"};
    return result;
}

Result<OGRSpatialReference> CrsOfGridMapping(const zarr::json::Value& attributes) {
    zarr::Warnings ignored;  // reading the georeferencing of a raster reports them
    for (const char* const name : {"crs_wkt", "spatial_ref"}) {
        const std::string* const text = zarr::StringAttribute(attributes, name);
        if (text == nullptr) continue;
        CrsSource source;
        source.text = *text;
        if (auto located = FromText(source, MapCoordinates(), ignored); located.ok())
            return std::move(located->srs);
    }
    ZARR_ASSIGN_OR_RETURN(const zarr::CfGridMapping mapping,
                          zarr::ParseCfGridMapping(attributes, ignored));
    ZARR_ASSIGN_OR_RETURN(CfSrs located, MakeCfSrs(mapping, "", ignored));
    return std::move(located.srs);
}

}  // namespace zarr_driver

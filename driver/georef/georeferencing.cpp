// SPDX-License-Identifier: MIT
#include "driver/georef/georeferencing.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/conventions/crs_sources.h"
#include "core/conventions/crs_text.h"
#include "driver/base/report.h"
#include "driver/georef/cf_srs.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

using zarr::CrsSource;
using zarr::GeoTransform;
using zarr::Result;
using zarr::Status;

namespace {

std::string AxisUnits(const zarr::ArrayFacts& facts, const std::optional<std::size_t>& axis) {
    if (!axis) return {};
    const auto* units =
        zarr::StringAttribute(facts.dimensions[*axis].coordinate_attributes, "units");
    return units != nullptr ? *units : std::string();
}

// A CRS of EPSG's that came as WKT 2 has no other codes than its own; EPSG's has those of all its
// parts, which WKT 1 shows.
void UseDefinitionOfEpsg(OGRSpatialReference& srs) {
    const char* const authority = srs.GetAuthorityName(nullptr);
    const char* const code = srs.GetAuthorityCode(nullptr);
    if (authority == nullptr || code == nullptr || !EQUAL(authority, "EPSG")) return;
    OGRSpatialReference known;
    if (known.importFromEPSG(std::atoi(code)) == OGRERR_NONE && known.IsSame(&srs)) srs = known;
}

Result<CfSrs> FromText(const CrsSource& source, const std::string& units,
                       zarr::Warnings& warnings) {
    ZARR_ASSIGN_OR_RETURN(const std::string text, zarr::SafeCrsText(source.text, warnings));
    const QuietErrors quiet;
    CfSrs located;
    if (located.srs.SetFromUserInput(text.c_str(),
                                     OGRSpatialReference::SET_FROM_USER_INPUT_LIMITATIONS_get()) !=
        OGRERR_NONE) {
        const std::string detail = QuietErrors::Message();
        return Status::Corrupt("not a CRS that PROJ knows" + (detail.empty() ? "" : ": " + detail));
    }
    UseDefinitionOfEpsg(located.srs);
    located.coordinate_scale = CoordinateScale(located.srs, units);
    return located;
}

Result<CfSrs> FromLongLat() {
    CfSrs located;
    if (located.srs.importFromEPSG(4326) != OGRERR_NONE)
        return Status::NotFound("PROJ's database has no EPSG:4326");
    return located;
}

Result<CfSrs> Interpret(const CrsSource& source, const std::string& units,
                        zarr::Warnings& warnings) {
    switch (source.kind) {
        case CrsSource::Kind::kText:
            return FromText(source, units, warnings);
        case CrsSource::Kind::kLongLat:
            return FromLongLat();
        case CrsSource::Kind::kBroken:
            return Status::Corrupt(source.text);
        case CrsSource::Kind::kGridMapping:
            break;
    }
    ZARR_ASSIGN_OR_RETURN(const zarr::CfGridMapping mapping,
                          zarr::ParseCfGridMapping(source.attributes, warnings));
    return MakeCfSrs(mapping, units, warnings);
}

void Scale(GeoTransform& transform, double factor) {
    if (factor == 1) return;
    for (double& number : transform) number *= factor;
}

// The first column whose centre lies past 180 degrees east comes first; the rest follow it only
// where the raster goes once around the globe.
void WrapLongitude(const zarr::ArrayFacts& facts, Georeferencing& result) {
    GeoTransform& t = *result.transform;
    const auto columns = static_cast<double>(facts.dimensions[*facts.axes.x].size);
    if (!(t[1] > 0) || t[2] != 0 || t[4] != 0) return;
    const double east = t[0] + columns * t[1];
    if (east <= 180 + 0.5 * t[1]) return;
    if (t[0] >= 180 - 1e-9) {
        t[0] -= 360;
        return;
    }
    const double first = std::ceil((180 - t[0]) / t[1] - 0.5);
    const bool global = std::fabs(columns * t[1] - 360) < 0.01 * t[1];
    if (!global || first <= 0 || first >= columns) {
        result.warnings.push_back(
            "WRAP_LONGITUDE: the raster crosses 180 degrees without going around the globe, and "
            "stays as it is");
        return;
    }
    result.rolled_columns = static_cast<int>(first);
    t[0] += first * t[1] - 360;
}

std::string Wgs84Wkt() {
    OGRSpatialReference srs;
    char* wkt = nullptr;
    if (srs.importFromEPSG(4326) != OGRERR_NONE || srs.exportToWkt(&wkt) != OGRERR_NONE) return {};
    std::string text(wkt);
    CPLFree(wkt);
    return text;
}

// True unless DIM_X and DIM_Y made a raster of something else, such as time over latitude: what the
// attributes say of the map does not hold for that.
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
    const bool is_south_up = t[2] == 0 && t[4] == 0 && t[5] > 0;
    if (!is_south_up) return;
    t[3] += t[5] * static_cast<double>(facts.metadata.shape[*facts.axes.y]);
    t[5] = -t[5];
    result.is_flipped = true;
}

CPLStringList GeolocationDomain(const zarr::Geolocation& geolocation,
                                const std::string& store_path) {
    CPLStringList list;
    const auto set = [&list](const char* name, const std::string& value) {
        list.SetNameValue(name, value.c_str());
    };
    set("SRS", Wgs84Wkt());
    set("X_DATASET", FormatConnectionString(store_path, geolocation.longitude_path));
    set("X_BAND", "1");
    set("Y_DATASET", FormatConnectionString(store_path, geolocation.latitude_path));
    set("Y_BAND", "1");
    set("PIXEL_OFFSET", "0");
    set("PIXEL_STEP", "1");
    set("LINE_OFFSET", "0");
    set("LINE_STEP", "1");
    set("GEOREFERENCING_CONVENTION", "PIXEL_CENTER");
    return list;
}

}  // namespace

Georeferencing ReadGeoreferencing(const zarr::Hierarchy& hierarchy, const zarr::ArrayFacts& facts,
                                  const std::string& store_path,
                                  const GeoreferencingOptions& options) {
    Georeferencing result;
    // Of a swath that lies along the times of its track.
    if (!IsMap(facts))
        result.points = zarr::FindGroundControl(hierarchy, facts, options.threads, result.warnings);
    if (!result.points.empty()) return result;
    auto affine = zarr::FindGeoTransform(hierarchy, facts, options.threads, result.warnings);
    if (!IsMap(facts)) {
        if (affine && affine->from_coordinates) {
            result.transform = affine->transform;
            result.transform_origin = affine->origin;
        }
        return result;
    }
    const std::string units = AxisUnits(facts, facts.axes.x);
    const bool is_ome = affine && affine->is_ome;
    for (const CrsSource& source : zarr::FindCrsSources(
             hierarchy, facts, is_ome ? zarr::AssumeLonglat::kNo : options.assume_longlat)) {
        auto located = Interpret(source, units, result.warnings);
        if (!located.ok()) {
            const std::string where = source.origin.empty() ? "" : source.origin + ": ";
            result.warnings.push_back(where + located.status().message());
            continue;
        }
        result.srs = std::move(located->srs);
        result.srs->SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
        result.srs_origin = source.origin;
        result.coordinate_scale = located->coordinate_scale;
        break;
    }
    if (affine) {
        result.transform = affine->transform;
        result.transform_origin = affine->origin;
        if (affine->from_coordinates) Scale(*result.transform, result.coordinate_scale);
        const bool geographic = result.srs && result.srs->IsGeographic();
        if (options.wrap_longitude && geographic && affine->from_coordinates)
            WrapLongitude(facts, result);
        if (options.north_up) FlipRows(facts, result);
    }
    // The coordinate arrays of a regular grid say nothing that the geotransform does not.
    const auto geolocation = zarr::FindGeolocation(hierarchy, facts);
    const bool is_1d = geolocation && geolocation->longitude_path ==
                                          facts.dimensions[*facts.axes.x].coordinate_path;
    if (geolocation && !(is_1d && result.transform))
        result.geolocation = GeolocationDomain(*geolocation, store_path);
    if (!result.transform)
        result.points = zarr::FindGroundControl(hierarchy, facts, options.threads, result.warnings);
    return result;
}

}  // namespace zarr_driver

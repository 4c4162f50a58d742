// SPDX-License-Identifier: MIT
#include "core/conventions/crs/ground_control.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/cf/coordinates.h"
#include "core/conventions/crs/geotiff.h"
#include "core/conventions/crs/grid_mapping.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// Maximum number of ground control points to read; known products have a few hundred.
constexpr std::size_t kMaxPoints = 100'000;

// Reads the arrays of ground control points. Each result has `rows` x `columns` values, so a 1-D
// array is repeated for each row or column.
class Control {
  public:
    Control(const Hierarchy& hierarchy, std::string group, std::size_t threads)
        : hierarchy_(hierarchy), group_(std::move(group)), threads_(threads) {}

    Result<std::vector<double>> Read(const char* name) {
        const std::string path = JoinKey(group_, name);
        ZARR_ASSIGN_OR_RETURN(const ArrayMetadata metadata, hierarchy_.Metadata(path));
        ZARR_ASSIGN_OR_RETURN(
            Coordinates read,
            ReadCoordinates(hierarchy_, path, AttributesOrEmpty(hierarchy_, path), threads_));
        if (shape_.empty()) shape_ = metadata.shape;
        if (metadata.shape == shape_) return std::move(read.values);
        if (shape_.size() == 2 && metadata.rank() == 1) {
            const bool along_rows = std::string_view(name) == "line";
            if (read.values.size() == shape_[along_rows ? 0 : 1])
                return Spread(read.values, along_rows);
        }
        return Status::Corrupt(path +
                               ": the shape does not match the other arrays of control points");
    }

  private:
    std::vector<double> Spread(const std::vector<double>& values, bool along_rows) const {
        std::vector<double> spread;
        for (std::size_t row = 0; row < shape_[0]; ++row)
            for (std::size_t column = 0; column < shape_[1]; ++column)
                spread.push_back(values[along_rows ? row : column]);
        return spread;
    }

    const Hierarchy& hierarchy_;
    const std::string group_;
    const std::size_t threads_;
    std::vector<std::uint64_t> shape_;
};

Result<std::vector<GroundControlPoint>> ReadControl(const Hierarchy& hierarchy,
                                                    const std::string& group, std::size_t threads) {
    Control control(hierarchy, group, threads);
    ZARR_ASSIGN_OR_RETURN(const std::vector<double> latitude, control.Read("latitude"));
    ZARR_ASSIGN_OR_RETURN(const std::vector<double> longitude, control.Read("longitude"));
    ZARR_ASSIGN_OR_RETURN(const std::vector<double> pixel, control.Read("pixel"));
    ZARR_ASSIGN_OR_RETURN(const std::vector<double> line, control.Read("line"));
    const auto height = control.Read("height");
    if (latitude.size() > kMaxPoints)
        return Status::Limit(group + ": " + std::to_string(latitude.size()) +
                             " ground control points exceed the maximum of " +
                             std::to_string(kMaxPoints));
    std::vector<GroundControlPoint> points;
    for (std::size_t i = 0; i < latitude.size(); ++i) {
        if (!std::isfinite(latitude[i]) || !std::isfinite(longitude[i])) continue;
        // Pixel and line are not shifted by half a pixel, as in GDAL's SAFE driver for Sentinel-1.
        points.push_back({pixel[i], line[i], longitude[i], latitude[i],
                          height.ok() && std::isfinite((*height)[i]) ? (*height)[i] : 0});
    }
    return points;
}

// Reads a ground control point from a GeoJSON feature with the properties `row` and `col`. Returns
// false for any other feature.
bool ReadFeature(const json::Value& feature, GroundControlPoint& point) {
    const json::Value* const properties = feature.Find("properties");
    const json::Value* const geometry = feature.Find("geometry");
    if (properties == nullptr || geometry == nullptr) return false;
    const json::Value* const coordinates = geometry->Find("coordinates");
    const json::Array* const numbers = coordinates != nullptr ? coordinates->as_array() : nullptr;
    const json::Value* const row = properties->Find("row");
    const json::Value* const column = properties->Find("col");
    if (numbers == nullptr || numbers->size() < 2 || row == nullptr || column == nullptr)
        return false;
    // rioxarray writes null for an unknown height, which counts as 0.
    if (numbers->size() > 2 && !(*numbers)[2].GetDouble(point.height)) point.height = 0;
    return row->GetDouble(point.line) && column->GetDouble(point.pixel) &&
           (*numbers)[0].GetDouble(point.x) && (*numbers)[1].GetDouble(point.y) &&
           std::isfinite(point.line) && std::isfinite(point.pixel) && std::isfinite(point.x) &&
           std::isfinite(point.y) && std::isfinite(point.height);
}

Result<std::vector<GroundControlPoint>> ReadGeoJson(const json::Value& stated) {
    json::Value parsed;
    if (const std::string* const text = stated.as_string()) {
        ZARR_ASSIGN_OR_RETURN(parsed, json::Parse(*text));
    }
    const json::Value& collection = stated.as_string() != nullptr ? parsed : stated;
    const json::Value* const member = collection.Find("features");
    const json::Array* const features = member != nullptr ? member->as_array() : nullptr;
    if (features == nullptr)
        return Status::Corrupt("expected a FeatureCollection of GeoJSON, got " +
                               json::Brief(collection));
    if (features->size() > kMaxPoints)
        return Status::Limit(std::to_string(features->size()) +
                             " ground control points exceed the maximum of " +
                             std::to_string(kMaxPoints));
    std::vector<GroundControlPoint> points;
    for (const json::Value& feature : *features) {
        GroundControlPoint point;
        if (!ReadFeature(feature, point))
            return Status::Corrupt("expected a point with the properties row and col, got " +
                                   json::Brief(feature));
        points.push_back(point);
    }
    return points;
}

}  // namespace

bool ArePointsForRaster(const ArrayFacts& facts, const std::vector<GroundControlPoint>& points) {
    constexpr double kSlack = 1.1;
    const double columns = kSlack * static_cast<double>(facts.dimensions[*facts.axes.x].size);
    const double rows = kSlack * static_cast<double>(facts.dimensions[*facts.axes.y].size);
    return std::all_of(points.begin(), points.end(), [&](const GroundControlPoint& point) {
        return point.pixel <= columns && point.line <= rows;
    });
}

std::vector<GroundControlPoint> FindGroundControl(const Hierarchy& hierarchy,
                                                  const ArrayFacts& facts, std::size_t threads,
                                                  Warnings& warnings) {
    std::string_view at = facts.path;
    if (!facts.axes.x || !facts.axes.y) return {};
    while (!at.empty()) {
        at = ParentPath(at);
        const std::string group = JoinKey(at, "conditions/gcp");
        const auto has = hierarchy.Has(JoinKey(group, "latitude"), Document::kArray);
        if (!has.ok() || !*has) continue;
        auto points = ReadControl(hierarchy, group, threads);
        if (points.ok())
            return ArePointsForRaster(facts, *points) ? points.Take()
                                                      : std::vector<GroundControlPoint>();
        warnings.push_back(points.status().message());
        break;
    }
    return {};
}

namespace {

// Returns the points in the attribute `gcps` of the grid mapping.
std::vector<GroundControlPoint> FindPointsOfGridMapping(const Hierarchy& hierarchy,
                                                        const ArrayFacts& facts,
                                                        Warnings& warnings) {
    const std::string path = FindOwnGridMapping(hierarchy, facts);
    if (path.empty()) return {};
    const json::Value attributes = AttributesOrEmpty(hierarchy, path);
    const json::Value* const stated = attributes.Find("gcps");
    if (stated == nullptr || stated->is_null()) return {};
    auto points = ReadGeoJson(*stated);
    if (points.ok()) return points.Take();
    warnings.push_back("attribute gcps of /" + path + ": " + points.status().message());
    return {};
}

}  // namespace

std::vector<GroundControlPoint> FindStatedPoints(const Hierarchy& hierarchy,
                                                 const ArrayFacts& facts, Warnings& warnings) {
    if (!facts.axes.x || !facts.axes.y) return {};
    auto points = FindPointsOfGridMapping(hierarchy, facts, warnings);
    const auto tags = points.empty() ? FindGeoTiffTags(hierarchy, facts) : std::nullopt;
    return tags ? ReadGeoTiffPoints(*tags, warnings) : points;
}

}  // namespace zarr

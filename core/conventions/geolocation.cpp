// SPDX-License-Identifier: MIT
#include "core/conventions/geolocation.h"

#include <algorithm>
#include <cmath>

#include "core/conventions/attributes.h"
#include "core/conventions/coordinates.h"
#include "core/conventions/crs_sources.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// Most ground control points that are read; products have a few hundred.
constexpr std::size_t kMaxPoints = 100'000;

// Whether the 2-D array at `path` lies on the raster's own X and Y dimensions.
bool OnSameGrid(const Hierarchy& hierarchy, const ArrayFacts& facts, const std::string& path) {
    Warnings ignored;
    const auto other = DescribeArray(hierarchy, path);
    if (!other.ok() || other->metadata.rank() != 2) return false;
    const Dimension& x = facts.dimensions[*facts.axes.x];
    const Dimension& y = facts.dimensions[*facts.axes.y];
    const auto is = [](const Dimension& a, const Dimension& b) {
        return a.name == b.name && a.size == b.size;
    };
    const Dimension& first = other->dimensions[0];
    const Dimension& second = other->dimensions[1];
    return (is(first, y) && is(second, x)) || (is(first, x) && is(second, y));
}

void LookIn(const Hierarchy& hierarchy, const ArrayFacts& facts, const json::Value& attributes,
            Geolocation& found) {
    const std::string group(ParentPath(facts.path));
    for (const std::string& word : WordsAttribute(attributes, "coordinates")) {
        const std::string path = FindVariable(hierarchy, group, word);
        if (path.empty() || !OnSameGrid(hierarchy, facts, path)) continue;
        Warnings ignored;
        const json::Value its = LenientAttributes(hierarchy, path, ignored);
        const std::string name(LastName(path));
        const bool has_role = IsLongitude(its) || IsLatitude(its);
        // Names decide only where the attributes say nothing.
        if (IsLongitude(its) || (!has_role && RoleFromName(name) == AxisRole::kX))
            found.longitude_path = path;
        if (IsLatitude(its) || (!has_role && RoleFromName(name) == AxisRole::kY))
            found.latitude_path = path;
    }
}

bool IsComplete(const Geolocation& found) {
    return !found.longitude_path.empty() && !found.latitude_path.empty();
}

// Values of one array of the ground control, spread over the `rows` x `columns` of the grid where
// it is given along one of its dimensions only.
class Control {
  public:
    Control(const Hierarchy& hierarchy, std::string group, std::size_t threads)
        : hierarchy_(hierarchy), group_(std::move(group)), threads_(threads) {}

    Result<std::vector<double>> Read(const char* name) {
        const std::string path = JoinKey(group_, name);
        ZARR_ASSIGN_OR_RETURN(const ArrayMetadata metadata, hierarchy_.Metadata(path));
        Warnings ignored;
        ZARR_ASSIGN_OR_RETURN(
            Coordinates read,
            ReadCoordinates(hierarchy_, path, LenientAttributes(hierarchy_, path, ignored),
                            threads_));
        if (shape_.empty()) shape_ = metadata.shape;
        if (metadata.shape == shape_) return std::move(read.values);
        if (shape_.size() == 2 && metadata.rank() == 1) {
            const bool along_rows = std::string_view(name) == "line";
            if (read.values.size() == shape_[along_rows ? 0 : 1])
                return Spread(read.values, along_rows);
        }
        return Status::Corrupt(path + ": its shape fits none of the other control points");
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
                             " ground control points, the most is " + std::to_string(kMaxPoints));
    std::vector<GroundControlPoint> points;
    for (std::size_t i = 0; i < latitude.size(); ++i) {
        if (!std::isfinite(latitude[i]) || !std::isfinite(longitude[i])) continue;
        // As they are, like GDAL's driver for the same products in SAFE format.
        points.push_back({pixel[i], line[i], longitude[i], latitude[i],
                          height.ok() && std::isfinite((*height)[i]) ? (*height)[i] : 0});
    }
    return points;
}

// False for arrays of the product that are smaller than the image that the points are of, as those
// of the points themselves. The last points may lie beyond its end.
bool AreOf(const ArrayFacts& facts, const std::vector<GroundControlPoint>& points) {
    constexpr double kSlack = 1.1;
    const double columns = kSlack * static_cast<double>(facts.dimensions[*facts.axes.x].size);
    const double rows = kSlack * static_cast<double>(facts.dimensions[*facts.axes.y].size);
    return std::all_of(points.begin(), points.end(), [&](const GroundControlPoint& point) {
        return point.pixel <= columns && point.line <= rows;
    });
}

}  // namespace

std::optional<Geolocation> FindGeolocation(const Hierarchy& hierarchy, const ArrayFacts& facts) {
    if (facts.path.empty() || !facts.axes.x || !facts.axes.y) return std::nullopt;
    Geolocation found;
    LookIn(hierarchy, facts, facts.attributes, found);
    Warnings ignored;
    if (!IsComplete(found))
        LookIn(hierarchy, facts,
               LenientAttributes(hierarchy, std::string(ParentPath(facts.path)), ignored), found);
    if (IsComplete(found)) return found;
    const Dimension& x = facts.dimensions[*facts.axes.x];
    const Dimension& y = facts.dimensions[*facts.axes.y];
    if (IsLongitude(x.coordinate_attributes) && IsLatitude(y.coordinate_attributes))
        return Geolocation{x.coordinate_path, y.coordinate_path};
    return std::nullopt;
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
            return AreOf(facts, *points) ? points.Take() : std::vector<GroundControlPoint>();
        warnings.push_back(points.status().message());
        break;
    }
    return {};
}

}  // namespace zarr

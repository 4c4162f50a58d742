// SPDX-License-Identifier: MIT
#include "core/conventions/crs/geolocation.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/conventions/attributes/attributes.h"
#include "core/conventions/attributes/axis_roles.h"
#include "core/conventions/cf/cf_units.h"
#include "core/conventions/crs/geotransform.h"
#include "core/conventions/crs/grid_mapping.h"
#include "core/conventions/facts/tiff_tags.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

using Kind = Geolocation::Kind;

bool IsSameDimension(const Dimension& a, const Dimension& b) {
    return a.size == b.size && (a.name == b.name || (!a.is_named && !b.is_named));
}

// Returns the array at `path` if its rows and columns are those of the raster; else nullopt.
std::optional<GeolocationArray> ArrayOnGrid(const Hierarchy& hierarchy, const ArrayFacts& raster,
                                            const std::string& path, Warnings& warnings) {
    const auto metadata = hierarchy.Metadata(path);
    if (metadata.ok() && (metadata->rank() < 2 || !metadata->dtype.is_numeric() ||
                          metadata->dtype.kind == DataKind::kComplex))
        return std::nullopt;
    // Attributes are read only for an array that may be a geolocation array, because reading them
    // costs requests.
    WarnIfInvalid(hierarchy, path, warnings);
    if (!metadata.ok()) return std::nullopt;
    auto facts = DescribeArray(hierarchy, path);
    if (!facts.ok() || !facts->axes.x || !facts->axes.y) return std::nullopt;
    GeolocationArray array;
    array.facts = facts.Take();
    const std::vector<Dimension>& own = array.facts.dimensions;
    const std::vector<Dimension>& wanted = raster.dimensions;
    const auto [x, y] = array.facts.axes;
    if (!IsSameDimension(own[*x], wanted[*raster.axes.x]) ||
        !IsSameDimension(own[*y], wanted[*raster.axes.y]))
        return std::nullopt;
    for (std::size_t i = 0; i < own.size(); ++i) {
        if (i == *x || i == *y) continue;
        // An array with another dimension after rows and columns cannot be used, because it has
        // several values for each pixel. An example is an array of pixel corners.
        if (i > *x || i > *y) return std::nullopt;
        GeolocationArray::Leading leading{own[i].name, own[i].size, std::nullopt};
        for (std::size_t k = 0; k < wanted.size(); ++k)
            if (IsSameDimension(own[i], wanted[k])) leading.of_raster = k;
        array.leading.push_back(std::move(leading));
    }
    return array;
}

// Kind and axis of the coordinates in an array, by the array's attributes and name.
struct Meaning {
    Kind kind = Kind::kLongLat;
    AxisRole role = AxisRole::kNone;  // kX or kY; kNone if the coordinates give no map position
    bool is_said = false;             // true: stated by attributes; false: suggested by the name
};

bool IsNameOfLongLat(const std::string& name) {
    constexpr std::string_view kNames[] = {"lon", "long", "longitude", "lat", "latitude"};
    const std::string key = NameKey(name);
    return std::find(std::begin(kNames), std::end(kNames), key) != std::end(kNames);
}

// True if `standard_name` is a CF name of projected or rotated coordinates.
bool IsOfProjection(const json::Value& attributes) {
    const std::string* const name = StringAttribute(attributes, "standard_name");
    return name != nullptr &&
           (name->compare(0, 5, "grid_") == 0 || name->compare(0, 11, "projection_") == 0);
}

bool IsHorizontal(AxisRole role) { return role == AxisRole::kX || role == AxisRole::kY; }

Meaning MeaningOf(const json::Value& attributes, const std::string& name) {
    if (IsLongitude(attributes)) return {Kind::kLongLat, AxisRole::kX, true};
    if (IsLatitude(attributes)) return {Kind::kLongLat, AxisRole::kY, true};
    const AxisRole said = RoleFromAttributes(attributes);
    const AxisRole role = said != AxisRole::kNone ? said : RoleFromName(name);
    if (!IsHorizontal(role)) return {};
    const std::string* const units = StringAttribute(attributes, "units");
    const auto unit = units != nullptr ? ParseSpaceUnit(*units) : std::nullopt;
    if (units != nullptr && !units->empty() && *units != "1" && !unit) return {};
    const bool is_length = unit && unit->kind == SpaceUnit::Kind::kLength;
    const bool is_said = said != AxisRole::kNone || is_length;
    const bool is_long_lat = !is_length && !IsOfProjection(attributes) && IsNameOfLongLat(name);
    return {is_long_lat ? Kind::kLongLat : Kind::kInCrs, role, is_said};
}

// Chooses geolocation arrays among the arrays that the attribute `coordinates` names. An array
// whose attributes state its meaning is preferred to an array whose name suggests the meaning.
class Candidates {
  public:
    Candidates(const Hierarchy& hierarchy, const ArrayFacts& raster, Warnings& warnings)
        : hierarchy_(hierarchy), raster_(raster), warnings_(warnings) {}

    void Add(const json::Value& attributes) {
        const std::string group(ParentPath(raster_.path));
        for (const std::string& word : WordsAttribute(attributes, "coordinates"))
            AddArray(FindVariable(hierarchy_, group, word));
    }

    // Adds the arrays of the group that have kGeolocationNames.
    void AddByNames() {
        const std::string group(ParentPath(raster_.path));
        std::vector<std::string> paths;
        std::vector<std::string> keys;
        for (const char* name : kGeolocationNames) {
            paths.push_back(JoinKey(group, name));
            keys.push_back(hierarchy_.KeyOf(paths.back(), Document::kArray));
        }
        hierarchy_.store()->Prefetch(keys, {});
        for (const std::string& path : paths) {
            const auto found = hierarchy_.Has(path, Document::kArray);
            if (found.ok() && *found) AddArray(path);
        }
    }

    std::optional<Geolocation> Take(Kind kind) {
        auto& [x, y] = bests_[static_cast<std::size_t>(kind)];
        if (!x.array || !y.array) return std::nullopt;
        return Geolocation{kind, false, std::move(*x.array), std::move(*y.array)};
    }

  private:
    void AddArray(const std::string& path) {
        if (path.empty() || path == raster_.path) return;
        auto array = ArrayOnGrid(hierarchy_, raster_, path, warnings_);
        if (!array) return;
        const Meaning meaning = MeaningOf(array->facts.attributes, std::string(LastName(path)));
        if (meaning.role == AxisRole::kNone) return;
        Best& best =
            bests_[static_cast<std::size_t>(meaning.kind)][meaning.role == AxisRole::kX ? 0 : 1];
        if (best.array && (best.is_said || !meaning.is_said)) return;
        best = {std::move(array), meaning.is_said};
    }

    struct Best {
        std::optional<GeolocationArray> array;
        bool is_said = false;
    };
    const Hierarchy& hierarchy_;
    const ArrayFacts& raster_;
    Warnings& warnings_;
    std::array<std::array<Best, 2>, 2> bests_;  // best arrays by kind, then by axis (X 0, Y 1)
};

std::optional<GeolocationArray> ArrayOfAxis(const Hierarchy& hierarchy, const Dimension& axis) {
    auto facts = DescribeArray(hierarchy, axis.coordinate_path);
    if (!facts.ok()) return std::nullopt;
    return GeolocationArray{facts.Take(), {}};
}

// Returns the 1-D coordinate arrays of X and Y as geolocation arrays. Returns nullopt if these
// arrays do not locate pixels.
std::optional<Geolocation> AlongAxes(const Hierarchy& hierarchy, const ArrayFacts& facts) {
    const Dimension& x = facts.dimensions[*facts.axes.x];
    const Dimension& y = facts.dimensions[*facts.axes.y];
    if (x.coordinate_path.empty() || y.coordinate_path.empty()) return std::nullopt;
    const Meaning of_x = MeaningOf(x.coordinate_attributes, x.name);
    const Meaning of_y = MeaningOf(y.coordinate_attributes, y.name);
    if (of_x.role != AxisRole::kX || of_y.role != AxisRole::kY || of_x.kind != of_y.kind)
        return std::nullopt;
    // Coordinates along X and Y are longitudes and latitudes only if attributes state that; the
    // names "lon" and "lat" are not enough.
    if (of_x.kind == Kind::kLongLat && !(of_x.is_said && of_y.is_said)) return std::nullopt;
    auto x_array = ArrayOfAxis(hierarchy, x);
    auto y_array = ArrayOfAxis(hierarchy, y);
    if (!x_array || !y_array) return std::nullopt;
    return Geolocation{of_x.kind, true, std::move(*x_array), std::move(*y_array)};
}

}  // namespace

Fact<std::optional<Geolocation>> FindGeolocation(const Hierarchy& hierarchy,
                                                 const ArrayFacts& facts) {
    Fact<std::optional<Geolocation>> found;
    if (facts.path.empty() || !facts.axes.x || !facts.axes.y) return found;
    Candidates candidates(hierarchy, facts, found.warnings);
    candidates.Add(facts.attributes);
    found.value = candidates.Take(Kind::kLongLat);
    if (found.value) return found;
    candidates.Add(facts.group_attributes);
    for (const Kind kind : {Kind::kLongLat, Kind::kInCrs})
        if (!found.value) found.value = candidates.Take(kind);
    if (!found.value) found.value = AlongAxes(hierarchy, facts);
    if (found.value || !facts.dimensions[*facts.axes.x].coordinate_path.empty() ||
        !facts.dimensions[*facts.axes.y].coordinate_path.empty() ||
        !MayBeLocatedByNames(facts.attributes, facts.group_attributes))
        return found;
    candidates.AddByNames();
    found.value = candidates.Take(Kind::kLongLat);
    return found;
}

AxisRole GeolocationRole(const json::Value& attributes, std::string_view name) {
    if (std::find(std::begin(kGeolocationNames), std::end(kGeolocationNames), name) ==
        std::end(kGeolocationNames))
        return AxisRole::kNone;
    const Meaning meaning = MeaningOf(attributes, std::string(name));
    return meaning.kind == Kind::kLongLat ? meaning.role : AxisRole::kNone;
}

bool MayBeLocatedByNames(const json::Value& attributes, const json::Value& group_attributes) {
    const auto states = [&](const json::Value& owner) {
        return StatesTransform(owner) || HasGeoTiffTags(owner) || StatesCrs(owner) ||
               owner.Find("GeoTransform") != nullptr || owner.Find("transform") != nullptr;
    };
    return !states(attributes) && !states(group_attributes);
}

ArrayFacts WithAuxiliaryAxes(const Hierarchy& hierarchy, ArrayFacts facts) {
    const std::string group(ParentPath(facts.path));
    const auto lacks = [&](const std::optional<std::size_t>& axis) {
        return axis && facts.dimensions[*axis].is_named &&
               facts.dimensions[*axis].coordinate_path.empty();
    };
    if (facts.path.empty() || !lacks(facts.axes.x) || !lacks(facts.axes.y)) return facts;
    for (const json::Value* attributes : {&facts.attributes, &facts.group_attributes}) {
        for (const std::string& word : WordsAttribute(*attributes, "coordinates")) {
            const std::string path = FindVariable(hierarchy, group, word);
            if (path.empty()) continue;
            const auto metadata = hierarchy.Metadata(path);
            if (!metadata.ok() || metadata->rank() != 1 || !metadata->dtype.is_numeric()) continue;
            const auto found = DescribeArray(hierarchy, path);
            if (!found.ok()) continue;
            const AxisRole role = MeaningOf(found->attributes, std::string(LastName(path))).role;
            const auto& axis = role == AxisRole::kX ? facts.axes.x : facts.axes.y;
            Dimension& dimension = facts.dimensions[*axis];
            if (role == AxisRole::kNone || !dimension.coordinate_path.empty() ||
                !IsSameDimension(found->dimensions[0], dimension))
                continue;
            dimension.coordinate_path = path;
            dimension.coordinate_attributes = found->attributes;
            dimension.role = role;
        }
    }
    return facts;
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
#include "driver/georef/georeferencing_write.h"

#include <cpl_conv.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/endian.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/codec/pipeline.h"
#include "core/conventions/attributes/attributes.h"
#include "core/conventions/attributes/axis_roles.h"
#include "core/conventions/attributes/convention_list.h"
#include "core/conventions/catalog/catalog.h"
#include "core/conventions/cf/coordinates.h"
#include "core/conventions/crs/geotransform.h"
#include "core/conventions/facts/array_facts.h"
#include "core/dtype/element_text.h"
#include "core/grid/chunk_grid.h"
#include "core/metadata/array_metadata.h"
#include "core/store/keys.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/metadata_text.h"
#include "driver/georef/cf_export.h"
#include "driver/georef/editable_array.h"
#include "driver/store/multidim_pam.h"
#include "driver/store/open_node.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::GeoTransform;
using zarr::Result;
using zarr::Status;

namespace {

constexpr const char* kGridMapping = "spatial_ref";  // name that rioxarray gives a grid mapping
constexpr const char* kBandDimension = "band";

// Attributes that state a position in forms that this file does not write. They are removed,
// because they may contradict the written position.
constexpr const char* kReplacedStatements[] = {
    "crs",       "crs_wkt",        "spatial_ref", "epsg_code",     "proj4",        "GeoTransform",
    "proj:epsg", "proj:transform", "proj:bbox",   "proj:geometry", "proj:centroid"};

// Units of length by their UDUNITS names, which CF uses.
constexpr std::pair<double, const char*> kUnits[] = {
    {1.0, "m"}, {1000.0, "km"}, {0.3048, "foot"}, {1200.0 / 3937.0, "US_survey_foot"}};

json::Value NumbersOf(const std::vector<double>& numbers) {
    json::Array array;
    array.reserve(numbers.size());
    for (const double number : numbers) array.emplace_back(number);
    return json::Value(std::move(array));
}

bool IsRotated(const GeoTransform& t) { return t[2] != 0 || t[4] != 0; }

// Returns the geotransform as six numbers in affine order (a, b, c, d, e, f).
json::Value SpatialTransform(const GeoTransform& t) {
    return NumbersOf({t[1], t[2], t[0], t[4], t[5], t[3]});
}

// Returns the bounding box of the raster's corners: xmin, ymin, xmax, ymax.
json::Value SpatialBoundingBox(const RasterLayout& layout, const GeoTransform& t) {
    const auto columns = static_cast<double>(layout.Width());
    const auto rows = static_cast<double>(layout.Height());
    const auto [x_min, x_max] = std::minmax(
        {t[0], t[0] + columns * t[1], t[0] + rows * t[2], t[0] + columns * t[1] + rows * t[2]});
    const auto [y_min, y_max] = std::minmax(
        {t[3], t[3] + columns * t[4], t[3] + rows * t[5], t[3] + columns * t[4] + rows * t[5]});
    return NumbersOf({x_min, y_min, x_max, y_max});
}

std::string GdalTransform(const GeoTransform& t) {
    std::string text;
    for (const double number : t) text += (text.empty() ? "" : " ") + zarr::DoubleText(number);
    return text;
}

// Returns the attribute `coordinates` with `grid_mapping` in place of the previous grid mapping; an
// empty name removes the previous one. rioxarray searches this attribute for grid mappings.
json::Value CoordinatesWith(const json::Object& attributes, const std::string& grid_mapping) {
    const json::Value all(attributes);
    const std::string* const before = zarr::StringAttribute(all, "grid_mapping");
    std::string text;
    for (const std::string& word : zarr::WordsAttribute(all, "coordinates"))
        if (word != grid_mapping && (before == nullptr || word != *before))
            text += (text.empty() ? "" : " ") + word;
    if (!grid_mapping.empty()) text += (text.empty() ? "" : " ") + grid_mapping;
    return text.empty() ? json::Value() : json::Value(text);
}

// Writes the coordinate and grid mapping arrays that CF requires.
class CfWriter {
  public:
    CfWriter(const CoordinateArrays& arrays, const RasterLayout& layout,
             const RasterPosition& placement, GeoreferencingForm convention,
             bool would_place_others)
        : arrays_(arrays),
          layout_(layout),
          placement_(placement),
          convention_(convention),
          would_place_others_(would_place_others),
          group_(zarr::ParentPath(layout.facts.path)) {}

    // Writes a grid mapping array, or reuses an existing one with an equal CRS.
    Result<GeoreferencingArrays> WriteGridMapping() const {
        const OGRSpatialReference& srs = *placement_.srs;
        std::vector<std::string> names;
        // An array with the default name would apply to all rasters of the group that name no grid
        // mapping. If there are such rasters, another name is chosen.
        if (!would_place_others_) names.emplace_back(kGridMapping);
        const std::string* given = zarr::StringAttribute(layout_.facts.attributes, "grid_mapping");
        if (given != nullptr && zarr::IsValidKey(*given)) names.insert(names.begin(), *given);
        std::vector<std::string> candidates = placement_.preferred_mappings;
        candidates.insert(candidates.end(), names.begin(), names.end());
        ZARR_ASSIGN_OR_RETURN(const auto equal, arrays_.FindEqual(group_, candidates, srs));
        if (equal) {
            ZARR_ASSIGN_OR_RETURN(const auto used, Use(*equal));
            if (used) return *used;
        }
        const json::Value wanted = Attributes();
        ZARR_ASSIGN_OR_RETURN(const std::string name, FreeName(std::move(names)));
        zarr::ArraySpec spec;
        ZARR_ASSIGN_OR_RETURN(spec.dtype, zarr::ParseTypestr("<i4"));
        ZARR_RETURN_IF_ERROR(
            arrays_.Write(PathOf(name), spec, *wanted.as_object(), std::string(4, '\0')));
        return GeoreferencingArrays{name, false, placement_.transform.has_value()};
    }

    // Removes the grid mapping array that the raster's array names, unless it is called `used` or
    // other arrays refer to it.
    Status RemoveGridMapping(const std::string& used) const {
        const std::string* name = zarr::StringAttribute(layout_.facts.attributes, "grid_mapping");
        return name != nullptr && *name != used && zarr::IsValidKey(*name)
                   ? arrays_.RemoveScalar(PathOf(*name))
                   : Status();
    }

    // Writes the coordinates of pixel centres along X or Y as an array. Returns false if the array
    // exists with other numbers, and other arrays refer to it.
    Result<bool> WriteAxis(std::size_t axis, bool is_x) const {
        const zarr::Dimension& dimension = layout_.facts.dimensions[axis];
        return arrays_.WriteNumbers(PathOf(dimension.name),
                                    PixelCentres(*placement_.transform, is_x, dimension.size),
                                    AxisAttributes(dimension.name, is_x), CoordinateCodecs());
    }

  private:
    std::string PathOf(const std::string& name) const { return zarr::JoinKey(group_, name); }

    // Returns the codecs of coordinate arrays. Only GeoreferencingForm::kAll compresses
    // coordinates, because a reader that lacks the codec can then find the location in attributes.
    std::vector<zarr::CodecSpec> CoordinateCodecs() const {
        if (convention_ != GeoreferencingForm::kAll) return {};
        return {{"blosc",
                 json::Value(json::Object{{"cname", json::Value("zstd")},
                                          {"clevel", json::Value(std::int64_t{5})},
                                          {"shuffle", json::Value(std::int64_t{1})},
                                          {"blocksize", json::Value(std::int64_t{0})}}),
                 "coordinates"}};
    }

    json::Value Attributes() const {
        const std::string wkt = Wkt2(*placement_.srs);
        json::Object attributes{{"crs_wkt", json::Value(wkt)}, {kGridMapping, json::Value(wkt)}};
        for (json::Member& member : CfAttributes(*placement_.srs))
            attributes.push_back(std::move(member));
        if (placement_.transform)
            attributes.emplace_back("GeoTransform",
                                    json::Value(GdalTransform(*placement_.transform)));
        attributes.emplace_back("_ARRAY_DIMENSIONS", json::Value(json::Array{}));
        return json::Value(std::move(attributes));
    }

    // Reuses the grid mapping `existing`, whose CRS is equal. Adds the geotransform if no other
    // array uses the grid mapping. Removes a different geotransform that other arrays do not need.
    //
    // Returns nullopt if other arrays need a different geotransform, or if only this array uses the
    // grid mapping and its CRS has another code.
    Result<std::optional<GeoreferencingArrays>> Use(const GridMapping& existing) const {
        const std::string path = PathOf(existing.name);
        if (existing.code != CodeOf(*placement_.srs, ":")) {
            ZARR_ASSIGN_OR_RETURN(const bool is_own, arrays_.IsFree(path));
            if (is_own) return std::optional<GeoreferencingArrays>();
        }
        const bool has_transform = existing.attributes.Find("GeoTransform") != nullptr;
        GeoreferencingArrays used{existing.name, false, false};
        used.transform =
            placement_.transform && StatesTransform(existing.attributes, *placement_.transform);
        if (used.transform || (!placement_.transform && (!has_transform || HasCoordinates())))
            return std::optional(used);
        ZARR_ASSIGN_OR_RETURN(const bool is_free, arrays_.IsFree(path));
        json::Object attributes = *existing.attributes.as_object();
        used.transform = is_free && placement_.transform.has_value();
        if (used.transform) {
            SetMember(attributes, "GeoTransform",
                      json::Value(GdalTransform(*placement_.transform)));
        } else if (has_transform) {
            ZARR_ASSIGN_OR_RETURN(const bool is_dispensable, arrays_.UsersHaveCoordinates(path));
            if (!is_dispensable) return std::optional<GeoreferencingArrays>();
            SetMember(attributes, "GeoTransform", {});
        } else {
            return std::optional(used);
        }
        ZARR_RETURN_IF_ERROR(arrays_.SetAttributes(path, json::Value(std::move(attributes))));
        return std::optional(used);
    }

    bool HasCoordinates() const {
        const auto has = [&](const std::optional<std::size_t>& axis) {
            return axis && !layout_.facts.dimensions[*axis].coordinate_path.empty();
        };
        return has(layout_.x_axis) && has(layout_.y_axis);
    }

    // True if the raster has a dimension called `name`. An array of this name holds coordinates.
    bool IsDimension(const std::string& name) const {
        const auto& dimensions = layout_.facts.dimensions;
        return std::any_of(dimensions.begin(), dimensions.end(),
                           [&](const auto& dimension) { return dimension.name == name; });
    }

    // Returns the first of `names` that is free, else a new name that contains the array's name.
    Result<std::string> FreeName(std::vector<std::string> names) const {
        constexpr int kMost = 1000;
        const std::string own =
            kGridMapping + ("_" + std::string(zarr::LastName(layout_.facts.path)));
        names.push_back(own);
        for (int i = 1; i <= kMost; ++i) {
            const bool is_listed = i <= static_cast<int>(names.size());
            const std::string name =
                is_listed ? names[static_cast<std::size_t>(i - 1)] : own + "_" + std::to_string(i);
            ZARR_ASSIGN_OR_RETURN(const bool is_free, arrays_.IsFree(PathOf(name)));
            if (is_free && !IsDimension(name)) return name;
        }
        return Status::Invalid(PathOf(own) +
                               ": no free name for a grid mapping; the CRS cannot be written");
    }

    json::Object AxisAttributes(const std::string& name, bool is_x) const {
        json::Object attributes{{"_ARRAY_DIMENSIONS", json::Value(json::Array{json::Value(name)})},
                                {"axis", json::Value(is_x ? "X" : "Y")}};
        const OGRSpatialReference* srs = placement_.srs;
        if (srs != nullptr && srs->IsGeographic()) {
            attributes.emplace_back("standard_name", json::Value(is_x ? "longitude" : "latitude"));
            attributes.emplace_back("units", json::Value(is_x ? "degrees_east" : "degrees_north"));
        } else if (srs != nullptr) {
            attributes.emplace_back("standard_name", json::Value(is_x ? "projection_x_coordinate"
                                                                      : "projection_y_coordinate"));
            for (const auto& [metres, unit] : kUnits)
                if (std::fabs(srs->GetLinearUnits() - metres) < 1e-12)
                    attributes.emplace_back("units", json::Value(unit));
        }
        return attributes;
    }

    const CoordinateArrays& arrays_;
    const RasterLayout& layout_;
    const RasterPosition& placement_;
    const GeoreferencingForm convention_;
    const bool would_place_others_;  // true if coordinate arrays would also apply to other rasters
    const std::string group_;
};

bool HasNamedAxes(const RasterLayout& layout) {
    return layout.x_axis && layout.y_axis && layout.facts.dimensions[*layout.x_axis].is_named &&
           layout.facts.dimensions[*layout.y_axis].is_named;
}

// True if coordinate arrays along X and Y can state the raster's position.
bool MayHaveAxes(const RasterLayout& layout, const GeoTransform& transform) {
    return !IsRotated(transform) && HasNamedAxes(layout);
}

std::uint64_t LongestSide(const RasterLayout& layout) {
    const auto& shape = layout.facts.metadata.shape;
    return std::max(shape[*layout.x_axis], shape[*layout.y_axis]);
}

// True if coordinate arrays along X and Y are written. They are not written if they would be longer
// than the limit kCoordinates.
bool WritesAxes(const RasterLayout& layout, const GeoTransform& transform) {
    return MayHaveAxes(layout, transform) &&
           LongestSide(layout) <= zarr::LimitOf(zarr::Limit::kCoordinates);
}

// True if readers that see only the pixel centres along X or Y can compute the exact geotransform
// along that axis.
bool CentresReproduce(const GeoTransform& transform, bool is_x, std::uint64_t count) {
    const NumberSeries centres = PixelCentres(transform, is_x, count);
    zarr::Coordinates some;
    for (std::uint64_t i = 0; i < count; i += std::max<std::uint64_t>(1, count / 64))
        some.places.push_back(i);
    if (count != 0 && some.places.back() != count - 1) some.places.push_back(count - 1);
    for (const std::uint64_t i : some.places) some.values.push_back(centres.at(i));
    const auto axis = zarr::FitRegularAxis(some, "").value;
    const double start = transform[is_x ? 0 : 3];
    const double step = transform[is_x ? 1 : 5];
    return axis && axis->start - 0.5 * axis->spacing == start && axis->spacing == step;
}

bool CentresReproduce(const RasterLayout& layout, const GeoTransform& transform) {
    const auto& shape = layout.facts.metadata.shape;
    return CentresReproduce(transform, true, shape[*layout.x_axis]) &&
           CentresReproduce(transform, false, shape[*layout.y_axis]);
}

// Returns the CRS as PROJJSON. Returns null if the CRS cannot be exported.
json::Value ProjJson(const OGRSpatialReference& srs) {
    char* exported = nullptr;
    json::Value value;
    if (srs.exportToPROJJSON(&exported, nullptr) == OGRERR_NONE && exported != nullptr) {
        auto parsed = json::Parse(exported);
        if (parsed.ok()) value = parsed.Take();
    }
    CPLFree(exported);
    return value;
}

// Declares the conventions `proj:` and `spatial:`, and sets the attributes that they require
// besides CRS and transform.
void SetConventions(const RasterLayout& layout, const RasterPosition& placement, bool is_asked_for,
                    bool has_transform, json::Object& attributes) {
    const bool has_crs = is_asked_for && placement.srs != nullptr;
    const bool is_placed = is_asked_for && has_transform;
    // Readers need a code or PROJJSON. WKT is not enough, because not all readers parse WKT.
    const bool has_code = json::FindMember(attributes, "proj:code") != nullptr;
    SetMember(attributes, "proj:projjson",
              has_crs && !has_code ? ProjJson(*placement.srs) : json::Value());
    SetMember(attributes, "spatial:transform_type",
              is_placed ? json::Value("affine") : json::Value());
    SetMember(attributes, "spatial:registration", is_placed ? json::Value("pixel") : json::Value());
    SetMember(attributes, "spatial:bbox",
              is_placed ? SpatialBoundingBox(layout, *placement.transform) : json::Value());
    using zarr::Convention;
    if (has_crs)
        zarr::RegisterConvention(attributes, Convention::kProj);
    else
        zarr::UnregisterConvention(attributes, Convention::kProj);
    if (is_placed) zarr::RegisterConvention(attributes, Convention::kSpatial);
    if (!has_transform) zarr::UnregisterConvention(attributes, Convention::kSpatial);
}

}  // namespace

NumberSeries PixelCentres(const GeoTransform& transform, bool is_x, std::uint64_t count) {
    const double start = is_x ? transform[0] : transform[3];
    const double step = is_x ? transform[1] : transform[5];
    return {count, [start, step](std::uint64_t i) {
                return start + (static_cast<double>(i) + 0.5) * step;
            }};
}

namespace {

// True if a new raster can use the dimension `other` for its axis `axis`: size, role and
// coordinates are equal.
Result<bool> IsSameDimension(const zarr::Hierarchy& hierarchy, const RasterLayout& layout,
                             std::size_t axis, const std::optional<GeoTransform>& transform,
                             const zarr::Dimension& other) {
    const zarr::Dimension& own = layout.facts.dimensions[axis];
    if (!own.is_named || !other.is_named || own.size != other.size) return false;
    const bool is_x = layout.x_axis == axis;
    if (!is_x && layout.y_axis != axis)
        return other.coordinate_path.empty() && other.name == kBandDimension;
    if (!transform) return other.coordinate_path.empty();
    if (IsRotated(*transform) || other.coordinate_path.empty()) return false;
    return HoldsNumbers(hierarchy, other.coordinate_path, PixelCentres(*transform, is_x, own.size));
}

// True if neither a node of the group nor a dimension of its arrays is called `name`.
Result<bool> IsNewName(const zarr::Hierarchy& hierarchy, const zarr::CatalogGroup& group,
                       const std::string& name) {
    for (const zarr::CatalogArray& array : group.arrays)
        if (std::count(array.dimensions.begin(), array.dimensions.end(), name) != 0) return false;
    ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind kind,
                          hierarchy.KindOf(zarr::JoinKey(group.path, name)));
    return kind == zarr::NodeKind::kNone;
}

// True if axis `other` of another array and `axis` of the raster are both X, both Y, or both
// neither.
bool HasRoleOf(const RasterLayout& layout, std::size_t axis, const zarr::HorizontalAxes& axes,
               std::size_t other) {
    return (layout.x_axis == axis) == (axes.x == other) &&
           (layout.y_axis == axis) == (axes.y == other);
}

// Adds to `shared`, by axis of `layout`, the dimensions of the array `other` that the new raster
// can use. Keeps the entries that `shared` already has.
Status ShareWith(const zarr::Hierarchy& hierarchy, const RasterLayout& layout,
                 const std::optional<GeoTransform>& transform, const zarr::ArrayFacts& other,
                 std::map<std::size_t, zarr::Dimension>& shared) {
    for (std::size_t axis = 0; axis < layout.facts.dimensions.size(); ++axis)
        for (std::size_t i = 0; i < other.dimensions.size(); ++i) {
            if (shared.count(axis) != 0 || !HasRoleOf(layout, axis, other.axes, i)) continue;
            ZARR_ASSIGN_OR_RETURN(
                const bool is_same,
                IsSameDimension(hierarchy, layout, axis, transform, other.dimensions[i]));
            if (is_same) shared.emplace(axis, other.dimensions[i]);
        }
    return {};
}

}  // namespace

Result<std::map<std::size_t, zarr::Dimension>> FindSharedDimensions(
    const StoreUpdate& update, const std::set<std::string>& own, const RasterLayout& layout,
    const std::optional<GeoTransform>& transform) {
    std::map<std::size_t, zarr::Dimension> shared;
    ZARR_ASSIGN_OR_RETURN(const auto hierarchy, CurrentHierarchy(update.store()));
    ZARR_ASSIGN_OR_RETURN(
        const auto group,
        zarr::ListGroup(*hierarchy, std::string(zarr::ParentPath(layout.facts.path))));
    for (const zarr::CatalogArray* array : group.Rasters()) {
        if (own.count(array->path) != 0) continue;
        const auto facts = zarr::DescribeArray(*hierarchy, array->path);
        if (!facts.ok()) continue;
        ZARR_RETURN_IF_ERROR(ShareWith(*hierarchy, layout, transform, *facts, shared));
    }
    if (transform && WritesAxes(layout, *transform)) {
        for (const auto& [axis, name] : {std::pair(*layout.y_axis, "y"), {*layout.x_axis, "x"}}) {
            ZARR_ASSIGN_OR_RETURN(const bool is_new, IsNewName(*hierarchy, group, name));
            if (shared.count(axis) != 0 || !is_new) continue;
            zarr::Dimension& dimension = shared[axis] = layout.facts.dimensions[axis];
            dimension.name = name;
            dimension.coordinate_path.clear();
        }
    }
    ZARR_RETURN_IF_ERROR(hierarchy->TakeFailure());
    return shared;
}

Result<GeoreferencingArrays> WriteGeoreferencingArrays(const CoordinateArrays& arrays,
                                                       const RasterLayout& layout,
                                                       const RasterPosition& placement,
                                                       GeoreferencingForm convention,
                                                       zarr::Warnings& warnings) {
    GeoreferencingArrays written_arrays;
    bool would_place_others = false;
    if (placement.transform && HasNamedAxes(layout)) {
        ZARR_ASSIGN_OR_RETURN(would_place_others, arrays.WouldMoveOtherRasters(layout));
    }
    const CfWriter cf(arrays, layout, placement, convention, would_place_others);
    if (placement.srs != nullptr && WritesCf(convention)) {
        ZARR_ASSIGN_OR_RETURN(written_arrays, cf.WriteGridMapping());
    }
    if (!placement.transform || !MayHaveAxes(layout, *placement.transform)) return written_arrays;
    if (!WritesAxes(layout, *placement.transform)) {
        warnings.push_back(
            "a dimension has " + std::to_string(LongestSide(layout)) +
            " elements, too many for coordinate arrays; the geotransform is written as "
            "the attribute spatial:transform, which not every reader supports");
        return written_arrays;
    }
    bool has_x = false;
    if (!would_place_others) {
        ZARR_ASSIGN_OR_RETURN(has_x, cf.WriteAxis(*layout.x_axis, true));
        ZARR_ASSIGN_OR_RETURN(const bool has_y, cf.WriteAxis(*layout.y_axis, false));
        written_arrays.axes = has_x && has_y;
    }
    if (!written_arrays.axes)
        warnings.push_back("other arrays share the dimension " +
                           layout.facts.dimensions[has_x ? *layout.y_axis : *layout.x_axis].name +
                           " with other coordinates; the geotransform is written as the attribute "
                           "spatial:transform, which not every reader supports");
    return written_arrays;
}

Result<std::string> WriteGridMappingArray(const CoordinateArrays& arrays,
                                          const RasterLayout& layout,
                                          const RasterPosition& placement) {
    ZARR_ASSIGN_OR_RETURN(
        const GeoreferencingArrays written_arrays,
        CfWriter(arrays, layout, placement, GeoreferencingForm::kCf, false).WriteGridMapping());
    return written_arrays.grid_mapping;
}

Status RemoveReplacedGridMapping(const CoordinateArrays& arrays, const RasterLayout& layout,
                                 const std::string& used) {
    return CfWriter(arrays, layout, {}, GeoreferencingForm::kCf, false).RemoveGridMapping(used);
}

void SetGeoreferencingAttributes(const RasterLayout& layout, const RasterPosition& placement,
                                 GeoreferencingForm convention,
                                 const GeoreferencingArrays& written_arrays,
                                 json::Object& attributes) {
    const OGRSpatialReference* srs = placement.srs;
    const bool spatial = WritesSpatialProj(convention);
    SetMember(
        attributes, "_CRS",
        srs != nullptr && convention == GeoreferencingForm::kGdal ? GdalCrs(*srs) : json::Value());
    const double epoch = srs != nullptr ? srs->GetCoordinateEpoch() : 0;
    SetMember(attributes, kEpochAttribute, epoch > 0 ? json::Value(epoch) : json::Value());
    SetMember(attributes, "coordinates",
              CoordinatesWith(attributes, SuitsEveryReader(convention) ? written_arrays.grid_mapping
                                                                       : std::string()));
    SetMember(attributes, "grid_mapping",
              written_arrays.grid_mapping.empty() ? json::Value()
                                                  : json::Value(written_arrays.grid_mapping));
    for (const char* const name : kReplacedStatements) SetMember(attributes, name, json::Value());
    if (zarr::ReadPlainTransform(layout.facts.attributes).value)
        SetMember(attributes, zarr::kPlainTransform, json::Value());
    const std::string code = srs != nullptr && spatial ? CodeOf(*srs, ":") : "";
    SetMember(attributes, "proj:code", code.empty() ? json::Value() : json::Value(code));
    SetMember(attributes, "proj:wkt2",
              srs != nullptr && spatial && (code.empty() || !WritesCf(convention))
                  ? json::Value(Wkt2(*srs))
                  : json::Value());
    // netCDF-C rejects `spatial:transform`. The attribute is therefore written only if the
    // convention requires it, or if coordinate arrays and grid mapping do not state the exact
    // transform.
    const bool has_axes = layout.x_axis && layout.y_axis;
    // Readers prefer a transform in the group's attributes to coordinate arrays. If the group has
    // one, the array needs its own transform in an attribute.
    const bool is_said =
        placement.transform && written_arrays.axes && WritesCf(convention) &&
        !zarr::StatesTransform(layout.facts.group_attributes) &&
        (written_arrays.transform || CentresReproduce(layout, *placement.transform));
    const bool by_attribute = placement.transform && has_axes && (spatial || !is_said);
    json::Value names;
    if (by_attribute) {
        const auto& dimensions = layout.facts.dimensions;
        names = json::Value(json::Array{json::Value(dimensions[*layout.y_axis].name),
                                        json::Value(dimensions[*layout.x_axis].name)});
    }
    SetMember(attributes, "spatial:dimensions", std::move(names));
    SetMember(attributes, "spatial:transform",
              by_attribute ? SpatialTransform(*placement.transform) : json::Value());
    SetConventions(layout, placement, spatial, by_attribute, attributes);
}

void SetGridMapping(json::Object& attributes, const std::string& name) {
    SetMember(attributes, "coordinates", CoordinatesWith(attributes, name));
    SetMember(attributes, "grid_mapping", name.empty() ? json::Value() : json::Value(name));
}

Status WriteMultidimCrs(StoreUpdate& update, const std::vector<const RasterLayout*>& layouts,
                        const OGRSpatialReference* srs) {
    std::vector<MultidimCrs> arrays;
    for (const RasterLayout* const layout : layouts) {
        MultidimCrs array{layout->facts.path, "", ""};
        if (srs != nullptr && layout->x_axis && layout->y_axis) {
            array.wkt = Wkt2(*srs);
            // OGRSpatialReference numbers X as 1 and Y as 2. The axis mapping in pam.aux.xml
            // contains the numbers of the array's dimensions, from 1.
            for (const int axis : srs->GetDataAxisToSRSAxisMapping()) {
                const std::size_t number = axis == 1   ? *layout->x_axis + 1
                                           : axis == 2 ? *layout->y_axis + 1
                                                       : 0;
                array.mapping += (array.mapping.empty() ? "" : ",") + std::to_string(number);
            }
        }
        arrays.push_back(std::move(array));
    }
    return StoreMultidimCrs(*update.store(), arrays);
}

Status WriteTextCoordinates(const CoordinateArrays& arrays, const std::string& path,
                            const std::vector<std::string>& texts) {
    std::vector<std::u32string> decoded;
    std::size_t longest = 1;
    for (const std::string& text : texts) {
        ZARR_ASSIGN_OR_RETURN(std::u32string units,
                              zarr::Utf8ToUcs4(zarr::ReplaceInvalidUtf8(text)));
        longest = std::max(longest, units.size());
        decoded.push_back(std::move(units));
    }
    std::string chunk;
    for (std::u32string& units : decoded) {
        units.resize(longest, U'\0');
        chunk.append(reinterpret_cast<const char*>(units.data()), units.size() * 4);
    }
    zarr::ArraySpec spec;
    spec.shape = spec.chunks = {texts.size()};
    const std::string order = zarr::HostIsLittleEndian() ? "<U" : ">U";
    ZARR_ASSIGN_OR_RETURN(spec.dtype, zarr::ParseTypestr(order + std::to_string(longest)));
    const std::string name(zarr::LastName(path));
    return arrays.Write(
        path, spec, {{"_ARRAY_DIMENSIONS", json::Value(json::Array{json::Value(name)})}}, chunk);
}

void SetMember(json::Object& object, std::string_view name, json::Value value) {
    const auto found = std::find_if(object.begin(), object.end(), [&](const json::Member& member) {
        return member.first == name;
    });
    if (value.is_null()) {
        if (found != object.end()) object.erase(found);
    } else if (found != object.end()) {
        found->second = std::move(value);
    } else {
        object.emplace_back(std::string(name), std::move(value));
    }
}

std::string Wkt2(const OGRSpatialReference& srs) {
    const char* const options[] = {"FORMAT=WKT2_2019", nullptr};
    char* wkt = nullptr;
    std::string text;
    if (srs.exportToWkt(&wkt, options) == OGRERR_NONE && wkt != nullptr) text = wkt;
    CPLFree(wkt);
    return text;
}

std::string CodeOf(const OGRSpatialReference& srs, const char* separator) {
    const char* authority = srs.GetAuthorityName(nullptr);
    const char* code = srs.GetAuthorityCode(nullptr);
    if (authority == nullptr || code == nullptr) return {};
    return std::string(authority) + separator + code;
}

json::Value GdalCrs(const OGRSpatialReference& srs) {
    json::Object crs;
    const std::string code = CodeOf(srs, "/0/");
    if (!code.empty())
        crs.emplace_back("url", json::Value("http://www.opengis.net/def/crs/" + code));
    const std::string wkt = Wkt2(srs);
    if (!wkt.empty()) crs.emplace_back("wkt", json::Value(wkt));
    json::Value projjson = ProjJson(srs);
    if (!projjson.is_null()) crs.emplace_back("projjson", std::move(projjson));
    return json::Value(std::move(crs));
}

namespace {

constexpr std::string_view kOfCrs[] = {"_CRS",          "proj:code",     "proj:wkt2",
                                       "proj:projjson", kEpochAttribute, "zarr_conventions"};
constexpr std::string_view kOfGridMapping[] = {"coordinates", "grid_mapping"};

template <class List>
bool Has(const List& names, std::string_view name) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

Result<GeoreferencingArrays> WritePosition(const std::vector<EditableArray*>& arrays,
                                           const CoordinateArrays& stored,
                                           const RasterPosition& position, GeoreferencingForm form,
                                           PositionParts parts) {
    zarr::Warnings warnings;
    ZARR_ASSIGN_OR_RETURN(
        GeoreferencingArrays written,
        WriteGeoreferencingArrays(stored, arrays[0]->layout(), position, form, warnings));
    EmitWarnings(arrays[0]->Name(), warnings);
    if (SuitsEveryReader(form)) {
        std::vector<const RasterLayout*> layouts;
        layouts.reserve(arrays.size());
        for (const EditableArray* array : arrays) layouts.push_back(&array->layout());
        ZARR_RETURN_IF_ERROR(WriteMultidimCrs(*arrays[0]->update(), layouts, position.srs));
    }
    const bool is_all = parts == PositionParts::kAll;
    const bool replaces = is_all || position.srs == nullptr || !written.grid_mapping.empty();
    for (EditableArray* const array : arrays) {
        // These attributes contain those that only `_eopf_attrs` states: an attribute `coordinates`
        // for the grid mapping would replace the list there, so it repeats the list.
        const json::Value before = array->facts().attributes;
        json::Value after = before;
        if (after.as_object() == nullptr) continue;
        if (replaces)
            ZARR_RETURN_IF_ERROR(
                RemoveReplacedGridMapping(stored, array->layout(), written.grid_mapping));
        SetGeoreferencingAttributes(array->layout(), position, form, written,
                                    *after.MutableObject());
        for (zarr::AttributeChange& change : zarr::DifferenceOf(before, after))
            if (is_all || Has(kOfCrs, change.name) ||
                (replaces && Has(kOfGridMapping, change.name)))
                array->ChangeAttribute(change.name, change.after.value_or(json::Value()));
    }
    return written;
}

}  // namespace zarr_driver

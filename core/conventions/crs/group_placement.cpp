// SPDX-License-Identifier: MIT
#include "core/conventions/crs/group_placement.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/attributes/axis_roles.h"
#include "core/conventions/crs/geotransform.h"
#include "core/conventions/facts/tiff_tags.h"
#include "core/conventions/group/named_members.h"
#include "core/dtype/element_text.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

bool HasNamedDimension(const ArrayFacts& facts) {
    return std::any_of(facts.dimensions.begin(), facts.dimensions.end(),
                       [](const Dimension& dimension) { return dimension.is_named; });
}

bool HasDimensions(const ArrayFacts& facts, const SpatialDimensions& names) {
    const auto has = [&](const std::string& name) {
        return std::any_of(facts.dimensions.begin(), facts.dimensions.end(),
                           [&](const Dimension& dimension) {
                               return dimension.is_named && dimension.name == name;
                           });
    };
    return has(names.y) && has(names.x);
}

const Dimension& XOf(const ArrayFacts& facts) { return facts.dimensions[*facts.axes.x]; }
const Dimension& YOf(const ArrayFacts& facts) { return facts.dimensions[*facts.axes.y]; }

bool IsMap(const ArrayFacts& facts) {
    return facts.axes.x && facts.axes.y && XOf(facts).role == AxisRole::kX &&
           YOf(facts).role == AxisRole::kY;
}

// Path and shape of a raster directly in a group.
struct RasterShape {
    std::string path;
    std::vector<std::uint64_t> shape;
};
struct RasterShapes {
    std::vector<RasterShape> rasters;
    bool are_known = false;  // false if the store does not list the members of the group
};

RasterShapes ListShapes(const Hierarchy& hierarchy, const std::string& group) {
    RasterShapes shapes;
    const auto members = MembersOf(hierarchy, group);
    if (!members.ok()) return shapes;
    // An empty listing counts as unknown. A remote object store that does not support listing
    // returns an empty listing.
    shapes.are_known = !members->empty();
    std::vector<std::string> keys;
    for (const Node& node : *members)
        if (node.kind == NodeKind::kArray)
            keys.push_back(hierarchy.KeyOf(node.path, Document::kArray));
    hierarchy.store()->Prefetch(keys, {});
    for (const Node& node : *members) {
        if (node.kind != NodeKind::kArray) continue;
        const auto metadata = hierarchy.Metadata(node.path);
        if (metadata.ok() && IsRaster(*metadata))
            shapes.rasters.push_back({node.path, metadata->shape});
    }
    return shapes;
}

std::shared_ptr<const RasterShapes> ShapesIn(const Hierarchy& hierarchy, const std::string& group) {
    const auto shapes = hierarchy.Derived<RasterShapes>(
        group, [&]() -> Result<RasterShapes> { return ListShapes(hierarchy, group); });
    return shapes.ok() ? *shapes : std::make_shared<const RasterShapes>();
}

// True if `fits` is true for another array of the group. Only arrays whose shape satisfies
// `may_fit` are read.
template <class MayFit, class Fits>
bool HasOtherInGroup(const Hierarchy& hierarchy, const ArrayFacts& facts, const MayFit& may_fit,
                     const Fits& fits) {
    const auto shapes = ShapesIn(hierarchy, std::string(ParentPath(facts.path)));
    const auto& rasters = shapes->rasters;
    return std::any_of(rasters.begin(), rasters.end(), [&](const RasterShape& raster) {
        if (raster.path == facts.path || !may_fit(raster.shape)) return false;
        const auto other = DescribeArray(hierarchy, raster.path);
        return other.ok() && fits(*other);
    });
}

bool HasLargerInGroup(const Hierarchy& hierarchy, const ArrayFacts& facts) {
    const Dimension& x = XOf(facts);
    const Dimension& y = YOf(facts);
    const auto may_be = [](const Dimension& a, const Dimension& b) {
        return a.name == b.name || !a.is_named || !b.is_named;
    };
    return HasOtherInGroup(
        hierarchy, facts,
        [&](const std::vector<std::uint64_t>& shape) {
            return shape != facts.metadata.shape &&
                   *std::max_element(shape.begin(), shape.end()) > std::min(x.size, y.size);
        },
        [&](const ArrayFacts& other) {
            if (!other.axes.x || !other.axes.y || StatesTransform(other.attributes)) return false;
            return may_be(x, XOf(other)) && may_be(y, YOf(other)) &&
                   (XOf(other).size > x.size || YOf(other).size > y.size);
        });
}

// Returns the attribute `name`, an array of `count` finite numbers. Returns an empty vector if the
// attribute is anything else.
std::vector<double> NumbersOf(const json::Value& attributes, std::string_view name,
                              std::size_t count) {
    std::vector<double> numbers = NumbersAttribute(attributes, name).value;
    if (numbers.size() != count) numbers.clear();
    return numbers;
}

struct Size {
    double columns = 0;
    double rows = 0;
};

bool HasNodeBoundingBox(const json::Value& attributes, const std::string& convention) {
    const std::string* registration = StringAttribute(attributes, "spatial:registration");
    return convention == "spatial:" && registration != nullptr && *registration == "node";
}

// Returns the size of `bbox` in pixels of `transform`. Both are attributes of a convention
// ("spatial:" or "proj:"). Returns nullopt if the size is not a whole number of pixels.
std::optional<Size> SizeOfBoundingBox(const json::Value& attributes,
                                      const std::string& convention) {
    const std::vector<double> box = NumbersOf(attributes, convention + "bbox", 4);
    const std::vector<double> affine = NumbersOf(attributes, convention + "transform", 6);
    if (box.empty() || affine.empty() || affine[1] != 0 || affine[3] != 0) return std::nullopt;
    const double more = HasNodeBoundingBox(attributes, convention) ? 1 : 0;
    const Size size{std::fabs((box[2] - box[0]) / affine[0]) + more,
                    std::fabs((box[3] - box[1]) / affine[4]) + more};
    const Size whole{std::round(size.columns), std::round(size.rows)};
    constexpr double kRounding = 1e-3;  // tolerance for rounding, in pixels
    const bool is_whole = std::fabs(size.columns - whole.columns) < kRounding &&
                          std::fabs(size.rows - whole.rows) < kRounding;
    // If the bounding box has other units than the transform, its size is below one pixel or not a
    // whole number of pixels. Such a box is rejected here.
    return is_whole && whole.columns >= 1 && whole.rows >= 1 ? std::optional(whole) : std::nullopt;
}

std::optional<Size> StatedSize(const json::Value& attributes, const std::string& convention) {
    const std::vector<double> shape = NumbersOf(attributes, convention + "shape", 2);
    return shape.empty() ? SizeOfBoundingBox(attributes, convention)
                         : std::optional(Size{shape[1], shape[0]});
}

bool HasSize(const ArrayFacts& facts, const Size& size) {
    return size.columns == static_cast<double>(XOf(facts).size) &&
           size.rows == static_cast<double>(YOf(facts).size);
}

// True if the array has the full size of X and Y in its group. The evidence is coordinate arrays,
// or the array's own `spatial:shape`.
bool HasSizeOfGroup(const ArrayFacts& facts) {
    if (!XOf(facts).coordinate_path.empty() && !YOf(facts).coordinate_path.empty()) return true;
    const std::vector<double> shape = NumbersOf(facts.attributes, "spatial:shape", 2);
    return !shape.empty() && shape[0] == static_cast<double>(YOf(facts).size) &&
           shape[1] == static_cast<double>(XOf(facts).size);
}

}  // namespace

bool SharesGroupCrs(const Hierarchy& hierarchy, const ArrayFacts& facts) {
    if (!facts.axes.x || !facts.axes.y) return false;
    if (!HasNamedDimension(facts)) return true;
    bool are_stated = false;
    for (const json::Value* attributes : {&facts.attributes, &facts.group_attributes}) {
        const auto names = ReadSpatialDimensions(*attributes);
        if (names && HasDimensions(facts, *names)) return true;
        are_stated = are_stated || names.has_value();
    }
    if (are_stated) return false;
    return IsMap(facts) ||
           !HasOtherInGroup(
               hierarchy, facts, [](const std::vector<std::uint64_t>&) { return true; }, IsMap);
}

bool SharesGroupTransform(const Hierarchy& hierarchy, const ArrayFacts& facts, Warnings& warnings) {
    if (!SharesGroupCrs(hierarchy, facts)) return false;
    if (const auto size = StatedSize(facts.group_attributes, "spatial:"))
        return HasSize(facts, *size);
    const std::string group(ParentPath(facts.path));
    if (!HasSizeOfGroup(facts) && !ShapesIn(hierarchy, group)->are_known)
        warnings.push_back(
            "group /" + group +
            ": states no spatial:shape, and the server does not list the group: the "
            "geotransform of the group is applied to this array of " +
            std::to_string(YOf(facts).size) + " x " + std::to_string(XOf(facts).size) +
            ", although it may belong to an array of another size; add spatial:shape, or "
            "consolidate the metadata");
    return !HasLargerInGroup(hierarchy, facts);
}

std::string MismatchedSize(const json::Value& attributes, const std::string& convention,
                           const ArrayFacts& facts) {
    const auto size = StatedSize(attributes, convention);
    if (!size || HasSize(facts, *size)) return {};
    // In node registration, a bounding box that is one pixel too large is accepted. The box should
    // pass through the centres of pixels, but some writers put the box around the pixels.
    if (HasNodeBoundingBox(attributes, convention) &&
        HasSize(facts, {size->columns - 1, size->rows - 1}))
        return {};
    return DoubleText(size->rows) + " x " + DoubleText(size->columns);
}

bool StatesSize(const json::Value& attributes, const std::string& convention) {
    return StatedSize(attributes, convention).has_value();
}

bool StatesSizedTransform(const json::Value& attributes) {
    for (const char* name : kTransformNames)
        if (HasTransform(attributes, name))
            return StatesTransform(attributes) &&
                   StatesSize(attributes, std::string(name, std::string_view(name).find(':') + 1));
    return false;
}

std::string LocationStatements(const json::Value& attributes,
                               const std::vector<NamedDimension>& dimensions,
                               const Hierarchy& hierarchy, const std::string& path) {
    constexpr std::string_view kPrefixes[] = {"spatial:", "proj:"};
    constexpr std::string_view kNames[] = {
        "_CRS",      "coordinates",  "crs",          "crs_wkt",      "epsg",        "epsg_code",
        "gcps",      "geotransform", "GeoTransform", "grid_mapping", "multiscales", "proj4",
        "proj4text", "projection",   "spatial_ref",  "transform"};
    std::string text;
    for (const NamedDimension& dimension : dimensions) text += dimension.group + '\0';
    const json::Object none;
    const json::Object* const members = attributes.as_object();
    for (const json::Member& member : members != nullptr ? *members : none) {
        const std::string_view name = member.first;
        const bool places =
            IsGeoTiffTag(name) ||
            std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
            std::any_of(std::begin(kPrefixes), std::end(kPrefixes), [&](std::string_view prefix) {
                return name.substr(0, prefix.size()) == prefix;
            });
        if (places) text += member.first + '\0' + json::Dump(member.second) + '\0';
    }
    using Kind = Multiscale::Kind;
    for (const Kind kind : {Kind::kDatasets, Kind::kLayout}) {
        const LevelListing listing = ListingOf(hierarchy, path, kind);
        for (const MultiscaleLevel& level : listing.levels) text += level.origin + '\0';
    }
    return text;
}

}  // namespace zarr

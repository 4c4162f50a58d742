// SPDX-License-Identifier: MIT
#include "core/conventions/pyramid_levels.h"

#include <algorithm>
#include <cmath>

#include "core/conventions/catalog.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// How far corners may be apart, in pixels of the level, with room for rounding.
constexpr double kMaxCornerDistance = 1 + 1e-6;

std::string SizeText(std::uint64_t width, std::uint64_t height) {
    return std::to_string(width) + " x " + std::to_string(height);
}

// What is different in the dimensions that are not X and Y; empty where nothing is.
std::string OtherDimensions(const ArrayFacts& level, const ArrayFacts& base) {
    for (std::size_t i = 0; i < level.dimensions.size(); ++i) {
        if (i == *base.axes.x || i == *base.axes.y) continue;
        const Dimension& a = level.dimensions[i];
        const Dimension& b = base.dimensions[i];
        if (a.size != b.size)
            return "has " + std::to_string(a.size) + " elements along " + a.name + ", not " +
                   std::to_string(b.size);
        if (a.name != b.name && a.is_named && b.is_named)
            return "has the dimension " + a.name + " in place of " + b.name;
    }
    return {};
}

// The greatest distance between the corners of two rasters, along either axis, in pixels of the
// second one.
double CornerDistance(const GeoTransform& a, double a_width, double a_height, const GeoTransform& b,
                      double b_width, double b_height) {
    const double determinant = b[1] * b[5] - b[2] * b[4];
    double distance = 0;
    for (const double x_end : {0.0, 1.0}) {
        for (const double y_end : {0.0, 1.0}) {
            const double column = x_end * a_width;
            const double row = y_end * a_height;
            const double x = a[0] + column * a[1] + row * a[2] - b[0];
            const double y = a[3] + column * a[4] + row * a[5] - b[3];
            const double column_in_b = (x * b[5] - y * b[2]) / determinant;
            const double row_in_b = (y * b[1] - x * b[4]) / determinant;
            for (const double apart :
                 {std::fabs(column_in_b - x_end * b_width), std::fabs(row_in_b - y_end * b_height)})
                if (!(apart <= distance)) distance = apart;  // NaN stays
        }
    }
    return distance;
}

GeoTransform HalfPixelOn(GeoTransform t) {
    t[0] += 0.5 * (t[1] + t[2]);
    t[3] += 0.5 * (t[4] + t[5]);
    return t;
}

// What a geotransform from coordinate arrays depends on; empty where it has none of them.
std::string CoordinatesKey(const ArrayFacts& facts) {
    const std::string& x = facts.dimensions[*facts.axes.x].coordinate_path;
    const std::string& y = facts.dimensions[*facts.axes.y].coordinate_path;
    if (x.empty() || y.empty()) return {};
    std::string key = std::string(ParentPath(facts.path)) + '\0' + x + '\0' + y;
    for (const char* name :
         {"spatial:transform", "spatial:registration", "proj:transform", "grid_mapping"}) {
        const json::Value* value = facts.attributes.Find(name);
        key += '\0' + (value != nullptr ? json::Dump(*value) : std::string());
    }
    return key;
}

}  // namespace

void LevelChecker::LeaveOut(const ListedLevel& level, const std::string& why) {
    warnings_.push_back(LeftOut(level, why));
}

std::vector<LevelChecker::Level> LevelChecker::Describe(const std::vector<ListedLevel>& arrays) {
    std::vector<Level> levels;
    for (const ListedLevel& listed : arrays) {
        auto facts = DescribeArray(hierarchy_, listed.path);
        const Status status =
            facts.ok() ? Array::CheckCodecs(facts->metadata) : Status(facts.status());
        if (!status.ok()) {
            LeaveOut(listed, "cannot be read: " + status.message());
            continue;
        }
        if (!IsRaster(facts->metadata)) {
            LeaveOut(listed, "is no raster");
            continue;
        }
        Level level;
        level.listed = listed;
        level.width = facts->dimensions[*facts->axes.x].size;
        level.height = facts->dimensions[*facts->axes.y].size;
        level.facts = facts.Take();
        levels.push_back(std::move(level));
    }
    return levels;
}

// A small image without names for its dimensions does not show by its shape that it is one.
void LevelChecker::FollowBase(std::vector<Level>& levels) {
    const ArrayFacts& base = levels[0].facts;
    if (!base.colour_axis) return;
    for (Level& level : levels) {
        ArrayFacts& facts = level.facts;
        const auto& dimensions = facts.dimensions;
        if (dimensions.size() != base.dimensions.size() ||
            std::any_of(dimensions.begin(), dimensions.end(),
                        [](const Dimension& dimension) { return dimension.is_named; }))
            continue;
        facts.axes = base.axes;
        facts.colour_axis = base.colour_axis;
        level.width = dimensions[*facts.axes.x].size;
        level.height = dimensions[*facts.axes.y].size;
    }
    SortBySize(levels);
}

void LevelChecker::SortBySize(std::vector<Level>& levels) {
    // The product of a shape fits 63 bits.
    std::stable_sort(levels.begin(), levels.end(), [](const Level& a, const Level& b) {
        return a.width * a.height > b.width * b.height;
    });
}

std::string LevelChecker::WhyNoLevel(const Level& level, const Level& previous,
                                     const Level& base) const {
    const ArrayFacts& facts = level.facts;
    const std::string type = facts.metadata.dtype.Native().ToString();
    const std::string base_type = base.facts.metadata.dtype.Native().ToString();
    const std::string as_base = " as /" + base.listed.path;
    if (type != base_type)
        return "has dtype " + facts.metadata.dtype.ToString() + ", not " +
               base.facts.metadata.dtype.ToString() + as_base;
    if (facts.metadata.rank() != base.facts.metadata.rank())
        return "has " + std::to_string(facts.metadata.rank()) + " dimensions, not " +
               std::to_string(base.facts.metadata.rank()) + as_base;
    if (facts.axes.x != base.facts.axes.x || facts.axes.y != base.facts.axes.y)
        return "has its X and Y among other dimensions than /" + base.listed.path;
    const std::string other = OtherDimensions(facts, base.facts);
    if (!other.empty()) return other + as_base;
    const bool is_smaller = level.width <= previous.width && level.height <= previous.height;
    if (level.width == previous.width && level.height == previous.height)
        return "is of the size of /" + previous.listed.path + ", " +
               SizeText(level.width, level.height);
    if (!is_smaller)
        return "of " + SizeText(level.width, level.height) + " is not smaller than /" +
               previous.listed.path + " of " + SizeText(previous.width, previous.height) +
               " along both X and Y";
    return {};
}

std::optional<AffineSource> LevelChecker::GeoTransformOf(const ArrayFacts& facts,
                                                         const std::string& where) {
    const std::string key = CoordinatesKey(facts);
    if (const auto known = transforms_.find(key); !key.empty() && known != transforms_.end())
        return known->second;
    Warnings found;
    auto source = FindGeoTransform(hierarchy_, facts, 1, found);
    for (const std::string& warning : found)
        if (told_.insert(warning).second && !where.empty())
            warnings_.push_back(std::string(where).append(": ").append(warning));
    if (!key.empty()) transforms_.emplace(key, source);
    return source;
}

bool LevelChecker::HasExtentOf(const Level& base, const Level& level) {
    const auto a = GeoTransformOf(base.facts, "");
    if (!a) return true;
    const auto b = GeoTransformOf(level.facts, level.listed.origin);
    if (!b || a->is_ome != b->is_ome) return true;
    // What the group says of all its arrays is the base's, not the level's own.
    if (b->is_of_group && ParentPath(level.listed.path) == ParentPath(base.listed.path))
        return true;
    const auto distance = [&](const GeoTransform& a_transform, const GeoTransform& b_transform) {
        return CornerDistance(a_transform, static_cast<double>(base.width),
                              static_cast<double>(base.height), b_transform,
                              static_cast<double>(level.width), static_cast<double>(level.height));
    };
    if (distance(a->transform, b->transform) <= kMaxCornerDistance) return true;
    // OME's translation is that of the first pixel's centre, but many writers leave it out or mean
    // the corner. Half a pixel more and the part of a pixel that the last column or row lacks would
    // make good levels look misplaced.
    return a->is_ome &&
           distance(HalfPixelOn(a->transform), HalfPixelOn(b->transform)) <= kMaxCornerDistance;
}

std::optional<Pyramid> LevelChecker::Check(const std::string& origin,
                                           const std::vector<ListedLevel>& arrays) {
    std::vector<Level> levels = Describe(arrays);
    if (levels.empty()) return std::nullopt;
    SortBySize(levels);
    FollowBase(levels);
    Pyramid pyramid;
    pyramid.origin = origin;
    const Level& base = levels[0];
    const Level* previous = &base;
    for (const Level& level : levels) {
        if (&level != &base) {
            std::string why = WhyNoLevel(level, *previous, base);
            if (why.empty() && !HasExtentOf(base, level))
                why = "covers another extent than /" + base.listed.path;
            if (!why.empty()) {
                LeaveOut(level.listed, why);
                continue;
            }
        }
        pyramid.levels.push_back({level.listed.path, level.width, level.height});
        previous = &level;
    }
    return pyramid;
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
#include "core/conventions/crs/geotiff.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "core/conventions/facts/tiff_tags.h"
#include "core/conventions/group/multiscales.h"
#include "core/metadata/fill_meaning.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

// Maximum number of tie points that are read as ground control points.
constexpr std::size_t kMaxTiepoints = 100'000;
constexpr std::size_t kNumbersOfTiepoint = 6;  // i, j, k, x, y, z

// Appends the finite numbers of `value`: a list, or a list of lists. Returns false if `value` is
// anything else, or has more than `most` numbers.
bool AppendFinite(const json::Value& value, std::size_t most, std::vector<double>& numbers) {
    const json::Array* const items = value.as_array();
    if (items == nullptr) return false;
    for (const json::Value& item : *items) {
        double number = 0;
        if (item.as_array() != nullptr) {
            for (const json::Value& inner : *item.as_array()) {
                if (!inner.GetDouble(number) || numbers.size() >= most) return false;
                numbers.push_back(number);
            }
        } else if (!item.GetDouble(number) || numbers.size() >= most) {
            return false;
        } else {
            numbers.push_back(number);
        }
    }
    return std::all_of(numbers.begin(), numbers.end(), [](double v) { return std::isfinite(v); });
}

// Returns the numbers of a tag that has `count` numbers, or a multiple of `count` up to `most`.
// Returns an empty list if the tag is absent, and with a warning if the tag is invalid.
std::vector<double> NumbersOfTag(const GeoTiffTags& tags, std::string_view name, std::size_t count,
                                 std::size_t most, Warnings& warnings) {
    const GeoTiffTag tag = FindGeoTiffTag(tags.attributes, name);
    if (tag.value == nullptr) return {};
    std::vector<double> numbers;
    if (AppendFinite(*tag.value, most, numbers) && !numbers.empty() && numbers.size() % count == 0)
        return numbers;
    warnings.push_back(tags.where + "attribute " + tag.name + ": expected " +
                       std::to_string(count) + " numbers, got " + json::Brief(*tag.value));
    return {};
}

// True if coordinates are those of pixel centres (RasterPixelIsPoint).
bool IsOfCentres(const GeoTiffTags& tags) {
    constexpr std::int64_t kPixelIsPoint = 2;
    const GeoTiffTag tag = FindGeoTiffTag(tags.attributes, "GTRasterType");
    std::int64_t type = 0;
    return tag.value != nullptr && tag.value->GetInt64(type) && type == kPixelIsPoint;
}

// Returns the path of the first level of the pyramid that lists an array.
std::string BaseOf(const LevelListing& listing) {
    const json::Value* const datasets = listing.levels[0].multiscale->Find("datasets");
    const json::Array* const items = datasets != nullptr ? datasets->as_array() : nullptr;
    const std::string* const path =
        items != nullptr && !items->empty() ? StringAttribute(items->front(), "path") : nullptr;
    return path != nullptr ? JoinKey(listing.group, *path) : std::string();
}

}  // namespace

std::optional<GeoTiffTags> FindGeoTiffTags(const Hierarchy& hierarchy, const ArrayFacts& facts) {
    if (!facts.axes.x || !facts.axes.y) return std::nullopt;
    if (HasGeoTiffTags(facts.attributes)) return GeoTiffTags{facts.attributes, "", 1, 1};
    const LevelListing listing = ListingOfTiff(hierarchy, facts.path, facts.group_attributes);
    if (!listing.is_listed()) return std::nullopt;
    GeoTiffTags tags{facts.group_attributes, "group /" + listing.group + ", ", 1, 1};
    const std::string base = BaseOf(listing);
    if (base == facts.path) return tags;
    const auto first = DescribeArray(hierarchy, base);
    if (!first.ok() || !first->axes.x || !first->axes.y) return std::nullopt;
    const auto factor = [](const ArrayFacts& from, std::size_t a, const ArrayFacts& to,
                           std::size_t b) {
        return static_cast<double>(from.dimensions[a].size) /
               static_cast<double>(std::max<std::uint64_t>(to.dimensions[b].size, 1));
    };
    tags.x_factor = factor(*first, *first->axes.x, facts, *facts.axes.x);
    tags.y_factor = factor(*first, *first->axes.y, facts, *facts.axes.y);
    return tags;
}

std::optional<AffineSource> ReadGeoTiffTransform(const GeoTiffTags& tags, Warnings& warnings) {
    constexpr std::size_t kNumbersOfMatrix = 16;
    const auto scale = NumbersOfTag(tags, kModelPixelScale, 1, 3, warnings);
    const auto tiepoints = NumbersOfTag(tags, kModelTiepoint, kNumbersOfTiepoint,
                                        kNumbersOfTiepoint * kMaxTiepoints, warnings);
    const auto matrix =
        NumbersOfTag(tags, kModelTransformation, kNumbersOfMatrix, kNumbersOfMatrix, warnings);
    AffineSource source;
    GeoTransform& t = source.transform;
    if (scale.size() >= 2 && scale[0] != 0 && scale[1] != 0 && !tiepoints.empty()) {
        // GDAL reads a negative pixel height as a positive one.
        const double height = std::fabs(scale[1]);
        t = {tiepoints[3] - tiepoints[0] * scale[0], scale[0], 0,
             tiepoints[4] + tiepoints[1] * height,   0,        -height};
        source.origin = FindGeoTiffTag(tags.attributes, kModelPixelScale).name;
    } else if (!matrix.empty()) {
        t = {matrix[3], matrix[0], matrix[1], matrix[7], matrix[4], matrix[5]};
        source.origin = FindGeoTiffTag(tags.attributes, kModelTransformation).name;
    } else {
        return std::nullopt;
    }
    source.origin.insert(0, tags.where + "attribute ");
    if (IsOfCentres(tags)) {
        t[0] -= 0.5 * (t[1] + t[2]);
        t[3] -= 0.5 * (t[4] + t[5]);
    }
    if (!IsInvertible(t)) {
        warnings.push_back(source.origin + ": has no inverse, and is ignored");
        return std::nullopt;
    }
    for (const std::size_t i : {1, 4}) t[i] *= tags.x_factor;
    for (const std::size_t i : {2, 5}) t[i] *= tags.y_factor;
    return source;
}

std::vector<GroundControlPoint> ReadGeoTiffPoints(const GeoTiffTags& tags, Warnings& warnings) {
    for (const std::string_view name : {kModelPixelScale, kModelTransformation})
        if (FindGeoTiffTag(tags.attributes, name).value != nullptr) return {};
    const auto numbers = NumbersOfTag(tags, kModelTiepoint, kNumbersOfTiepoint,
                                      kNumbersOfTiepoint * kMaxTiepoints, warnings);
    const double shift = IsOfCentres(tags) ? 0.5 : 0;
    std::vector<GroundControlPoint> points;
    for (std::size_t i = 0; i < numbers.size(); i += kNumbersOfTiepoint)
        points.push_back({(numbers[i] + shift) / tags.x_factor,
                          (numbers[i + 1] + shift) / tags.y_factor, numbers[i + 3], numbers[i + 4],
                          numbers[i + 5]});
    return points;
}

}  // namespace zarr

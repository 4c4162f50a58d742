// SPDX-License-Identifier: MIT
#include "core/conventions/geotiff.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "core/conventions/multiscales.h"
#include "core/metadata/fill_meaning.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr std::string_view kGeoKey = "GeoKey";
constexpr std::string_view kPixelScale = "ModelPixelScale";
constexpr std::string_view kTiepoint = "ModelTiepoint";
constexpr std::string_view kTransformation = "ModelTransformation";

// Maximum number of tie points that are read as ground control points.
constexpr std::size_t kMaxTiepoints = 100'000;
constexpr std::size_t kNumbersOfTiepoint = 6;  // i, j, k, x, y, z

// GeoKeys of GeoTIFF 1.0 in virtual-tiff's attributes, whose names IsGeoTiffTag() accepts.
constexpr std::string_view kGeoKeys[] = {"GTModelType",
                                         "GTRasterType",
                                         "GeographicType",
                                         "GeogCitation",
                                         "GeogGeodeticDatum",
                                         "GeogPrimeMeridian",
                                         "GeogLinearUnits",
                                         "GeogLinearUnitSize",
                                         "GeogAngularUnits",
                                         "GeogAngularUnitSize",
                                         "GeogEllipsoid",
                                         "GeogSemiMajorAxis",
                                         "GeogSemiMinorAxis",
                                         "GeogInvFlattening",
                                         "GeogAzimuthUnits",
                                         "GeogPrimeMeridianLong",
                                         "ProjectedCSType",
                                         "ProjCitation",
                                         "ProjCoordTrans",
                                         "ProjLinearUnits",
                                         "ProjLinearUnitSize",
                                         "ProjStdParallel1",
                                         "ProjStdParallel2",
                                         "ProjNatOriginLong",
                                         "ProjNatOriginLat",
                                         "ProjFalseEasting",
                                         "ProjFalseNorthing",
                                         "ProjFalseOriginLong",
                                         "ProjFalseOriginLat",
                                         "ProjFalseOriginEasting",
                                         "ProjFalseOriginNorthing",
                                         "ProjCenterLong",
                                         "ProjCenterLat",
                                         "ProjCenterEasting",
                                         "ProjCenterNorthing",
                                         "ProjScaleAtNatOrigin",
                                         "ProjScaleAtCenter",
                                         "ProjAzimuthAngle",
                                         "ProjStraightVertPoleLong",
                                         kPixelScale,
                                         kTiepoint,
                                         kTransformation};

// Tags that kerchunk copies beside GeoKeys.
constexpr std::string_view kTagsOfKerchunk[] = {kPixelScale,     kTiepoint,
                                                kTransformation, "KeyDirectoryVersion",
                                                "KeyRevision",   "KeyRevisionMinor"};

// GDAL's items of a TIFF file, and the attributes that have the same meaning.
struct GdalItem {
    std::string_view name;
    std::string_view attribute;
    bool is_number;
};
constexpr std::string_view kPlainNodata = "nodata";
constexpr GdalItem kGdalItems[] = {{"SCALE", "scale_factor", true},
                                   {"OFFSET", "add_offset", true},
                                   {"UNITTYPE", "units", false},
                                   {"GDAL_NODATA", kPlainNodata, false},
                                   {"gdal_no_data", kPlainNodata, false}};

// Returns virtual-tiff's name of a tag: "GTModelType" is "model_type", "ProjectedCSType" is
// "projected_type".
std::string NameOfVirtualTiff(std::string_view name) {
    if (name.substr(0, 2) == "GT") name.remove_prefix(2);
    std::string snake;
    for (const char c : name == "ProjectedCSType" ? "ProjectedType" : name) {
        const bool is_upper = c >= 'A' && c <= 'Z';
        if (is_upper && !snake.empty()) snake += '_';
        snake += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return snake;
}

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

// True if the array's group has tags, and lists the array as a level of a pyramid.
bool IsLevelOfTiff(const Hierarchy& hierarchy, const ArrayFacts& facts) {
    if (facts.path.empty() || !HasGeoTiffTags(facts.group_attributes)) return false;
    const LevelListing listing = ListingOf(hierarchy, facts.path);
    return listing.is_listed() && listing.group == ParentPath(facts.path);
}

std::uint64_t BandsOf(const ArrayMetadata& metadata) {
    // The two largest dimensions are rows and columns; any other one has bands.
    std::vector<std::uint64_t> shape = metadata.shape;
    std::sort(shape.rbegin(), shape.rend());
    return shape.size() > 2 ? shape[2] : 1;
}

}  // namespace

GeoTiffTag FindGeoTiffTag(const json::Value& attributes, std::string_view name) {
    std::vector<std::string> names = {std::string(name).append(kGeoKey)};
    if (name.substr(0, 5) == "Model") names = {std::string(name)};
    // The names of GeoTIFF 1.1.
    if (name == "ProjectedCSType") names.emplace_back("ProjectedCRSGeoKey");
    if (name == "GeographicType") names.emplace_back("GeodeticCRSGeoKey");
    names.push_back(NameOfVirtualTiff(name));
    for (std::string& spelling : names)
        if (const json::Value* const value = attributes.Find(spelling);
            value != nullptr && !value->is_null())
            return {value, std::move(spelling)};
    return {};
}

bool IsGeoTiffTag(std::string_view name) {
    const auto is = [&](std::string_view other) { return name == other; };
    const bool is_key =
        name.size() > kGeoKey.size() && name.substr(name.size() - kGeoKey.size()) == kGeoKey;
    return is_key || std::any_of(std::begin(kTagsOfKerchunk), std::end(kTagsOfKerchunk), is) ||
           std::any_of(std::begin(kGeoKeys), std::end(kGeoKeys),
                       [&](std::string_view key) { return name == NameOfVirtualTiff(key); });
}

bool HasGeoTiffTags(const json::Value& attributes) {
    constexpr std::string_view kNames[] = {"GTModelType", kPixelScale, kTiepoint, kTransformation};
    return std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view name) {
        return FindGeoTiffTag(attributes, name).value != nullptr;
    });
}

bool IsGdalTiffItem(std::string_view name) {
    return std::any_of(std::begin(kGdalItems), std::end(kGdalItems),
                       [&](const GdalItem& item) { return name == item.name; });
}

Fact<json::Value> WithGeoTiff(json::Value attributes, const Hierarchy& hierarchy,
                              const ArrayFacts& facts) {
    const ArrayMetadata& metadata = facts.metadata;
    if (attributes.as_object() == nullptr || metadata.rank() < 2) return {std::move(attributes)};
    json::Value owner;
    if (HasGeoTiffTags(attributes))
        owner = attributes;
    else if (IsLevelOfTiff(hierarchy, facts))
        owner = facts.group_attributes;
    else
        return {std::move(attributes)};
    json::Object& members = *attributes.MutableObject();
    Warnings warnings;
    std::string of_any_band;  // items that belong to one of several bands
    for (const GdalItem& item : kGdalItems) {
        const json::Value* const stated = owner.Find(item.name);
        if (stated == nullptr || attributes.Find(item.attribute) != nullptr) continue;
        if (item.attribute == kPlainNodata && NamesNodata(attributes)) continue;
        const auto number = NumberIn(*stated);
        if (item.is_number && !number) {
            warnings.push_back(
                json::Expected("attribute " + std::string(item.name), "a number", *stated)
                    .message());
            continue;
        }
        if (item.is_number && BandsOf(metadata) > 1)
            of_any_band.append(of_any_band.empty() ? "" : " and ").append(item.name);
        members.emplace_back(std::string(item.attribute),
                             item.is_number ? json::Value(*number) : *stated);
    }
    if (!of_any_band.empty())
        warnings.push_back("attribute " + of_any_band + " of a TIFF file with " +
                           std::to_string(BandsOf(metadata)) +
                           " bands: the band is not stated; all bands get the value");
    return {std::move(attributes), std::move(warnings)};
}

std::optional<GeoTiffTags> FindGeoTiffTags(const Hierarchy& hierarchy, const ArrayFacts& facts) {
    if (!facts.axes.x || !facts.axes.y) return std::nullopt;
    if (HasGeoTiffTags(facts.attributes)) return GeoTiffTags{facts.attributes, "", 1, 1};
    if (!IsLevelOfTiff(hierarchy, facts)) return std::nullopt;
    const LevelListing listing = ListingOf(hierarchy, facts.path);
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
    const auto scale = NumbersOfTag(tags, kPixelScale, 1, 3, warnings);
    const auto tiepoints = NumbersOfTag(tags, kTiepoint, kNumbersOfTiepoint,
                                        kNumbersOfTiepoint * kMaxTiepoints, warnings);
    const auto matrix =
        NumbersOfTag(tags, kTransformation, kNumbersOfMatrix, kNumbersOfMatrix, warnings);
    AffineSource source;
    GeoTransform& t = source.transform;
    if (scale.size() >= 2 && scale[0] != 0 && scale[1] != 0 && !tiepoints.empty()) {
        // GDAL reads a negative pixel height as a positive one.
        const double height = std::fabs(scale[1]);
        t = {tiepoints[3] - tiepoints[0] * scale[0], scale[0], 0,
             tiepoints[4] + tiepoints[1] * height,   0,        -height};
        source.origin = FindGeoTiffTag(tags.attributes, kPixelScale).name;
    } else if (!matrix.empty()) {
        t = {matrix[3], matrix[0], matrix[1], matrix[7], matrix[4], matrix[5]};
        source.origin = FindGeoTiffTag(tags.attributes, kTransformation).name;
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
    for (const std::string_view name : {kPixelScale, kTransformation})
        if (FindGeoTiffTag(tags.attributes, name).value != nullptr) return {};
    const auto numbers = NumbersOfTag(tags, kTiepoint, kNumbersOfTiepoint,
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

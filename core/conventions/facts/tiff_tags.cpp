// SPDX-License-Identifier: MIT
#include "core/conventions/facts/tiff_tags.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "core/metadata/fill_meaning.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr std::string_view kGeoKey = "GeoKey";

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
                                         kModelPixelScale,
                                         kModelTiepoint,
                                         kModelTransformation};

// Tags that kerchunk copies beside GeoKeys.
constexpr std::string_view kTagsOfKerchunk[] = {kModelPixelScale,     kModelTiepoint,
                                                kModelTransformation, "KeyDirectoryVersion",
                                                "KeyRevision",        "KeyRevisionMinor"};

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
    constexpr std::string_view kNames[] = {"GTModelType", kModelPixelScale, kModelTiepoint,
                                           kModelTransformation};
    return std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view name) {
        return FindGeoTiffTag(attributes, name).value != nullptr;
    });
}

bool IsGdalTiffItem(std::string_view name) {
    return std::any_of(std::begin(kGdalItems), std::end(kGdalItems),
                       [&](const GdalItem& item) { return name == item.name; });
}

Fact<json::Value> WithGeoTiff(json::Value attributes, const Hierarchy& hierarchy,
                              const std::string& path, const ArrayMetadata& metadata,
                              const json::Value& group_attributes) {
    if (attributes.as_object() == nullptr || metadata.rank() < 2) return {std::move(attributes)};
    json::Value owner;
    if (HasGeoTiffTags(attributes))
        owner = attributes;
    else if (ListingOfTiff(hierarchy, path, group_attributes).is_listed())
        owner = group_attributes;
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

LevelListing ListingOfTiff(const Hierarchy& hierarchy, const std::string& path,
                           const json::Value& group_attributes) {
    if (path.empty() || !HasGeoTiffTags(group_attributes)) return {};
    LevelListing listing = ListingOf(hierarchy, path);
    return listing.group == ParentPath(path) ? std::move(listing) : LevelListing();
}

}  // namespace zarr

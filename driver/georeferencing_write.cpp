// SPDX-License-Identifier: MIT
#include "driver/georeferencing_write.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/endian.h"
#include "core/base/text.h"
#include "core/dtype/element_text.h"
#include "core/metadata/array_spec.h"
#include "core/store/keys.h"
#include "driver/crs_write.h"

namespace zarr_driver {

namespace json = zarr::json;
using zarr::GeoTransform;
using zarr::Status;

namespace {

constexpr const char* kGridMapping = "spatial_ref";  // as rioxarray calls it

json::Value Text(const std::string& text) { return json::Value(text); }

json::Value Numbers(const std::vector<double>& numbers) {
    json::Array array;
    array.reserve(numbers.size());
    for (const double number : numbers) array.emplace_back(number);
    return json::Value(std::move(array));
}

bool IsRotated(const GeoTransform& t) { return t[2] != 0 || t[4] != 0; }

// Six numbers in affine order: a, b, c, d, e, f.
json::Value SpatialTransform(const GeoTransform& t) {
    return Numbers({t[1], t[2], t[0], t[4], t[5], t[3]});
}

std::string GdalTransform(const GeoTransform& t) {
    std::string text;
    for (const double number : t) text += (text.empty() ? "" : " ") + zarr::DoubleText(number);
    return text;
}

// Makes an array of one uncompressed chunk beside the array of `layout`, in place of one that is
// there.
Status ReplaceBeside(StoreUpdate& update, const RasterLayout& layout, const std::string& name,
                     const zarr::ArraySpec& spec, const json::Object& attributes,
                     const std::string& chunk) {
    const std::string path = zarr::JoinKey(zarr::ParentPath(layout.facts.path), name);
    if (path == layout.facts.path) return {};  // never the data itself
    ZARR_ASSIGN_OR_RETURN(const json::Object document, zarr::MakeArrayDocument(spec));
    ZARR_RETURN_IF_ERROR(
        update.metadata().CreateArray(path, document, attributes, zarr::IfExists::kReplace));
    return update.store()->Set(zarr::JoinKey(path, "0"), zarr::ByteSpan(std::string_view(chunk)));
}

// Writes the arrays that CF wants beside the data.
class CfWriter {
  public:
    CfWriter(StoreUpdate& update, const RasterLayout& layout, const Placement& placement)
        : update_(update), layout_(layout), placement_(placement) {}

    Status WriteGridMapping() const {
        const OGRSpatialReference& srs = *placement_.srs;
        const std::string wkt = Wkt2(srs);
        json::Object attributes{{"crs_wkt", Text(wkt)}, {kGridMapping, Text(wkt)}};
        if (srs.IsGeographic())
            attributes.emplace_back("grid_mapping_name", Text("latitude_longitude"));
        if (placement_.transform)
            attributes.emplace_back("GeoTransform", Text(GdalTransform(*placement_.transform)));
        attributes.emplace_back("_ARRAY_DIMENSIONS", json::Value(json::Array{}));
        zarr::ArraySpec spec;
        ZARR_ASSIGN_OR_RETURN(spec.dtype, zarr::ParseTypestr("<i8"));
        return ReplaceBeside(update_, layout_, kGridMapping, spec, attributes,
                             std::string(8, '\0'));
    }

    // Pixel centres along X or Y.
    Status WriteAxis(std::size_t axis, bool is_x) const {
        const GeoTransform& t = *placement_.transform;
        const zarr::Dimension& dimension = layout_.facts.dimensions[axis];
        if (!dimension.is_named) return {};
        const double start = is_x ? t[0] : t[3];
        const double step = is_x ? t[1] : t[5];
        std::string values;
        for (std::uint64_t i = 0; i < dimension.size; ++i) {
            const double centre = start + (static_cast<double>(i) + 0.5) * step;
            char bytes[sizeof centre];
            zarr::StoreNative(reinterpret_cast<std::uint8_t*>(bytes), centre);
            values.append(bytes, sizeof bytes);
        }
        json::Object attributes{
            {"_ARRAY_DIMENSIONS", json::Value(json::Array{Text(dimension.name)})},
            {"axis", Text(is_x ? "X" : "Y")}};
        const OGRSpatialReference* srs = placement_.srs;
        if (srs != nullptr && srs->IsGeographic()) {
            attributes.emplace_back("standard_name", Text(is_x ? "longitude" : "latitude"));
            attributes.emplace_back("units", Text(is_x ? "degrees_east" : "degrees_north"));
        } else if (srs != nullptr) {
            attributes.emplace_back("standard_name", Text(is_x ? "projection_x_coordinate"
                                                               : "projection_y_coordinate"));
            if (srs->GetLinearUnits() == 1.0) attributes.emplace_back("units", Text("m"));
        }
        zarr::ArraySpec spec;
        spec.shape = spec.chunks = {dimension.size};
        ZARR_ASSIGN_OR_RETURN(spec.dtype,
                              zarr::ParseTypestr(zarr::HostIsLittleEndian() ? "<f8" : ">f8"));
        return ReplaceBeside(update_, layout_, dimension.name, spec, attributes, values);
    }

  private:
    StoreUpdate& update_;
    const RasterLayout& layout_;
    const Placement& placement_;
};

}  // namespace

Status WriteTextCoordinates(StoreUpdate& update, const RasterLayout& layout, std::size_t axis,
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
    const zarr::Dimension& dimension = layout.facts.dimensions[axis];
    zarr::ArraySpec spec;
    spec.shape = spec.chunks = {texts.size()};
    const std::string order = zarr::HostIsLittleEndian() ? "<U" : ">U";
    ZARR_ASSIGN_OR_RETURN(spec.dtype, zarr::ParseTypestr(order + std::to_string(longest)));
    const json::Object attributes{
        {"_ARRAY_DIMENSIONS", json::Value(json::Array{Text(dimension.name)})}};
    return ReplaceBeside(update, layout, dimension.name, spec, attributes, chunk);
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

Status WriteGeoreferencing(StoreUpdate& update, const RasterLayout& layout,
                           const Placement& placement, Georeferenced convention,
                           json::Object& attributes) {
    const bool gdal = convention == Georeferenced::kGdal || convention == Georeferenced::kGdalAndCf;
    const bool cf = convention == Georeferenced::kCf || convention == Georeferenced::kGdalAndCf;
    const bool spatial = convention == Georeferenced::kSpatialProj;
    const OGRSpatialReference* srs = placement.srs;
    const auto& transform = placement.transform;
    SetMember(attributes, "_CRS", srs != nullptr && gdal ? GdalCrs(*srs) : json::Value());
    SetMember(attributes, "grid_mapping",
              srs != nullptr && cf ? Text(kGridMapping) : json::Value());
    const std::string code = srs != nullptr && spatial ? CodeOf(*srs, ":") : "";
    SetMember(attributes, "proj:code", code.empty() ? json::Value() : Text(code));
    SetMember(attributes, "proj:wkt2",
              srs != nullptr && spatial ? Text(Wkt2(*srs)) : json::Value());
    // Where coordinate arrays cannot say it, or not exactly.
    const bool rotated = transform && IsRotated(*transform);
    const bool by_attribute = transform && (spatial || rotated || srs == nullptr || !cf);
    const bool has_axes = layout.x_axis && layout.y_axis;
    if (by_attribute && has_axes) {
        const auto& dimensions = layout.facts.dimensions;
        SetMember(attributes, "spatial:dimensions",
                  json::Value(json::Array{Text(dimensions[*layout.y_axis].name),
                                          Text(dimensions[*layout.x_axis].name)}));
        SetMember(attributes, "spatial:transform", SpatialTransform(*transform));
    } else {
        SetMember(attributes, "spatial:dimensions", json::Value());
        SetMember(attributes, "spatial:transform", json::Value());
    }
    const CfWriter cf_writer(update, layout, placement);
    if (srs != nullptr && cf) ZARR_RETURN_IF_ERROR(cf_writer.WriteGridMapping());
    if (!transform || rotated || !has_axes || spatial) return {};
    ZARR_RETURN_IF_ERROR(cf_writer.WriteAxis(*layout.x_axis, true));
    return cf_writer.WriteAxis(*layout.y_axis, false);
}

}  // namespace zarr_driver

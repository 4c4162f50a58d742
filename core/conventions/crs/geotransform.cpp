// SPDX-License-Identifier: MIT
#include "core/conventions/crs/geotransform.h"

#include <algorithm>
#include <cmath>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zarr {

namespace {

// Maximum number of bytes of a text or list that is read as a transform.
constexpr std::size_t kMaxTransformBytes = 1000;

// Returns the numbers in a list, a list of lists, or a text with brackets and separators, such as
// "Affine(1.0, 0.0, ...)" or "| 1.00, 0.00|". Returns nullopt if `value` contains anything else.
std::optional<std::vector<double>> NumbersWithin(const json::Value& value) {
    std::string text = value.as_string() != nullptr ? *value.as_string() : json::Dump(value);
    constexpr std::string_view kName = "Affine";
    if (text.compare(0, kName.size(), kName) == 0) text.erase(0, kName.size());
    if (text.size() > kMaxTransformBytes) return std::nullopt;
    constexpr std::string_view kSeparators = "()[]|,;\"'";
    for (char& c : text)
        if (kSeparators.find(c) != std::string_view::npos) c = ' ';
    json::Object stated;
    stated.emplace_back("", json::Value(std::move(text)));
    auto numbers = NumbersAttribute(json::Value(std::move(stated)), "").value;
    return numbers.empty() ? std::nullopt : std::optional(std::move(numbers));
}

// True if `value` is a list that begins with a number or a list, and thus is meant as numbers.
bool IsListOfNumbers(const json::Value& value) {
    const json::Array* const items = value.as_array();
    return items != nullptr && !items->empty() &&
           (NumberIn(items->front()) || items->front().as_array() != nullptr);
}

}  // namespace

bool IsInvertible(const GeoTransform& t) {
    const bool finite = std::all_of(t.begin(), t.end(), [](double v) { return std::isfinite(v); });
    const double determinant = t[1] * t[5] - t[2] * t[4];
    return finite && std::isfinite(determinant) && determinant != 0;
}

std::optional<GeoTransform> ParseAffineOrder(const json::Value& value) {
    const json::Array* items = value.as_array();
    if (items == nullptr || (items->size() != 6 && items->size() != 9)) return std::nullopt;
    std::array<double, 6> a{};
    for (std::size_t i = 0; i < 6; ++i)
        if (!(*items)[i].GetDouble(a[i])) return std::nullopt;
    const GeoTransform transform = {a[2], a[0], a[1], a[5], a[3], a[4]};
    if (!IsInvertible(transform)) return std::nullopt;
    return transform;
}

std::optional<GeoTransform> ParseGdalOrder(const json::Value& value) {
    GeoTransform transform{};
    if (const std::string* const text = value.as_string()) {
        std::istringstream stream(*text);
        stream.imbue(std::locale::classic());
        for (double& number : transform)
            if (!(stream >> number)) return std::nullopt;
        if (!(stream >> std::ws).eof()) return std::nullopt;
    } else {
        const json::Array* const items = value.as_array();
        if (items == nullptr || items->size() != transform.size()) return std::nullopt;
        for (std::size_t i = 0; i < transform.size(); ++i)
            if (!(*items)[i].GetDouble(transform[i])) return std::nullopt;
    }
    if (!IsInvertible(transform)) return std::nullopt;
    return transform;
}

Fact<std::optional<GeoTransform>> ReadPlainTransform(const json::Value& attributes) {
    const json::Value* const value = attributes.Find(kPlainTransform);
    if (value == nullptr || (value->as_string() == nullptr && value->as_array() == nullptr))
        return {};
    const auto numbers = NumbersWithin(*value);
    const bool is_list = IsListOfNumbers(*value);
    if (!is_list && (!numbers || numbers->size() < 2)) return {};
    if (numbers && (numbers->size() == 6 || numbers->size() == 9)) {
        const std::vector<double>& a = *numbers;
        // An affine transform without `c` and `e` is turned by 90 degrees about a corner at x = 0.
        // In GDAL's order, `c` and `e` are 0 in each raster that is not turned.
        const bool is_gdal_order =
            a.size() == 6 && a[2] == 0 && a[4] == 0 && a[1] != 0 && a[5] != 0;
        const GeoTransform transform = is_gdal_order
                                           ? GeoTransform{a[0], a[1], a[2], a[3], a[4], a[5]}
                                           : GeoTransform{a[2], a[0], a[1], a[5], a[3], a[4]};
        constexpr GeoTransform kIdentity = {0, 1, 0, 0, 0, 1};
        if (transform == kIdentity) return {};
        if (IsInvertible(transform)) return {transform};
    }
    return {std::nullopt,
            {"attribute transform: expected the six or nine numbers of an affine transformation, "
             "got " +
             json::Brief(*value)}};
}

bool HasTransform(const json::Value& attributes, const char* name) {
    const json::Value* value = attributes.Find(name);
    return value != nullptr && !value->is_null();
}

bool IsAffine(const json::Value& attributes) {
    const json::Value* const type = attributes.Find("spatial:transform_type");
    if (type == nullptr || type->is_null()) return true;
    return type->as_string() != nullptr && *type->as_string() == "affine";
}

bool StatesTransform(const json::Value& attributes) {
    return std::any_of(std::begin(kTransformNames), std::end(kTransformNames),
                       [&](const char* name) {
                           return HasTransform(attributes, name) &&
                                  (name != kSpatialTransform || IsAffine(attributes));
                       });
}

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
                if (!(apart <= distance)) distance = apart;  // a NaN distance stays NaN
        }
    }
    return distance;
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
#include "core/conventions/geotransform.h"

#include <algorithm>
#include <cmath>
#include <locale>
#include <sstream>
#include <string>

namespace zarr {

bool IsInvertible(const GeoTransform& t) {
    const bool finite = std::all_of(t.begin(), t.end(), [](double v) { return std::isfinite(v); });
    return finite && t[1] * t[5] - t[2] * t[4] != 0;
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

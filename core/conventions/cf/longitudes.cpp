// SPDX-License-Identifier: MIT
#include "core/conventions/cf/longitudes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace zarr {

namespace {

constexpr double kTurn = 360;

// Returns the index before which the greatest jump is; 0 if no jump exceeds 180 degrees.
std::size_t GreatestJump(const std::vector<double>& values) {
    std::size_t at = 0;
    double greatest = 0.5 * kTurn;
    for (std::size_t i = 1; i < values.size(); ++i) {
        const double jump = std::fabs(values[i] - values[i - 1]);
        if (!(jump > greatest)) continue;
        greatest = jump;
        at = i;
    }
    return at;
}

// Adds multiples of 360 to the values, so that the distance of the first two continues.
void Unwrap(Coordinates& coordinates) {
    std::vector<double>& values = coordinates.values;
    const double step = std::remainder(values[1] - values[0], kTurn) /
                        (coordinates.PlaceOf(1) - coordinates.PlaceOf(0));
    for (std::size_t i = 1; i < values.size(); ++i) {
        const double distance = coordinates.PlaceOf(i) - coordinates.PlaceOf(i - 1);
        const double expected = values[i - 1] + distance * step;
        values[i] += kTurn * std::round((expected - values[i]) / kTurn);
    }
}

std::optional<RegularAxis> FitUnwrapped(Coordinates& coordinates) {
    Unwrap(coordinates);
    auto axis = FitRegularAxis(coordinates, "").value;
    if (!axis) return axis;
    const double last = coordinates.PlaceOf(coordinates.values.size() - 1);
    const double centre = axis->start + 0.5 * last * axis->spacing;
    axis->start -= kTurn * std::ceil((centre - 0.5 * kTurn) / kTurn);
    return axis;
}

}  // namespace

std::optional<LongitudeAxis> FitLongitudes(const Coordinates& coordinates) {
    const std::vector<double>& values = coordinates.values;
    const bool are_degrees = std::all_of(values.begin(), values.end(), [](double value) {
        return std::fabs(value) <= 2 * kTurn;  // false for NaN
    });
    const std::size_t jump = are_degrees ? GreatestJump(values) : 0;
    if (jump == 0) return std::nullopt;
    Coordinates unwrapped = coordinates;
    if (const auto axis = FitUnwrapped(unwrapped)) return LongitudeAxis{*axis, 0};
    if (!coordinates.places.empty()) return std::nullopt;
    Coordinates moved = coordinates;
    std::rotate(moved.values.begin(), moved.values.begin() + static_cast<std::ptrdiff_t>(jump),
                moved.values.end());
    const auto axis = FitUnwrapped(moved);
    return axis ? std::optional(LongitudeAxis{*axis, jump}) : std::nullopt;
}

}  // namespace zarr

// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>

#include "core/conventions/cf/coordinates.h"

namespace zarr {
namespace {

struct Rounded {
    double start;
    double spacing;
    std::size_t count;
    int digits;
    bool is_float = false;
};

Coordinates Round(const Rounded& grid) {
    Coordinates coordinates;
    if (grid.is_float) coordinates.relative_noise = std::ldexp(1.0, -24);
    const double power = std::pow(10, grid.digits);
    for (std::size_t i = 0; i < grid.count; ++i) {
        const double exact = grid.start + static_cast<double>(i) * grid.spacing;
        const double value = std::round(exact * power) / power;
        coordinates.values.push_back(grid.is_float ? static_cast<double>(static_cast<float>(value))
                                                   : value);
    }
    return coordinates;
}

std::optional<RegularAxis> Fit(const Coordinates& coordinates) {
    return FitRegularAxis(coordinates, "/x").value;
}

constexpr double kTwelfth = 1.0 / 12;
constexpr double kThirdOfSecond = 1.0 / 10800;

TEST(RegularAxis, CoordinatesThatAreRoundedToDecimalsAreRegular) {
    const Rounded grids[] = {
        {-180 + kTwelfth / 2, kTwelfth, 4320, 3},
        {-180 + kTwelfth / 2, kTwelfth, 4320, 2},
        {-180 + kTwelfth / 2, kTwelfth, 4320, 3, true},
        {90 - kTwelfth / 2, -kTwelfth, 2160, 3},
        {-20.0417, kTwelfth, 6, 3},
        {-20.0417, -kTwelfth, 3, 3, true},
        {10.00005, kThirdOfSecond, 10812, 6},
        {10.00005, -kThirdOfSecond, 10812, 5},
        {10.00005, kThirdOfSecond, 3612, 4},
        {-10.00005, kThirdOfSecond, 120, 4},
        {-10.00005, kThirdOfSecond, 16, 4},
        {-120.00005, kThirdOfSecond, 3612, 4, true},
        {10.00005, kThirdOfSecond, 3612, 5, true},
        {47.00005, -kThirdOfSecond, 3612, 6, true},
        {175.00005, kThirdOfSecond, 3612, 6, true},
        {0.5 / 120, 1.0 / 120, 400, 4},
        {1.0 / 3, 1.0 / 3, 30, 1},
        {500000, 33.3333333, 30, 0},
        {5200000, -1000.0 / 3, 300, 0},
    };
    for (const Rounded& grid : grids) {
        const Coordinates coordinates = Round(grid);
        const auto axis = Fit(coordinates);
        ASSERT_TRUE(axis) << grid.start << " " << grid.spacing << " " << grid.digits;
        const std::vector<double>& values = coordinates.values;
        EXPECT_EQ(axis->start, values.front());
        EXPECT_DOUBLE_EQ(axis->spacing,
                         (values.back() - values.front()) / static_cast<double>(values.size() - 1));
    }
}

TEST(RegularAxis, PartsOfRoundedCoordinatesAreRegular) {
    Coordinates part;
    const Coordinates whole = Round({-180 + kTwelfth / 2, kTwelfth, 4320, 3});
    for (std::size_t i = 0; i < 4320; ++i) {
        if (i % 400 >= 20 && i != 4319) continue;
        part.places.push_back(i);
        part.values.push_back(whole.values[i]);
    }
    EXPECT_TRUE(Fit(part));
}

TEST(RegularAxis, OtherCoordinatesAreIrregular) {
    const std::vector<double> all[] = {
        {0, 1, 2, 4},
        {0, 10, 21, 30},
        {10, 11, 13},
        {0, 1, 2, 4, 5, 6, 7, 8, 9, 10},
        {1000, 925, 850, 700, 500},
        {0.1, 0.2, 0.3, 0.5},
        {1, 2, 4, 8, 16},
        {500000, 500033, 500067, 500100, 500131},
        {0, 2, 5, 7},
    };
    for (const std::vector<double>& values : all)
        EXPECT_FALSE(Fit({values, {}, 0})) << values.back();
    // A value that is more than half a unit away, and a row that is missing.
    Coordinates moved = Round({-180 + kTwelfth / 2, kTwelfth, 400, 3});
    moved.values[200] += 0.002;
    EXPECT_FALSE(Fit(moved));
    Coordinates gap = Round({10.00005, kThirdOfSecond, 300, 5});
    gap.values.erase(gap.values.begin() + 100);
    EXPECT_FALSE(Fit(gap));
    Coordinates gaussian;  // latitudes of a Gaussian grid, nearly
    for (int i = 0; i < 94; ++i)
        gaussian.values.push_back(std::round(88.542 * std::cos(0.1 + 0.03112 * i) * 1000) / 1000);
    EXPECT_FALSE(Fit(gaussian));
}

TEST(RegularAxis, GaussianLatitudesAreIrregular) {
    // The first latitudes of T62, with four and with two digits.
    EXPECT_FALSE(Fit({{88.5420, 86.6531, 84.7532, 82.8508, 80.9473, 79.0435}, {}, 0}));
    EXPECT_FALSE(Fit({{88.54, 86.65, 84.75, 82.85, 80.95, 79.04, 77.14, 75.24, 73.33}, {}, 0}));
}

}  // namespace
}  // namespace zarr

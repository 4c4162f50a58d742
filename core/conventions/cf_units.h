// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace zarr {

inline constexpr double kRadiansPerDegree = 3.14159265358979323846 / 180;

// A unit of length or angle.
struct SpaceUnit {
    enum class Kind { kLength, kAngle };
    Kind kind = Kind::kLength;
    double factor = 1;           // metres or radians in one unit
    std::string name = "metre";  // EPSG's name where it has one, else as the text had it
};

// The unit that the `units` of a coordinate array name: UDUNITS' spellings ("m", "kilometers",
// "degrees_east", "rad", "US_survey_foot"), those of EPSG, and a number before one ("1000 m").
// nullopt for any other text, an empty one included.
std::optional<SpaceUnit> ParseSpaceUnit(std::string_view text);

}  // namespace zarr

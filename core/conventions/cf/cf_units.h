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
    double factor = 1;           // size of the unit in metres or radians
    std::string name = "metre";  // EPSG's name if known, else the name in the parsed text
};

// Parses the `units` of a coordinate array: a spelling of UDUNITS ("m", "kilometers",
// "degrees_east", "rad", "US_survey_foot") or EPSG. A number may precede the unit ("1000 m").
// Returns nullopt for any other text, including empty text.
std::optional<SpaceUnit> ParseSpaceUnit(std::string_view text);

}  // namespace zarr

// SPDX-License-Identifier: MIT
// Two forms of values in BAND_DIM_VALUES and APPEND_DIM_VALUES: dates without hyphens, such as
// 20240501, and numbers in the units of a time axis.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/time.h"

namespace zarr_driver {

// Converts a date in the basic format of ISO 8601 to a date with hyphens: "20240501" to
// "2024-05-01". Ignores spaces before and after the date. Returns nullopt if the calendar of
// `reference` lacks the date, if the year is not within 1000 to 2999, and for other texts.
std::optional<std::string> DateOfEightDigits(const std::string& text,
                                             const zarr::TimeReference& reference);

// Adds hyphens to dates of eight digits in `texts`, the values of BAND_DIM_VALUES, if all other
// values are times. If another value is not a time, changes nothing, and fails if `name` is "time"
// or "t".
zarr::Status HyphenateDates(const std::string& name, std::vector<std::string>& texts);

// A value of the creation option APPEND_DIM_VALUES along a dimension of times. `warning` is a
// message for the user if the value looks like a year but is a number; otherwise it is empty.
struct GivenTime {
    std::string text;
    std::string warning;
};

// Checks a value of APPEND_DIM_VALUES. A date of eight digits gets hyphens; any other text is
// returned unchanged. A number is read in the units of `reference`. Fails if a number's time is not
// within the years 1 to 2999. Warns about a number that looks like a year.
zarr::Result<GivenTime> ReadGivenTime(const std::string& text,
                                      const zarr::TimeReference& reference);

}  // namespace zarr_driver

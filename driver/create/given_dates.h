// SPDX-License-Identifier: MIT
// Values of BAND_DIM_VALUES and APPEND_DIM_VALUES in two special forms: dates without hyphens, such
// as 20240501, and numbers in the units of a time axis.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/cf/time.h"

namespace zarr_driver {

// Adds hyphens to a date: "20240501" becomes "2024-05-01". Ignores spaces around the date. Returns
// nullopt if `text` is no such date in the calendar of `reference`, or its year is not within 1000
// to 2999.
std::optional<std::string> DateOfEightDigits(const std::string& text,
                                             const zarr::TimeReference& reference);

// Adds hyphens to eight-digit dates in `texts`, the values of BAND_DIM_VALUES, if all other values
// are times. Otherwise changes nothing, and fails if the dimension `name` is "time" or "t".
zarr::Status HyphenateDates(const std::string& name, std::vector<std::string>& texts);

// A value of the creation option APPEND_DIM_VALUES for a time. `warning`, if not empty, tells the
// user that the value looks like a year but is read as a number.
struct GivenTime {
    std::string text;
    std::string warning;
};

// Reads a value of APPEND_DIM_VALUES. An eight-digit date gets hyphens; other text is unchanged. A
// number has the units of `reference`; fails if its time is not within the years 1 to 2999, and
// warns if it looks like a year.
zarr::Result<GivenTime> ReadGivenTime(const std::string& text,
                                      const zarr::TimeReference& reference);

}  // namespace zarr_driver

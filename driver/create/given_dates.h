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

// If all of `texts`, the values of BAND_DIM_VALUES, are dates or times, adds hyphens to dates of
// eight digits. Fails if only some of `texts` are dates or times, and the dimension `name` has the
// name of a time dimension.
zarr::Status HyphenateDates(const std::string& name, std::vector<std::string>& texts);

// A value of the creation option APPEND_DIM_VALUES along a dimension of times. `warning` is empty
// unless users may have meant another time.
struct GivenTime {
    std::string text;
    std::string warning;
};

// Returns `text` with hyphens if it is a date of eight digits. Fails if `text` is a number whose
// time is not within the years 1 to 2999. Warns about a number of four digits that looks like a
// year.
zarr::Result<GivenTime> ReadGivenTime(const std::string& text,
                                      const zarr::TimeReference& reference);

}  // namespace zarr_driver

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

// Returns "2024-05-01" for "20240501", a date in the basic format of ISO 8601. Ignores spaces
// around it. Returns nullopt if the calendar of `reference` lacks the date, if the year is not
// within 1000 to 2999, and for other texts.
std::optional<std::string> DateOfEightDigits(const std::string& text,
                                             const zarr::TimeReference& reference);

// Adds hyphens to the dates among `texts`, the values of BAND_DIM_VALUES, if all texts are dates or
// times. Fails if only some are, and `name`, the name of the dimension, is that of a time.
zarr::Status HyphenateDates(const std::string& name, std::vector<std::string>& texts);

// A value of APPEND_DIM_VALUES along a dimension of times, and a warning if it may be misread.
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

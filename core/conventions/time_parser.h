// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "core/base/status.h"
#include "core/conventions/calendar.h"
#include "core/conventions/time.h"

namespace zarr {

// Reads "hours since 2020-01-01 12:00" into the unit and the epoch, the latter in UTC and in days
// of `calendar`. TimeReference::Parse() tells what is accepted.
Status ParseTimeUnits(std::string_view units, Calendar calendar, TimeStep& step, Instant& epoch);

}  // namespace zarr

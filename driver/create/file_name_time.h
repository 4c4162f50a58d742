// SPDX-License-Identifier: MIT
// Times in names of files, by a pattern such as FILENAME:%Y%m%d in a creation option.
#pragma once

#include <gdal_priv.h>

#include <optional>
#include <string>

#include "core/base/status.h"

namespace zarr_driver {

// Returns the time that `pattern` finds in `name`, as ISO 8601. The pattern may match anywhere in
// the name. Placeholders are %Y (four digits), %m, %d, %H, %M, %S (two digits each), %j (day of the
// year, three digits) and %%. Returns nullopt if no part of the name matches.
//
// A match is preferred if no digits are directly before or after it. The numbers must be a date and
// a time of day in the Gregorian calendar.
std::optional<std::string> TimeInName(const std::string& name, const std::string& pattern);

// Returns the value of a creation option. If `value` is FILENAME: and a pattern, returns the time
// in the base name of the file from which `source` is read. `source` may be nullptr if there is
// none. Errors name the option `option`.
zarr::Result<std::string> WithTimeOfFile(const char* option, const std::string& value,
                                         GDALDataset* source);

}  // namespace zarr_driver

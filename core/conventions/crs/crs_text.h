// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "core/base/status.h"
#include "core/conventions/attributes/attributes.h"

namespace zarr {

// Returns the text of a coordinate reference system (CRS) in a form that is safe to pass to PROJ.
// Other texts are not safe: PROJ opens files that a text names (`+init=/path`, `+nadgrids=/path`,
// PROJ4_GRIDS and PARAMETERFILE in WKT). PROJ also accepts URLs, and takes any other text as a file
// name.
//
// Accepted are WKT, PROJJSON, a PROJ string, and an authority with a code, also as a URN, a URL of
// opengis.net or `+init=authority:code`. The names WGS84, WGS72, NAD27, NAD83, CRS84, CRS83 and
// CRS27 are accepted, too.
//
// A datum shift that is read from a file is removed with a warning; `@null` means no file. Returns
// kCorrupt if the text has none of the accepted forms, or if a file defines the CRS.
Fact<Result<std::string>> SafeCrsText(std::string_view text);

}  // namespace zarr

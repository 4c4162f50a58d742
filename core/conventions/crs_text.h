// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "core/base/status.h"
#include "core/conventions/attributes.h"

namespace zarr {

// What of a text that a store gives for its coordinate reference system may be handed to PROJ. PROJ
// opens the files that some texts name (`+init=/path`, `+nadgrids=/path`, PROJ4_GRIDS and
// PARAMETERFILE in WKT), takes URLs, and looks for a file of the name that is anything else.
//
// The text is WKT, PROJJSON, an authority with a code (also as a URN, a URL of opengis.net's or
// `+init=authority:code`), a PROJ string, or one of the names WGS84, WGS72, NAD27, NAD83, CRS84,
// CRS83 and CRS27. Where only a datum's shift is read from a file, that is left out with a warning;
// `@null` stands for no file. kCorrupt where the text is nothing of all that, or a file says what
// the CRS is.
Result<std::string> SafeCrsText(std::string_view text, Warnings& warnings);

}  // namespace zarr

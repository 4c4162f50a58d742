// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "core/json/value.h"

namespace zarr {

// A statement in the store that gives an array's coordinate reference system (CRS).
struct CrsSource {
    enum class Kind {
        kText,         // `text` is an authority code, WKT, PROJJSON or another definition
        kGridMapping,  // `attributes` are the parameters of a CF grid mapping
        kLongLat,      // the coordinates are longitudes and latitudes, so the CRS is WGS 84
        kBroken,       // invalid statement; `text` gives the reason
    };
    Kind kind = Kind::kText;
    std::string text;
    json::Value attributes;
    std::string origin;  // name of the attribute or variable, for messages
    std::string code;    // for kGridMapping: EPSG code in an attribute `epsg_code`, or empty
    // For kGridMapping: the unit of the coordinates, if the statement includes it. Empty if the
    // coordinate arrays state the unit.
    std::string units;
    // True for a CRS from an attribute without a convention, such as `crs`, or from a grid mapping
    // that no attribute names. If such a CRS is projected but the CF coordinates are in degrees,
    // the CRS is ignored.
    bool yields_to_degrees = false;
};

}  // namespace zarr

// SPDX-License-Identifier: MIT
// Prints the CRS that the driver makes from CF grid mappings:
//   zarr_cf_srs < CASES
// Each input line is a JSON object with "units", the units of the coordinate arrays. The object has
// one more member: "attributes" (attributes of a grid mapping variable) or "crs" (text of a CRS).
//   For "attributes", the output line is a JSON object with "wkt" (WKT2:2019), "mapping" (from data
//   axes to CRS axes), "warnings" and "scale". "scale" is the factor from "units" to the units of
//   the CRS. If the CRS cannot be built, the object has only "error" and "warnings".
//   For "crs", the output line is a JSON object with "scale" only.
// Messages of GDAL go to standard error.
#include <cpl_conv.h>

#include <iostream>
#include <string>

#include "driver/georef/cf_srs.h"

namespace {

using zarr::json::Array;
using zarr::json::Object;
using zarr::json::Value;

Value List(const std::vector<std::string>& texts) {
    Array items;
    for (const std::string& text : texts) items.emplace_back(text);
    return Value(std::move(items));
}

zarr::Result<zarr_driver::CfSrs> Make(const Value& attributes, const std::string& units,
                                      zarr::Warnings& warnings) {
    ZARR_ASSIGN_OR_RETURN(const zarr::CfGridMapping mapping,
                          zarr::ParseCfGridMapping(attributes, warnings));
    return zarr_driver::MakeCfSrs(mapping, units, warnings);
}

Object Describe(const Value& attributes, const std::string& units) {
    zarr::Warnings warnings;
    const auto made = Make(attributes, units, warnings);
    Object answer;
    answer.emplace_back("warnings", List(warnings));
    if (!made.ok()) {
        answer.emplace_back("error", Value(made.status().message()));
        return answer;
    }
    const char* const options[] = {"FORMAT=WKT2_2019", nullptr};
    char* wkt = nullptr;
    if (made->srs.exportToWkt(&wkt, options) == OGRERR_NONE)
        answer.emplace_back("wkt", Value(std::string(wkt)));
    CPLFree(wkt);
    Array axes;
    for (const int axis : made->srs.GetDataAxisToSRSAxisMapping())
        axes.emplace_back(std::int64_t{axis});
    answer.emplace_back("mapping", Value(std::move(axes)));
    answer.emplace_back("scale", Value(made->coordinate_scale));
    return answer;
}

Object ScaleOf(const std::string& crs, const std::string& units) {
    OGRSpatialReference srs;
    if (srs.SetFromUserInput(crs.c_str()) != OGRERR_NONE) return {};
    return {{"scale", Value(zarr_driver::CoordinateScale(srs, units))}};
}

}  // namespace

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        const auto question = zarr::json::Parse(line);
        if (!question.ok()) {
            std::cerr << question.status().message() << "\n";
            return 1;
        }
        const std::string* units = zarr::StringAttribute(*question, "units");
        const std::string* crs = zarr::StringAttribute(*question, "crs");
        const Value* attributes = question->Find("attributes");
        if (units == nullptr || (crs == nullptr && attributes == nullptr)) return 1;
        std::cout << zarr::json::Dump(Value(crs != nullptr ? ScaleOf(*crs, *units)
                                                           : Describe(*attributes, *units)))
                  << std::endl;
    }
    return 0;
}

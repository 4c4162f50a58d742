// SPDX-License-Identifier: MIT
#include "driver/crs_write.h"

#include <cpl_conv.h>

#include <utility>

namespace zarr_driver {

namespace json = zarr::json;

namespace {

json::Value ProjJson(const OGRSpatialReference& srs) {
    char* exported = nullptr;
    json::Value value;
    if (srs.exportToPROJJSON(&exported, nullptr) == OGRERR_NONE && exported != nullptr) {
        auto parsed = json::Parse(exported);
        if (parsed.ok()) value = parsed.Take();
    }
    CPLFree(exported);
    return value;
}

}  // namespace

std::string Wkt2(const OGRSpatialReference& srs) {
    const char* const options[] = {"FORMAT=WKT2_2019", nullptr};
    char* wkt = nullptr;
    std::string text;
    if (srs.exportToWkt(&wkt, options) == OGRERR_NONE && wkt != nullptr) text = wkt;
    CPLFree(wkt);
    return text;
}

std::string CodeOf(const OGRSpatialReference& srs, const char* separator) {
    const char* authority = srs.GetAuthorityName(nullptr);
    const char* code = srs.GetAuthorityCode(nullptr);
    if (authority == nullptr || code == nullptr) return {};
    return std::string(authority) + separator + code;
}

json::Value GdalCrs(const OGRSpatialReference& srs) {
    json::Object crs;
    const std::string code = CodeOf(srs, "/0/");
    if (!code.empty())
        crs.emplace_back("url", json::Value("http://www.opengis.net/def/crs/" + code));
    const std::string wkt = Wkt2(srs);
    if (!wkt.empty()) crs.emplace_back("wkt", json::Value(wkt));
    json::Value projjson = ProjJson(srs);
    if (!projjson.is_null()) crs.emplace_back("projjson", std::move(projjson));
    return json::Value(std::move(crs));
}

}  // namespace zarr_driver

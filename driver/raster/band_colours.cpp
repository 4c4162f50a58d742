// SPDX-License-Identifier: MIT
#include "driver/raster/band_colours.h"

#include <cpl_port.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/conventions/flag_colours.h"
#include "driver/base/gdal_compat.h"

namespace zarr_driver {

namespace {

using NamedColour = std::pair<const char*, GDALColorInterp>;

template <std::size_t kCount>
GDALColorInterp Find(const NamedColour (&colours)[kCount], const char* name) {
    const auto* const found =
        std::find_if(std::begin(colours), std::end(colours),
                     [&](const NamedColour& colour) { return EQUAL(colour.first, name); });
    return found != std::end(colours) ? found->second : GCI_Undefined;
}

}  // namespace

GDALColorInterp ColourByName(const char* description) {
    static constexpr NamedColour kNames[] = {{"red", GCI_RedBand},
                                             {"green", GCI_GreenBand},
                                             {"blue", GCI_BlueBand},
                                             {"alpha", GCI_AlphaBand}};
    return Find(kNames, description);
}

GDALColorInterp ColourOfSentinel2(const std::string& name) {
    static constexpr NamedColour kBands[] = {
        {"b01", kGdalCoastal},      {"b02", GCI_BlueBand},      {"b03", GCI_GreenBand},
        {"b04", GCI_RedBand},       {"b05", kGdalRedEdge},      {"b06", kGdalRedEdge},
        {"b07", kGdalRedEdge},      {"b08", kGdalNearInfrared}, {"b8a", kGdalNearInfrared},
        {"b09", kGdalNearInfrared}, {"b10", kGdalShortWave},    {"b11", kGdalShortWave},
        {"b12", kGdalShortWave}};
    return Find(kBands, name.c_str());
}

std::unique_ptr<GDALColorTable> ClassColours(const zarr::json::Value& attributes) {
    const auto colours = zarr::FlagColours(attributes);
    if (colours.empty()) return nullptr;
    auto table = std::make_unique<GDALColorTable>();
    for (const auto& [value, colour] : colours) {
        const GDALColorEntry entry{colour[0], colour[1], colour[2], 255};
        table->SetColorEntry(static_cast<int>(value), &entry);
    }
    return table;
}

}  // namespace zarr_driver

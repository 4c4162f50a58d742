// SPDX-License-Identifier: MIT
#include "driver/raster/band_colours.h"

#include <cpl_port.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/text.h"
#include "core/conventions/cf/flags.h"
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

// Names that later versions of GDAL know.
constexpr const char* kLaterNames[] = {"Pan",   "Coastal", "RedEdge", "NIR",    "SWIR",  "MWIR",
                                       "LWIR",  "TIR",     "OtherIR", "SAR_Ka", "SAR_K", "SAR_Ku",
                                       "SAR_X", "SAR_C",   "SAR_S",   "SAR_L",  "SAR_P"};

std::optional<GDALColorInterp> ColourOfText(const std::string& name) {
    const GDALColorInterp colour = GDALGetColorInterpretationByName(name.c_str());
    const bool is_known = colour != GCI_Undefined ||
                          EQUAL(name.c_str(), GDALGetColorInterpretationName(GCI_Undefined));
    return is_known ? std::optional(colour) : std::nullopt;
}

// Returns what is wrong with a colour of zarr::kColoursOfBands; empty if nothing is.
std::string FaultOf(const zarr::json::Value& colour) {
    const std::string* const name = colour.as_string();
    if (name == nullptr)
        return "expected a text or a list of texts, got " + std::string(colour.TypeName());
    const bool is_known =
        ColourOfText(*name) ||
        std::any_of(std::begin(kLaterNames), std::end(kLaterNames),
                    [&](const char* later) { return EQUAL(later, name->c_str()); });
    return is_known ? std::string() : zarr::Quoted(*name) + " is no colour interpretation of GDAL";
}

}  // namespace

std::optional<GDALColorInterp> StoredColour(const zarr::BandLists& lists,
                                            const zarr::json::Value& attributes, std::size_t band,
                                            std::size_t slice) {
    const auto name = lists.ColourOf(attributes, band, slice);
    return name ? ColourOfText(*name) : std::nullopt;
}

zarr::Warnings ColourWarnings(const zarr::json::Value& attributes) {
    const zarr::json::Value* const stated = attributes.Find(zarr::kColoursOfBands);
    if (stated == nullptr) return {};
    std::string fault;
    if (const zarr::json::Array* const items = stated->as_array()) {
        for (const zarr::json::Value& item : *items)
            if (fault.empty()) fault = FaultOf(item);
    } else {
        fault = FaultOf(*stated);
    }
    if (fault.empty()) return {};
    return {"attribute " + std::string(zarr::kColoursOfBands) + ": " + fault + "; it is ignored"};
}

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

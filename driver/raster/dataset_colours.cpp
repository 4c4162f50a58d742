// SPDX-License-Identifier: MIT
#include "driver/raster/dataset_colours.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "core/conventions/cf/band_lists.h"
#include "driver/raster/band.h"
#include "driver/raster/band_colours.h"
#include "driver/raster/dataset.h"

namespace zarr_driver {

namespace json = zarr::json;

bool DatasetColours::HasRedGreenBlue() {
    if (has_red_green_blue_) return *has_red_green_blue_;
    const auto is_stated = [&](GDALColorInterp colour) {
        for (int i = 1; i <= dataset_.GetRasterCount(); ++i)
            if (dataset_.Band(i)->StatedColour() == colour) return true;
        return false;
    };
    has_red_green_blue_ =
        std::all_of(std::begin(kRedGreenBlue), std::end(kRedGreenBlue), is_stated);
    return *has_red_green_blue_;
}

GDALColorInterp DatasetColours::Assumed(int number) {
    const int bands = dataset_.GetRasterCount();
    for (int i = 1; !assumed_.empty() && i <= bands; ++i)
        if (dataset_.Band(i)->IsColourSet()) assumed_.clear();
    const auto index = static_cast<std::size_t>(number - 1);
    if (index >= assumed_.size()) return GCI_Undefined;
    // gdalwarp asks for the colour of the last band alone before it writes, and counts an alpha
    // band beside the bands of its source. It sets the colour itself if it makes the alpha band.
    GDALColorInterp& colour = assumed_[index];
    if (number != bands)
        KeepAssumed();
    else if (colour == GCI_AlphaBand && !is_alpha_kept_ && dataset_.update() != nullptr &&
             dataset_.update()->IsUnwritten(dataset_.Band(number)->array().path()))
        colour = GCI_Undefined;
    return colour;
}

void DatasetColours::OnDescription(const char* description) {
    has_red_green_blue_.reset();
    if (description[0] != '\0') assumed_.clear();
}

void DatasetColours::OnColour(int number) {
    const auto index = static_cast<std::size_t>(number - 1);
    if (index < assumed_.size()) assumed_[index] = GCI_Undefined;
}

void DatasetColours::SetAssumed() {
    std::vector<GDALColorInterp> colours;
    for (int i = 1; i <= dataset_.GetRasterCount(); ++i) colours.push_back(Assumed(i));
    assumed_.clear();
    int number = 0;
    for (const GDALColorInterp colour : colours)
        if (++number; colour != GCI_Undefined)
            dataset_.Band(number)->SetColorInterpretation(colour);
}

// Returns the colours of an array after those of the bands `changed` have changed.
json::Value DatasetColours::ListOf(const std::vector<ZarrRasterBand*>& changed) {
    const auto name = [](ZarrRasterBand& band) {
        return json::Value(
            std::string(GDALGetColorInterpretationName(band.GetColorInterpretation())));
    };
    const BandArray& array = changed[0]->array();
    const bool have_entries = std::all_of(changed.begin(), changed.end(), [](const auto* band) {
        return band->ColourEntry().has_value();
    });
    json::Array names;
    if (have_entries) {
        names = *array.facts().attributes.Find(zarr::kColoursOfBands)->as_array();
        for (ZarrRasterBand* const band : changed) names[*band->ColourEntry()] = name(*band);
        return json::Value(std::move(names));
    }
    for (int i = 1; i <= dataset_.GetRasterCount(); ++i)
        if (&dataset_.Band(i)->array() == &array) names.push_back(name(*dataset_.Band(i)));
    return names.size() == 1 ? names[0] : json::Value(std::move(names));
}

void DatasetColours::Store() {
    std::map<BandArray*, std::vector<ZarrRasterBand*>> changed;
    for (int i = 1; i <= dataset_.GetRasterCount(); ++i)
        if (ZarrRasterBand* const band = dataset_.Band(i); band->TakeNewColour())
            changed[&band->array()].push_back(band);
    for (const auto& [array, bands] : changed) {
        json::Value colours = ListOf(bands);
        const json::Value* const stored = array->facts().attributes.Find(zarr::kColoursOfBands);
        if (stored == nullptr || !json::Equals(*stored, colours))
            array->ChangeAttribute(zarr::kColoursOfBands, std::move(colours));
    }
}

}  // namespace zarr_driver

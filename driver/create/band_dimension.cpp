// SPDX-License-Identifier: MIT
#include "driver/create/band_dimension.h"

#include <cpl_string.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/metadata/array_metadata.h"
#include "core/store/keys.h"
#include "driver/base/option_values.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;
namespace json = zarr::json;

namespace {

using Texts = std::vector<std::string>;

// Returns the coordinate of a band along the dimension `name`, as its metadata states it. The time
// of a whole GeoTIFF counts only if it has a single band.
std::optional<std::string> TextOf(GDALDataset& source, GDALRasterBand& band,
                                  const std::string& name) {
    if (const char* const time = Item(band, "DIM_" + name + "_TIME")) {
        const std::string text = time;
        return text.substr(0, text.find(" ("));
    }
    const char* value = Item(band, "DIM_" + name + "_VALUE");
    const char* units = Item(band, "DIM_" + name + "_UNIT");
    auto calendar = std::optional(zarr::Calendar::kStandard);
    if (value == nullptr) {
        value = Item(band, "NETCDF_DIM_" + name);
        units = Item(source, name + "#units");
        if (const char* const stated = Item(source, name + "#calendar"))
            calendar = zarr::CalendarByName(stated);
    }
    if (value != nullptr) {
        const auto time = calendar ? TimeText(value, units, *calendar) : std::nullopt;
        return time ? time : std::optional<std::string>(value);
    }
    const char* const tiff_time = Item(source, "TIFFTAG_DATETIME");
    if (tiff_time != nullptr && source.GetRasterCount() == 1) return FromTiffTime(tiff_time);
    if (band.GetDescription()[0] != '\0') return band.GetDescription();
    return std::nullopt;
}

// Returns the coordinates of all bands. Returns an empty list if a band has none, or if two bands
// have the same one.
Texts TextsOf(GDALDataset& source, const std::string& name) {
    Texts texts;
    for (int i = 1; i <= source.GetRasterCount(); ++i) {
        auto text = TextOf(source, *source.GetRasterBand(i), name);
        if (!text) return {};
        texts.push_back(std::move(*text));
    }
    return std::set<std::string>(texts.begin(), texts.end()).size() == texts.size() ? texts
                                                                                    : Texts();
}

bool AreOf(const Texts& texts, bool (*is_of_kind)(CPLValueType)) {
    return std::all_of(texts.begin(), texts.end(), [&](const std::string& text) {
        return is_of_kind(CPLGetValueType(text.c_str()));
    });
}

// Sets elements of `dtype` from `values`, one for each band.
Status SetElements(const std::string& dtype, const json::Array& values, BandDimension& dimension) {
    ZARR_ASSIGN_OR_RETURN(const zarr::DataType type, zarr::ParseTypestr(dtype));
    dimension.dtype = type.Native();
    for (const json::Value& value : values) {
        ZARR_ASSIGN_OR_RETURN(const zarr::FillValue element,
                              zarr::ParseFillValue(dimension.dtype, value));
        dimension.elements += element.Bytes();
    }
    return {};
}

// Sets `dimension` to times in the longest unit in which all are whole numbers. Returns false if no
// text is a time.
Result<bool> SetTimes(const Texts& texts, BandDimension& dimension) {
    for (const char* const unit : {"days", "seconds", "milliseconds", "microseconds"}) {
        const std::string units = unit + std::string(" since 1970-01-01");
        ZARR_ASSIGN_OR_RETURN(const auto reference,
                              zarr::TimeReference::Parse(units, zarr::Calendar::kStandard));
        json::Array counts;
        for (const std::string& text : texts) {
            const auto count = reference.CountOf(text);
            if (!count.ok() && counts.empty() && &text == &texts.front()) return false;
            if (!count.ok())
                return RefuseOption("BAND_DIM_VALUES", "only ISO 8601 times after a first time",
                                    text.c_str());
            if (!*count) break;
            counts.emplace_back(**count);
        }
        if (counts.size() != texts.size()) continue;
        ZARR_RETURN_IF_ERROR(SetElements("<i8", counts, dimension));
        dimension.attributes = {{"standard_name", json::Value("time")},
                                {"units", json::Value(units)},
                                {"calendar", json::Value("proleptic_gregorian")}};
        return true;
    }
    return RefuseOption("BAND_DIM_VALUES", "times of whole microseconds", texts.front().c_str());
}

Status SetCoordinates(const Texts& texts, BandDimension& dimension) {
    if (AreOf(texts, [](CPLValueType type) { return type != CPL_VALUE_STRING; })) {
        const bool are_whole =
            AreOf(texts, [](CPLValueType type) { return type == CPL_VALUE_INTEGER; });
        json::Array numbers;
        for (const std::string& text : texts)
            numbers.push_back(are_whole ? json::Value(std::int64_t{CPLAtoGIntBig(text.c_str())})
                                        : json::Value(CPLAtof(text.c_str())));
        return SetElements(are_whole ? "<i8" : "<f8", numbers, dimension);
    }
    ZARR_ASSIGN_OR_RETURN(const bool are_times, SetTimes(texts, dimension));
    if (are_times) return {};
    json::Array values;
    std::size_t longest = 1;
    for (const std::string& text : texts) {
        longest = std::max(longest, text.size());
        values.emplace_back(text);
    }
    return SetElements("<U" + std::to_string(longest), values, dimension);
}

}  // namespace

std::string FromTiffTime(std::string text) {
    for (const std::size_t at : {std::size_t{4}, std::size_t{7}})
        if (text.size() > at && text[at] == ':') text[at] = '-';
    return text;
}

std::optional<std::string> TimeText(const std::string& value, const char* units,
                                    zarr::Calendar calendar) {
    if (units == nullptr || !zarr::IsTimeSince(units)) return std::nullopt;
    const auto reference = zarr::TimeReference::Parse(units, calendar);
    if (!reference.ok()) return std::nullopt;
    const auto text = reference->TextOf(CPLAtof(value.c_str()));
    return text ? std::optional(text->substr(0, text->find(" ("))) : std::nullopt;
}

Result<BandDimension> MakeBandDimension(const std::string& name, const std::string& values,
                                        std::uint64_t bands, GDALDataset* source) {
    BandDimension dimension;
    dimension.name = name;
    if (!zarr::IsValidKey(name) || name.find('/') != std::string::npos || name == "x" ||
        name == "y")
        return RefuseOption("BAND_DIM", "a name without '/' that is neither x nor y", name.c_str());
    Texts texts;
    const CPLStringList list(CSLTokenizeString2(values.c_str(), ",", CSLT_HONOURSTRINGS));
    for (int i = 0; i < list.size(); ++i) texts.emplace_back(list[i]);
    if (!values.empty() && texts.size() != bands)
        return Status::Invalid("creation option BAND_DIM_VALUES: " + std::to_string(texts.size()) +
                               " values for " + std::to_string(bands) + " bands");
    if (std::set<std::string>(texts.begin(), texts.end()).size() != texts.size())
        return RefuseOption("BAND_DIM_VALUES", "values that differ", values.c_str());
    if (texts.empty() && source != nullptr) texts = TextsOf(*source, name);
    if (!texts.empty()) ZARR_RETURN_IF_ERROR(SetCoordinates(texts, dimension));
    return dimension;
}

}  // namespace zarr_driver

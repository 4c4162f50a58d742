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
#include "driver/base/option_table.h"
#include "driver/create/file_name_time.h"
#include "driver/create/given_dates.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;
namespace json = zarr::json;

namespace {

using Texts = std::vector<std::string>;

// Returns the coordinate of a band along the dimension `name`, from its metadata. Sets `calendar`
// if the metadata names one. The TIFF time of the source counts only if it has a single band.
std::optional<std::string> TextOf(GDALDataset& source, GDALRasterBand& band,
                                  const std::string& name, std::string& calendar) {
    using zarr::Calendar;
    const StatedCoordinate stated = StatedCoordinateOf(source, band, name);
    const auto time_in = [&](Calendar of) {
        return stated.value ? TimeText(*stated.value, stated.units.value_or(""), of) : std::nullopt;
    };
    if (stated.time) {
        const std::string text = WithoutCalendar(*stated.time);
        if (const auto named = NamedCalendar(*stated.time))
            calendar = *named;
        else if (stated.calendar)
            calendar = *stated.calendar;
        // Without a named calendar, the time is in "standard" or "proleptic_gregorian", which
        // differ before 1582-10-15. If only "standard" converts the stated number to the stated
        // time, that is the calendar.
        else if (text == time_in(Calendar::kStandard) &&
                 text != time_in(Calendar::kProlepticGregorian))
            calendar = "standard";
        return text;
    }
    if (stated.value && !zarr::IsTimeSince(stated.units.value_or(""))) return stated.value;
    if (stated.value) {
        calendar = stated.calendar.value_or("standard");
        const auto known = zarr::CalendarByName(calendar);
        return known ? time_in(*known) : std::nullopt;
    }
    if (stated.tiff_time && source.GetRasterCount() == 1) return stated.tiff_time;
    if (band.GetDescription()[0] != '\0') return band.GetDescription();
    return std::nullopt;
}

// Returns the coordinates of all bands along the dimension `name`. Returns none if a band has none,
// or if the bands use several calendars.
CoordinateTexts StatedBy(GDALDataset& source, const std::string& name) {
    CoordinateTexts stated;
    for (int i = 1; i <= source.GetRasterCount(); ++i) {
        std::string calendar = CoordinateTexts().calendar;
        auto text = TextOf(source, *source.GetRasterBand(i), name, calendar);
        if (!text || (i > 1 && calendar != stated.calendar)) return {};
        stated.texts.push_back(std::move(*text));
        stated.calendar = calendar;
    }
    return stated;
}

std::optional<std::int64_t> WholeNumber(const std::string& text) {
    const auto number = json::Parse(text);
    std::int64_t value = 0;
    return number.ok() && number->GetInt64(value) ? std::optional(value) : std::nullopt;
}

Status CheckDistinct(const BandDimension& dimension, const Texts& texts) {
    std::set<std::string> taken;
    const std::size_t size = dimension.dtype.size;
    for (std::size_t i = 0; i < texts.size(); ++i)
        if (!taken.insert(dimension.elements.substr(i * size, size)).second)
            return RefuseOption("BAND_DIM_VALUES", "values that differ", texts[i].c_str());
    return {};
}

// Returns true if all texts are times of the calendar of `reference`, and false if none is. Fails
// if only some are.
Result<bool> AreTimes(const Texts& texts, const zarr::TimeReference& reference) {
    const auto is_time = [&](const std::string& text) {
        return !IsNumber(text) && reference.CountOf(text).ok();
    };
    if (std::none_of(texts.begin(), texts.end(), is_time)) return false;
    const auto other = std::find_if_not(texts.begin(), texts.end(), is_time);
    if (other == texts.end()) return true;
    return RefuseOption("BAND_DIM_VALUES", "only ISO 8601 times, because one value is a time",
                        other->c_str());
}

// True if a text states a time of day. The texts are ISO 8601.
bool StateTimeOfDay(const Texts& texts) {
    return std::any_of(texts.begin(), texts.end(),
                       [](const std::string& text) { return text.find(':') != std::string::npos; });
}

// Sets `dimension` to times in the longest unit of CF (days or shorter) in which all times are
// whole numbers. Returns false if no text is a time.
Result<bool> SetTimes(const CoordinateTexts& stated, BandDimension& dimension) {
    const auto calendar = zarr::CalendarByName(stated.calendar);
    if (!calendar) return false;
    std::vector<const char*> units_by_length = {"days", "seconds", "milliseconds", "microseconds"};
    if (stated.keeps_time_of_day && StateTimeOfDay(stated.texts))
        units_by_length.erase(units_by_length.begin());
    for (const char* const unit : units_by_length) {
        const std::string units = unit + std::string(" since 1970-01-01");
        ZARR_ASSIGN_OR_RETURN(const auto reference, zarr::TimeReference::Parse(units, *calendar));
        ZARR_ASSIGN_OR_RETURN(const bool are_times, AreTimes(stated.texts, reference));
        if (!are_times) return false;
        json::Array counts;
        for (const std::string& text : stated.texts) {
            ZARR_ASSIGN_OR_RETURN(const auto count, reference.CountOf(text));
            if (!count) break;
            counts.emplace_back(*count);
        }
        if (counts.size() != stated.texts.size()) continue;
        dimension.attributes = {{"units", json::Value(units)},
                                {"calendar", json::Value(stated.calendar)}};
        if (dimension.name == "time")
            dimension.attributes.emplace_back("standard_name", json::Value("time"));
        ZARR_ASSIGN_OR_RETURN(const zarr::DataType type, zarr::ParseTypestr("<i8"));
        ZARR_RETURN_IF_ERROR(SetElements(type, counts, dimension));
        return true;
    }
    return RefuseOption("BAND_DIM_VALUES", "times of whole microseconds",
                        stated.texts.front().c_str());
}

}  // namespace

bool IsNumber(const std::string& text) { return CPLGetValueType(text.c_str()) != CPL_VALUE_STRING; }

json::Value NumberOf(const std::string& text) {
    const auto whole = WholeNumber(text);
    return whole ? json::Value(*whole) : json::Value(CPLAtof(text.c_str()));
}

Status SetElements(const zarr::DataType& dtype, const json::Array& values,
                   BandDimension& dimension) {
    dimension.dtype = dtype.Native();
    dimension.elements.clear();
    for (const json::Value& value : values) {
        ZARR_ASSIGN_OR_RETURN(const zarr::FillValue element,
                              zarr::ParseFillValue(dimension.dtype, value));
        dimension.elements += element.Bytes();
    }
    return {};
}

Status SetCoordinates(const CoordinateTexts& stated, BandDimension& dimension) {
    const Texts& texts = stated.texts;
    json::Array values;
    if (std::all_of(texts.begin(), texts.end(), IsNumber)) {
        const bool are_whole = std::all_of(texts.begin(), texts.end(), [](const auto& text) {
            return WholeNumber(text).has_value();
        });
        for (const std::string& text : texts)
            values.push_back(are_whole ? json::Value(*WholeNumber(text))
                                       : json::Value(CPLAtof(text.c_str())));
        ZARR_ASSIGN_OR_RETURN(const zarr::DataType type,
                              zarr::ParseTypestr(are_whole ? "<i8" : "<f8"));
        return SetElements(type, values, dimension);
    }
    ZARR_ASSIGN_OR_RETURN(const bool are_times, SetTimes(stated, dimension));
    if (are_times) return {};
    std::size_t longest = 1;
    for (const std::string& text : texts) {
        longest = std::max(longest, text.size());
        values.emplace_back(text);
    }
    ZARR_ASSIGN_OR_RETURN(const zarr::DataType type,
                          zarr::ParseTypestr("<U" + std::to_string(longest)));
    return SetElements(type, values, dimension);
}

StatedCoordinate StatedCoordinateOf(GDALDataset& source, GDALRasterBand& band,
                                    const std::string& name) {
    const auto item = [](GDALMajorObject& object, const std::string& key) {
        const char* const text = object.GetMetadataItem(key.c_str());
        return text != nullptr ? std::optional<std::string>(text) : std::nullopt;
    };
    StatedCoordinate stated;
    stated.time = item(band, "DIM_" + name + "_TIME");
    stated.value = item(band, "DIM_" + name + "_VALUE");
    stated.units = item(band, "DIM_" + name + "_UNIT");
    stated.is_netcdf = !stated.value.has_value();
    if (stated.is_netcdf) {
        stated.value = item(band, "NETCDF_DIM_" + name);
        stated.units = item(source, name + "#units");
    }
    stated.calendar = item(source, name + "#calendar");
    stated.tiff_time = item(source, "TIFFTAG_DATETIME");
    // TIFF writes "2020:01:02 03:04:05". Hyphens replace the colons of the date.
    for (const std::size_t at : {std::size_t{4}, std::size_t{7}})
        if (stated.tiff_time && stated.tiff_time->size() > at && (*stated.tiff_time)[at] == ':')
            (*stated.tiff_time)[at] = '-';
    return stated;
}

std::optional<std::string> NamedCalendar(const std::string& time) {
    const std::string text = WithoutCalendar(time);
    if (text.size() + 3 > time.size()) return std::nullopt;
    return time.substr(text.size() + 2, time.size() - text.size() - 3);
}

std::optional<std::string> TimeText(const std::string& value, const std::string& units,
                                    zarr::Calendar calendar) {
    if (!zarr::IsTimeSince(units)) return std::nullopt;
    const auto reference = zarr::TimeReference::Parse(units, calendar);
    if (!reference.ok()) return std::nullopt;
    const auto text = reference->TextOf(CPLAtof(value.c_str()));
    return text ? std::optional(WithoutCalendar(*text)) : std::nullopt;
}

Result<BandDimension> MakeBandDimension(const std::string& name, const std::string& given,
                                        std::uint64_t bands, GDALDataset* source) {
    ZARR_ASSIGN_OR_RETURN(const std::string values,
                          WithTimeOfFile("BAND_DIM_VALUES", given, source));
    BandDimension dimension;
    dimension.name = name;
    dimension.size = bands;
    if (!zarr::IsValidKey(name) || name.find('/') != std::string::npos || name == "x" ||
        name == "y")
        return RefuseOption("BAND_DIM", "a name without '/' that is neither x nor y", name.c_str());
    CoordinateTexts stated;
    const CPLStringList list(
        CSLTokenizeString2(values.c_str(), ",", CSLT_HONOURSTRINGS | CSLT_ALLOWEMPTYTOKENS));
    for (int i = 0; i < list.size(); ++i) stated.texts.emplace_back(list[i]);
    if (!values.empty()) {
        stated.keeps_time_of_day = true;
        if (stated.texts.size() != bands)
            return Status::Invalid(
                "creation option BAND_DIM_VALUES: " + std::to_string(stated.texts.size()) +
                " values for " + std::to_string(bands) + " bands; give one for each band");
        if (std::count(stated.texts.begin(), stated.texts.end(), "") != 0)
            return RefuseOption("BAND_DIM_VALUES", "no empty value", values.c_str());
        ZARR_RETURN_IF_ERROR(HyphenateDates(name, stated.texts));
        ZARR_RETURN_IF_ERROR(SetCoordinates(stated, dimension));
        ZARR_RETURN_IF_ERROR(CheckDistinct(dimension, stated.texts));
        return dimension;
    }
    if (source != nullptr) stated = StatedBy(*source, name);
    if (stated.texts.empty()) return dimension;
    // Texts that are no valid coordinates are not an error, because metadata may contain any text.
    if (!SetCoordinates(stated, dimension).ok() || !CheckDistinct(dimension, stated.texts).ok()) {
        dimension.elements.clear();
        dimension.attributes.clear();
    }
    return dimension;
}

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#include "driver/create/cube_dimensions.h"

#include <cpl_string.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/conventions/cf/time.h"
#include "core/store/keys.h"
#include "driver/base/debug_log.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/metadata_text.h"
#include "driver/overviews/overviewable_dataset.h"

namespace zarr_driver {

namespace json = zarr::json;

namespace {

using Texts = std::vector<std::string>;

// A dimension that the metadata of bands describe.
struct StatedDimension {
    std::string name;
    Texts indices;  // index of each band along the dimension, as text; empty if a band has none
    Texts values;   // coordinate of each band along the dimension; empty if a band has none
    CoordinateTexts as_times;  // calendar; used if the coordinates are times as text
    std::string units;
    json::Object attributes;  // attributes of the coordinates besides units and calendar
};

std::string ItemOf(GDALMajorObject& object, const std::string& name) {
    const char* const text = object.GetMetadataItem(name.c_str());
    return text != nullptr ? text : "";
}

bool HasItem(GDALMajorObject& object, const std::string& name) {
    return object.GetMetadataItem(name.c_str()) != nullptr;
}

// True if the item DIM_{name}_VALUE of the first and last band differ. A coordinate without an
// index is otherwise a scalar, which belongs to all bands.
bool ValuesDiffer(GDALDataset& source, const std::string& name) {
    const std::string item = "DIM_" + name + "_VALUE";
    return ItemOf(*source.GetRasterBand(1), item) !=
           ItemOf(*source.GetRasterBand(source.GetRasterCount()), item);
}

// Returns the names of the dimensions in the metadata of a band.
std::set<std::string> StatedNames(GDALDataset& source, GDALRasterBand& band) {
    const std::string prefix = "DIM_";
    const std::string prefix_of_netcdf = "NETCDF_DIM_";
    std::set<std::string> names;
    std::set<std::string> of_netcdf;
    const CPLStringList list(CSLDuplicate(band.GetMetadata()));
    for (const auto& [item, value] : ItemsOf(list)) {
        if (item.compare(0, prefix.size(), prefix) == 0) {
            const std::size_t end = item.rfind('_');
            const std::string kind = item.substr(end + 1);
            if (end <= prefix.size()) continue;
            std::string name = item.substr(prefix.size(), end - prefix.size());
            if (kind == "INDEX" || (kind == "VALUE" && ValuesDiffer(source, name)))
                names.insert(std::move(name));
        } else if (item.compare(0, prefix_of_netcdf.size(), prefix_of_netcdf) == 0) {
            of_netcdf.insert(item.substr(prefix_of_netcdf.size()));
        }
    }
    return names.empty() ? of_netcdf : names;
}

// Returns a number by which the dimensions are sorted: the position of `name` in netCDF's item
// NETCDF_DIM_EXTRA. Without this item, returns the position of `name` in the first band's
// description, such as "time=2020-01-01, level=850 hPa". Other names follow at the end, "time"
// first.
std::size_t PositionOf(GDALDataset& source, const std::string& name) {
    const std::string list = ItemOf(source, "NETCDF_DIM_EXTRA");
    for (const char* const end : {",", "}"})
        for (const char* const begin : {"{", ","})
            if (const std::size_t at = list.find(begin + name + end); at != std::string::npos)
                return at;
    const std::string description = std::string(", ") + source.GetRasterBand(1)->GetDescription();
    const std::size_t at = description.find(", " + name + "=");
    if (at != std::string::npos) return at;
    return name == "time" ? description.size() : description.size() + 1;
}

// Returns the attributes of the coordinate array `name`, from netCDF's dataset items
// NAME#ATTRIBUTE. Omits units and calendar, which are read elsewhere, and attributes that refer to
// other arrays or belong to the file format.
json::Object AttributesOf(GDALDataset& source, const std::string& name) {
    const std::string prefix = name + "#";
    json::Object attributes;
    const CPLStringList list(CSLDuplicate(source.GetMetadata()));
    for (const auto& [item, value] : ItemsOf(list)) {
        if (item.compare(0, prefix.size(), prefix) != 0) continue;
        const std::string attribute = item.substr(prefix.size());
        constexpr const char* kOmitted[] = {"units",          "calendar",      "bounds",
                                            "CLASS",          "NAME",          "climatology",
                                            "REFERENCE_LIST", "DIMENSION_LIST"};
        const bool is_omitted =
            attribute.empty() || attribute[0] == '_' ||
            std::any_of(std::begin(kOmitted), std::end(kOmitted),
                        [&](const char* omitted) { return attribute == omitted; });
        if (!is_omitted) attributes.emplace_back(attribute, json::Value(value));
    }
    return attributes;
}

// Returns the name of the calendar in which a band states its time.
std::string CalendarName(const StatedCoordinate& stated) {
    if (stated.calendar) return *stated.calendar;
    if (!stated.time) return "standard";
    if (const auto named = NamedCalendar(*stated.time)) return *named;
    const auto text =
        stated.value ? TimeText(*stated.value, stated.units.value_or(""), zarr::Calendar::kStandard)
                     : std::nullopt;
    return text == *stated.time ? "standard" : CoordinateTexts().calendar;
}

// Returns the dimension `name` as the bands state it. Returns nullopt if bands state different
// units, or if a band states neither a coordinate nor an index.
std::optional<StatedDimension> ReadDimension(GDALDataset& source, const std::string& name) {
    StatedDimension dimension;
    dimension.name = name;
    const int bands = source.GetRasterCount();
    for (int i = 1; i <= bands; ++i) {
        GDALRasterBand& band = *source.GetRasterBand(i);
        const StatedCoordinate stated = StatedCoordinateOf(source, band, name);
        if (stated.value) dimension.values.push_back(*stated.value);
        const std::string item = "DIM_" + name + "_INDEX";
        if (HasItem(band, item)) dimension.indices.push_back(ItemOf(band, item));
        const std::string units = stated.units.value_or("");
        const std::string calendar = CalendarName(stated);
        if (i == 1) {
            dimension.units = units;
            dimension.as_times.calendar = calendar;
        }
        if (units != dimension.units || calendar != dimension.as_times.calendar)
            return std::nullopt;
    }
    const auto is_complete = [&](const Texts& texts) {
        return texts.size() == static_cast<std::size_t>(bands);
    };
    if (!is_complete(dimension.values)) dimension.values.clear();
    if (!is_complete(dimension.indices)) dimension.indices.clear();
    if (dimension.values.empty() && dimension.indices.empty()) return std::nullopt;
    dimension.attributes = AttributesOf(source, name);
    return dimension;
}

// ---------------------------------------------------------------------------------------------
// GRIB

// Returns the time in the item GRIB_VALID_TIME as text. The item is a number of seconds since 1970,
// which " sec UTC" may follow. Returns nullopt if the item does not begin with a number.
std::optional<std::string> UnixTimeOf(GDALRasterBand& band) {
    const std::string text = ItemOf(band, "GRIB_VALID_TIME");
    char* end = nullptr;
    const long long seconds = std::strtoll(text.c_str(), &end, 10);
    if (end == text.c_str()) return std::nullopt;
    return TimeText(std::to_string(seconds), "seconds since 1970-01-01",
                    zarr::Calendar::kProlepticGregorian);
}

// Returns the perturbation number of a GRIB band that belongs to an ensemble (product definition
// templates 4.1 and 4.11). Returns an empty text for other bands.
std::string MemberOf(GDALRasterBand& band) {
    // Index of the perturbation number (octet 36) in the list of template numbers.
    constexpr int kPerturbationNumber = 26;
    const std::string kind = ItemOf(band, "GRIB_PDS_PDTN");
    if (kind != "1" && kind != "11") return {};
    const CPLStringList numbers(
        CSLTokenizeString(ItemOf(band, "GRIB_PDS_TEMPLATE_NUMBERS").c_str()));
    return numbers.size() > kPerturbationNumber ? numbers[kPerturbationNumber] : "";
}

// A level of GRIB: "85000-ISBL" is the value 85000 on a surface of type ISBL.
struct GribLevel {
    std::string value;
    std::string type;
};

std::optional<GribLevel> LevelOf(GDALRasterBand& band) {
    const std::string text = ItemOf(band, "GRIB_SHORT_NAME");
    const std::size_t end = text.rfind('-');
    if (end == std::string::npos || !IsNumber(text.substr(0, end))) return std::nullopt;
    return GribLevel{text.substr(0, end), text.substr(end + 1)};
}

// Returns the text between the first `begin` and the next `end`; empty if there is none.
std::string Between(const std::string& text, char begin, char end) {
    const std::size_t first = text.find(begin);
    const std::size_t last = first == std::string::npos ? first : text.find(end, first + 1);
    return last == std::string::npos ? "" : text.substr(first + 1, last - first - 1);
}

// Sets units, names and direction of the vertical levels, from the band's description. GDAL's GRIB
// driver writes descriptions such as: 85000[Pa] ISBL="Isobaric surface".
void DescribeLevels(GDALRasterBand& band, const std::string& type, StatedDimension& levels) {
    const std::string description = band.GetDescription();
    levels.units = Between(description, '[', ']');
    if (levels.units == "-") levels.units.clear();
    if (const std::string name = Between(description, '"', '"'); !name.empty())
        levels.attributes.emplace_back("long_name", json::Value(name));
    if (type == "ISBL") {
        levels.attributes.emplace_back("standard_name", json::Value("air_pressure"));
        levels.attributes.emplace_back("positive", json::Value("down"));
    }
}

bool AreEqual(const Texts& texts) {
    return std::all_of(texts.begin(), texts.end(),
                       [&](const std::string& text) { return text == texts.front(); });
}

// Returns the dimensions time, level and member of GRIB bands. A level or member that all bands
// share is no dimension. Returns an empty list if a band has no time, or if the bands have several
// elements (such as wind and temperature) or several types of level.
std::vector<StatedDimension> GribDimensions(GDALDataset& source) {
    StatedDimension time;
    StatedDimension level;
    StatedDimension member;
    time.name = "time";
    level.name = "level";
    member.name = "member";
    Texts elements;
    Texts types;
    for (int i = 1; i <= source.GetRasterCount(); ++i) {
        GDALRasterBand& band = *source.GetRasterBand(i);
        const auto text = UnixTimeOf(band);
        const auto of_band = LevelOf(band).value_or(GribLevel());
        if (!text) return {};
        time.values.push_back(*text);
        elements.push_back(ItemOf(band, "GRIB_ELEMENT") + ' ' + ItemOf(band, "GRIB_UNIT"));
        level.values.push_back(of_band.value);
        types.push_back(of_band.type);
        member.values.push_back(MemberOf(band));
    }
    if (!AreEqual(elements) || !AreEqual(types)) return {};
    std::vector<StatedDimension> dimensions;
    if (!AreEqual(member.values)) {
        member.attributes.emplace_back("standard_name", json::Value("realization"));
        dimensions.push_back(std::move(member));
    }
    dimensions.push_back(std::move(time));
    if (!AreEqual(level.values)) {
        DescribeLevels(*source.GetRasterBand(1), types.front(), level);
        dimensions.push_back(std::move(level));
    }
    return dimensions;
}

// ---------------------------------------------------------------------------------------------
// The grid

// A dimension of a cube whose slices are the bands. The bands are arranged in a grid with one such
// axis for each dimension.
struct GridAxis {
    std::size_t dimension = 0;  // index of the axis in the list of dimensions
    // for each index along this axis, the first band with that index, counted from 0
    std::vector<std::size_t> first;
    std::vector<std::size_t> index;  // for each band, its index along this axis
    // Returns the number of successive bands, from the first on, with index 0 along the axis.
    // Returns 0 if the axis has only that index.
    std::size_t step() const { return first.size() > 1 ? first[1] : 0; }
};

GridAxis AxisOf(std::size_t dimension, const Texts& keys) {
    GridAxis axis;
    axis.dimension = dimension;
    std::map<std::string, std::size_t> known;
    for (std::size_t band = 0; band < keys.size(); ++band) {
        const auto [found, is_new] = known.emplace(keys[band], axis.first.size());
        if (is_new) axis.first.push_back(band);
        axis.index.push_back(found->second);
    }
    return axis;
}

// Returns `axes` sorted by their position in the grid of bands, slowest first. Axes with a single
// index keep their places. Returns nullopt if the bands are not all combinations of indices in
// row-major order.
std::optional<std::vector<GridAxis>> Ordered(std::vector<GridAxis> axes, std::size_t bands) {
    std::vector<GridAxis> varying;
    for (const GridAxis& axis : axes)
        if (axis.step() != 0) varying.push_back(axis);
    std::stable_sort(varying.begin(), varying.end(),
                     [](const GridAxis& a, const GridAxis& b) { return a.step() > b.step(); });
    auto next = varying.begin();
    for (GridAxis& axis : axes)
        if (axis.step() != 0) axis = std::move(*next++);
    std::size_t stride = 1;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        const std::size_t size = axis->first.size();
        if (size > bands / stride) return std::nullopt;
        for (std::size_t band = 0; band < bands; ++band)
            if (axis->index[band] != band / stride % size) return std::nullopt;
        stride *= size;
    }
    return stride == bands ? std::optional(std::move(axes)) : std::nullopt;
}

// Returns the axes of the grid that bands form. Coordinates give the position of a band along a
// dimension. If a dimension has no coordinates, or if `by_indices` is true, the index in the band's
// metadata gives the position.
std::optional<std::vector<GridAxis>> FindGrid(const std::vector<StatedDimension>& dimensions,
                                              std::size_t bands, bool by_indices) {
    std::vector<GridAxis> axes;
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        const StatedDimension& dimension = dimensions[i];
        const bool uses_indices =
            dimension.values.empty() || (by_indices && !dimension.indices.empty());
        axes.push_back(AxisOf(i, uses_indices ? dimension.indices : dimension.values));
    }
    return Ordered(std::move(axes), bands);
}

// If `source` is a raster of this driver, returns the dtype of the coordinates of dimension `name`,
// and sets `attributes` to their attributes. Returns nullopt for other sources.
std::optional<zarr::DataType> StoredCoordinates(GDALDataset& source, const std::string& name,
                                                json::Object& attributes) {
    const auto* const raster = dynamic_cast<const OverviewableDataset*>(&source);
    if (raster == nullptr) return std::nullopt;
    const std::vector<const RasterLayout*> layouts = raster->Layouts();
    if (layouts.size() != 1) return std::nullopt;
    for (const zarr::Dimension& dimension : layouts[0]->facts.dimensions) {
        if (dimension.name != name || dimension.coordinate_path.empty()) continue;
        const auto metadata = raster->open_node().hierarchy->Metadata(dimension.coordinate_path);
        const json::Object* const stored = dimension.coordinate_attributes.as_object();
        if (!metadata.ok() || stored == nullptr) return std::nullopt;
        attributes.clear();
        for (const auto& [attribute, value] : *stored)
            if (attribute[0] != '_' && attribute != "bounds" && attribute != "climatology")
                attributes.emplace_back(attribute, value);
        return metadata->dtype;
    }
    return std::nullopt;
}

bool HasAttribute(const json::Object& attributes, const std::string& name) {
    return std::any_of(attributes.begin(), attributes.end(),
                       [&](const json::Member& member) { return member.first == name; });
}

zarr::Result<BandDimension> Build(GDALDataset& source, const StatedDimension& stated,
                                  const GridAxis& axis) {
    BandDimension built;
    built.name = stated.name;
    built.size = axis.first.size();
    if (stated.values.empty()) return built;
    CoordinateTexts coordinates = stated.as_times;
    for (const std::size_t band : axis.first) coordinates.texts.push_back(stated.values[band]);
    json::Object own;
    const auto dtype = StoredCoordinates(source, stated.name, own);
    const bool are_numbers =
        std::all_of(coordinates.texts.begin(), coordinates.texts.end(), IsNumber);
    if (dtype && dtype->is_numeric() && are_numbers) {
        json::Array numbers;
        for (const std::string& text : coordinates.texts) numbers.push_back(NumberOf(text));
        ZARR_RETURN_IF_ERROR(SetElements(*dtype, numbers, built));
        built.attributes = std::move(own);
        return built;
    }
    ZARR_RETURN_IF_ERROR(SetCoordinates(coordinates, built));
    if (are_numbers && !stated.units.empty()) {
        built.attributes.emplace_back("units", json::Value(stated.units));
        if (zarr::IsTimeSince(stated.units))
            built.attributes.emplace_back("calendar", json::Value(coordinates.calendar));
    }
    for (const json::Member& member : stated.attributes)
        if (!HasAttribute(built.attributes, member.first)) built.attributes.push_back(member);
    return built;
}

// Returns the dimensions that the metadata of the bands state, in the order of the metadata.
// Returns nullopt if the bands contradict each other.
std::optional<std::vector<StatedDimension>> ReadDimensions(GDALDataset& source) {
    std::vector<StatedDimension> dimensions;
    const int bands = source.GetRasterCount();
    const std::set<std::string> names = StatedNames(source, *source.GetRasterBand(1));
    if (names.empty()) return bands > 1 ? GribDimensions(source) : dimensions;
    for (int i = 2; i <= bands; ++i)
        if (StatedNames(source, *source.GetRasterBand(i)) != names) return std::nullopt;
    for (const std::string& name : names) {
        auto dimension = ReadDimension(source, name);
        if (!dimension || !zarr::IsValidKey(name) || name.find('/') != std::string::npos)
            return std::nullopt;
        dimensions.push_back(std::move(*dimension));
    }
    std::stable_sort(dimensions.begin(), dimensions.end(), [&](const auto& a, const auto& b) {
        return PositionOf(source, a.name) < PositionOf(source, b.name);
    });
    return dimensions;
}

// True if no dimension has coordinates, and there is a single band, or a single dimension with a
// generated name: "band", or "dim" and a number.
bool IsPlain(const std::vector<StatedDimension>& dimensions, int bands) {
    const bool have_values =
        std::any_of(dimensions.begin(), dimensions.end(),
                    [](const StatedDimension& dimension) { return !dimension.values.empty(); });
    if (have_values) return false;
    const std::string& name = dimensions.front().name;
    const bool is_generated = name.compare(0, 3, "dim") == 0 && IsNumber(name.substr(3));
    return bands == 1 || (dimensions.size() == 1 && (is_generated || name == "band"));
}

}  // namespace

std::vector<BandDimension> FindCubeDimensions(GDALDataset& source) {
    const auto bands = static_cast<std::size_t>(source.GetRasterCount());
    const auto dimensions = ReadDimensions(source);
    if (dimensions && dimensions->empty()) return {};
    const auto none = [&](const char* why) {
        LogDebug(ShownName(source.GetDescription()) + ": its bands are no cube, because " + why +
                 "; they become one dimension");
        return std::vector<BandDimension>();
    };
    if (!dimensions) return none("they state different dimensions or units");
    if (IsPlain(*dimensions, source.GetRasterCount())) return {};
    auto grid = FindGrid(*dimensions, bands, false);
    if (!grid) grid = FindGrid(*dimensions, bands, true);
    if (!grid) return none("they are not all combinations of coordinates in row-major order");
    std::vector<BandDimension> built;
    for (const GridAxis& axis : *grid) {
        auto dimension = Build(source, (*dimensions)[axis.dimension], axis);
        if (!dimension.ok()) return none(dimension.status().message().c_str());
        built.push_back(dimension.Take());
    }
    return built;
}

bool IsOfCubeDimension(const std::string& item, const std::vector<BandDimension>& dimensions) {
    const std::string name = item.substr(0, item.find('='));
    if (dimensions.empty()) return false;
    if (name == "NETCDF_DIM_EXTRA") return true;
    return std::any_of(dimensions.begin(), dimensions.end(), [&](const BandDimension& dimension) {
        const std::string of_netcdf = "NETCDF_DIM_" + dimension.name;
        return name == of_netcdf || name == of_netcdf + "_DEF" || name == of_netcdf + "_VALUES" ||
               name.compare(0, dimension.name.size() + 1, dimension.name + '#') == 0;
    });
}

}  // namespace zarr_driver

// SPDX-License-Identifier: MIT
#include "driver/create/copied_attributes.h"

#include <cpl_conv.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/endian.h"
#include "core/dtype/data_type.h"
#include "core/store/keys.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/metadata_text.h"
#include "driver/georef/coordinate_arrays.h"
#include "driver/raster/band.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;
namespace json = zarr::json;

namespace {

struct CfItem {
    const char* name;
    bool is_number;
};
constexpr CfItem kCfItems[] = {{"standard_name", false}, {"long_name", false},
                               {"cell_methods", false},  {"flag_values", true},
                               {"flag_masks", true},     {"flag_meanings", false},
                               {"valid_range", true},    {"valid_min", true},
                               {"valid_max", true},      {"comment", false}};
constexpr const char* kFlagItems[] = {"flag_values", "flag_masks", "flag_meanings"};

json::Value ValueOf(const CfItem& item, const std::string& text) {
    char* end = nullptr;
    const double number = CPLStrtod(text.c_str(), &end);
    const bool is_one = item.is_number && !text.empty() && *end == '\0';
    if (!is_one) return MetadataValue(text);
    // The text is kept where it is JSON, so that integers stay integers.
    auto parsed = json::Parse(text);
    return parsed.ok() && parsed->is_number() ? parsed.Take() : json::Value(number);
}

// Returns the text of an item that all `bands` have with equal values.
std::optional<std::string> CommonItem(const std::vector<GDALRasterBand*>& bands, const char* name) {
    const char* const first = bands[0]->GetMetadataItem(name);
    if (first == nullptr) return std::nullopt;
    std::string common = first;
    for (GDALRasterBand* const band : bands) {
        const char* const other = band->GetMetadataItem(name);
        if (other == nullptr || common != other) return std::nullopt;
    }
    return common;
}

// Values of one of the datasets to which the domain GEOLOCATION leads.
struct Degrees {
    std::string name;  // name of the array
    std::vector<double> values;
};

// True if the text has "scheme://". A path in an HDF5 file begins with "://" without a scheme.
bool HasUrl(const std::string& text) {
    constexpr const char* kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (auto at = text.find("://"); at != std::string::npos; at = text.find("://", at + 1))
        if (at > 0 && std::strchr(kLetters, text[at - 1]) != nullptr) return true;
    return false;
}

// True if `name` is part of the file of `source`, or if `source` can refer to any file itself.
// Other files are not opened, because the metadata of an untrusted file could name a server.
bool BelongsTo(GDALDataset& source, const std::string& name) {
    GDALDriver* const driver = source.GetDriver();
    const char* const kind = driver != nullptr ? driver->GetDescription() : "";
    if (EQUAL(kind, "VRT") || EQUAL(kind, "MEM")) return true;
    const std::string description = source.GetDescription();
    const auto first = description.find('"');
    const auto last = description.rfind('"');
    const std::string file =
        first != last ? description.substr(first + 1, last - first - 1) : description;
    const auto found = file.empty() ? std::string::npos : name.find(file);
    if (found == std::string::npos) return false;
    const std::string rest = name.substr(0, found) + name.substr(found + file.size());
    return rest.find("/vsi") == std::string::npos && !HasUrl(rest);
}

// Reads the dataset that the item `key` of GEOLOCATION names. Returns nullopt if it cannot be read
// or has another size than the raster.
std::optional<Degrees> ReadDegrees(CSLConstList items, const char* key, const char* band_key,
                                   GDALDataset& source, const char* fallback) {
    constexpr double kMaxPixels = 32 << 20;
    const char* const name = CSLFetchNameValue(items, key);
    const int columns = source.GetRasterXSize(), rows = source.GetRasterYSize();
    if (name == nullptr || double{1} * columns * rows > kMaxPixels || !BelongsTo(source, name))
        return std::nullopt;
    const QuietErrors quiet;
    const std::unique_ptr<GDALDataset, GDALDatasetUniquePtrDeleter> opened(
        GDALDataset::Open(name, GDAL_OF_RASTER));
    const int number = std::atoi(CSLFetchNameValueDef(items, band_key, "1"));
    GDALRasterBand* const band = opened != nullptr ? opened->GetRasterBand(number) : nullptr;
    if (band == nullptr || band->GetXSize() != columns || band->GetYSize() != rows)
        return std::nullopt;
    Degrees read;
    read.values.resize(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
    if (band->RasterIO(GF_Read, 0, 0, columns, rows, read.values.data(), columns, rows, GDT_Float64,
                       0, 0, nullptr) != CE_None)
        return std::nullopt;
    const std::string text = name;
    read.name = text.substr(text.find_last_of(":/\\") + 1);
    const bool is_name = zarr::IsValidKey(read.name) && read.name.find('.') == std::string::npos;
    if (!is_name) read.name = fallback;
    return read;
}

// True if the centre of each pixel has its own longitude and latitude in degrees.
bool ArePixelsOfDegrees(CSLConstList items) {
    const char* const convention =
        CSLFetchNameValueDef(items, "GEOREFERENCING_CONVENTION", "TOP_LEFT_CORNER");
    if (!EQUAL(convention, "PIXEL_CENTER")) return false;
    for (const auto& [name, needed] :
         {std::pair("PIXEL_OFFSET", 0), {"LINE_OFFSET", 0}, {"PIXEL_STEP", 1}, {"LINE_STEP", 1}})
        if (CPLAtof(CSLFetchNameValueDef(items, name, needed == 0 ? "0" : "1")) != needed)
            return false;
    const char* const wkt = CSLFetchNameValueDef(items, "SRS", "");
    OGRSpatialReference srs;
    const QuietErrors quiet;
    return wkt[0] == '\0' || (srs.importFromWkt(wkt) == OGRERR_NONE && srs.IsGeographic() != FALSE);
}

Status WriteDegrees(const CoordinateArrays& arrays, const RasterLayout& layout,
                    const Degrees& degrees, bool is_longitude) {
    zarr::ArraySpec spec;
    json::Array dimensions;
    for (const std::size_t axis : {*layout.y_axis, *layout.x_axis}) {
        spec.shape.push_back(layout.facts.metadata.shape[axis]);
        dimensions.emplace_back(layout.facts.dimensions[axis].name);
    }
    spec.chunks = spec.shape;
    ZARR_ASSIGN_OR_RETURN(spec.dtype,
                          zarr::ParseTypestr(zarr::HostIsLittleEndian() ? "<f8" : ">f8"));
    const json::Object attributes{
        {"_ARRAY_DIMENSIONS", json::Value(std::move(dimensions))},
        {"standard_name", json::Value(is_longitude ? "longitude" : "latitude")},
        {"units", json::Value(is_longitude ? "degrees_east" : "degrees_north")}};
    const std::string chunk(reinterpret_cast<const char*>(degrees.values.data()),
                            degrees.values.size() * sizeof(double));
    const std::string group(zarr::ParentPath(layout.facts.path));
    return arrays.Write(zarr::JoinKey(group, degrees.name), spec, attributes, chunk);
}

}  // namespace

void RemoveStoredByCf(GDALRasterBand& from, CPLStringList& items) {
    if (items.FetchNameValue("NETCDF_VARNAME") == nullptr) return;
    for (const char* const name : kFlagItems) items.SetNameValue(name, nullptr);
    const char* const unit = items.FetchNameValue("units");
    if (unit != nullptr && EQUAL(unit, from.GetUnitType())) items.SetNameValue("units", nullptr);
}

void CopyCommonAttributes(GDALDataset& source, ZarrDataset& target) {
    std::map<BandArray*, std::vector<GDALRasterBand*>> bands;
    for (int i = 1; i <= source.GetRasterCount(); ++i)
        bands[&target.Band(i)->array()].push_back(source.GetRasterBand(i));
    for (const auto& [array, own] : bands) {
        if (own[0]->GetMetadataItem("NETCDF_VARNAME") == nullptr) continue;
        for (const CfItem& item : kCfItems) {
            const auto common = CommonItem(own, item.name);
            if (common && array->facts().attributes.Find(item.name) == nullptr)
                array->ChangeAttribute(item.name, ValueOf(item, *common));
        }
    }
}

Result<bool> CopyGeolocation(GDALDataset& source, ZarrDataset& target) {
    const CPLStringList items(CSLDuplicate(source.GetMetadata("GEOLOCATION")));
    BandArray& first = target.Band(1)->array();
    const RasterLayout& layout = first.layout();
    if (items.empty() || !layout.x_axis || !layout.y_axis || !ArePixelsOfDegrees(items.List()))
        return false;
    const auto x = ReadDegrees(items.List(), "X_DATASET", "X_BAND", source, "longitude");
    const auto y = ReadDegrees(items.List(), "Y_DATASET", "Y_BAND", source, "latitude");
    if (!x || !y || x->name == y->name) return false;
    std::set<std::string> paths;
    for (int i = 1; i <= target.GetRasterCount(); ++i) paths.insert(target.Band(i)->array().path());
    const CoordinateArrays arrays(*target.update(), paths, OtherArrays::kAny);
    const std::string group(zarr::ParentPath(layout.facts.path));
    ZARR_ASSIGN_OR_RETURN(const auto hierarchy, CurrentHierarchy(target.update()->store()));
    for (const Degrees* const each : {&*x, &*y}) {
        ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind kind,
                              hierarchy->KindOf(zarr::JoinKey(group, each->name)));
        if (kind != zarr::NodeKind::kNone) return false;
    }
    ZARR_RETURN_IF_ERROR(WriteDegrees(arrays, layout, *x, true));
    ZARR_RETURN_IF_ERROR(WriteDegrees(arrays, layout, *y, false));
    for (int i = 1; i <= target.GetRasterCount(); ++i)
        target.Band(i)->array().ChangeAttribute("coordinates",
                                                json::Value(y->name + " " + x->name));
    return true;
}

}  // namespace zarr_driver

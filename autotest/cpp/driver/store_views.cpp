// SPDX-License-Identifier: MIT
#include "autotest/cpp/driver/store_views.h"

#include <algorithm>
#include <vector>

namespace zarr_driver::test {

namespace {

Dataset Open(const std::string& name, unsigned flags, bool for_update) {
    const char* const drivers[] = {"Zarr", nullptr};
    const unsigned access = for_update ? GDAL_OF_UPDATE : GDAL_OF_READONLY;
    return Dataset(GDALDataset::FromHandle(GDALOpenEx(
        name.c_str(), flags | access | GDAL_OF_VERBOSE_ERROR, drivers, nullptr, nullptr)));
}

void AddList(const std::string& what, CSLConstList list, std::string& text) {
    for (; list != nullptr && *list != nullptr; ++list) text += what + " " + *list + "\n";
}

std::string Numbers(const std::vector<double>& numbers) {
    std::string text;
    for (const double number : numbers) text += " " + std::to_string(number);
    return text;
}

void AddPixels(const std::string& name, GDALRasterBand& band, std::string& text) {
    int wide = 0;
    int high = 0;
    band.GetBlockSize(&wide, &high);
    for (int y = 0; y < band.GetYSize(); y += high)
        for (int x = 0; x < band.GetXSize(); x += wide) {
            const int columns = std::min(wide, band.GetXSize() - x);
            const int rows = std::min(high, band.GetYSize() - y);
            std::vector<double> pixels(static_cast<std::size_t>(columns) *
                                       static_cast<std::size_t>(rows));
            const CPLErr error = band.RasterIO(GF_Read, x, y, columns, rows, pixels.data(), columns,
                                               rows, GDT_Float64, 0, 0, nullptr);
            text += name + " at " + std::to_string(x) + " " + std::to_string(y) + ":" +
                    (error == CE_None ? Numbers(pixels) : " failed") + "\n";
        }
}

void AddBand(const std::string& name, GDALRasterBand& band, std::string& text) {
    int has_nodata = FALSE;
    const double nodata = band.GetNoDataValue(&has_nodata);
    text += name + " " + GDALGetDataTypeName(band.GetRasterDataType()) + " " +
            std::to_string(band.GetXSize()) + "x" + std::to_string(band.GetYSize()) + " '" +
            band.GetDescription() + "' " + band.GetUnitType() + "\n";
    text += name + " nodata " + (has_nodata ? std::to_string(nodata) : "none") + "\n";
    AddList(name + " metadata", band.GetMetadata(), text);
    AddPixels(name, band, text);
    for (int i = 0; i < band.GetOverviewCount(); ++i) {
        const std::string overview = name + " overview " + std::to_string(i);
        if (GDALRasterBand* const level = band.GetOverview(i))
            AddPixels(overview, *level, text);
        else
            text += overview + " failed\n";
    }
}

void AddAttributes(const std::string& name, const GDALIHasAttribute& of, std::string& text) {
    for (const auto& attribute : of.GetAttributes()) {
        const char* const value = attribute->ReadAsString();
        text += name + " attribute " + attribute->GetName() + " " +
                (value != nullptr ? value : "null") + "\n";
    }
}

void AddArray(const std::string& name, const GDALMDArray& array, std::string& text) {
    std::vector<GUInt64> start;
    std::vector<std::size_t> count;
    std::size_t size = 1;
    for (const auto& dimension : array.GetDimensions()) {
        const auto indexed = dimension->GetIndexingVariable();
        text += name + " dimension " + dimension->GetFullName() + " " +
                std::to_string(dimension->GetSize()) + " by " +
                (indexed != nullptr ? indexed->GetFullName() : "none") + "\n";
        start.push_back(0);
        count.push_back(static_cast<std::size_t>(dimension->GetSize()));
        size *= count.back();
    }
    AddAttributes(name, array, text);
    if (array.GetSpatialRef() != nullptr) text += name + " has a CRS\n";
    std::vector<double> values(size);
    const bool is_read = array.Read(start.data(), count.data(), nullptr, nullptr,
                                    GDALExtendedDataType::Create(GDT_Float64), values.data());
    text += name + ":" + (is_read ? Numbers(values) : " failed") + "\n";
}

void AddGroup(const std::string& name, const GDALGroup& group, std::string& text) {
    const std::string start = name + "/";
    text += start + " is a group\n";
    AddAttributes(name, group, text);
    for (const std::string& member : group.GetMDArrayNames()) {
        const auto array = group.OpenMDArray(member);
        if (array != nullptr)
            AddArray(start + member, *array, text);
        else
            text += start + member + " failed\n";
    }
    for (const std::string& member : group.GetGroupNames()) {
        const auto below = group.OpenGroup(member);
        if (below != nullptr)
            AddGroup(start + member, *below, text);
        else
            text += start + member + " failed\n";
    }
}

}  // namespace

Dataset OpenRaster(const std::string& name, bool for_update) {
    return Open(name, GDAL_OF_RASTER, for_update);
}

Dataset OpenMultidim(const std::string& name, bool for_update) {
    return Open(name, GDAL_OF_MULTIDIM_RASTER, for_update);
}

std::string RasterText(const std::string& name) {
    const Dataset dataset = OpenRaster(name);
    if (dataset == nullptr) return "no dataset\n";
    std::string text = "raster " + std::to_string(dataset->GetRasterXSize()) + "x" +
                       std::to_string(dataset->GetRasterYSize()) + "x" +
                       std::to_string(dataset->GetRasterCount()) + "\n";
    double transform[6];
    const bool is_placed =
        GDALGetGeoTransform(GDALDataset::ToHandle(dataset.get()), transform) == CE_None;
    text += "place" +
            (is_placed ? Numbers(std::vector<double>(transform, transform + 6)) : " none") + "\n";
    const OGRSpatialReference* const srs = dataset->GetSpatialRef();
    const char* const code = srs != nullptr ? srs->GetAuthorityCode(nullptr) : nullptr;
    text += std::string("crs ") +
            (srs == nullptr    ? "none"
             : code != nullptr ? code
                               : "other") +
            "\n";
    AddList("metadata", dataset->GetMetadata(), text);
    // Names of subdatasets contain the folder, which differs in each run, so only their count is
    // shown.
    const CSLConstList listed = dataset->GetMetadata("SUBDATASETS");
    text += "subdatasets " + std::to_string(CSLCount(listed) / 2) + "\n";
    for (int i = 1; i <= dataset->GetRasterCount(); ++i)
        AddBand("band " + std::to_string(i), *dataset->GetRasterBand(i), text);
    return text;
}

std::string MultidimText(const std::string& name) {
    const Dataset dataset = OpenMultidim(name);
    if (dataset == nullptr) return "no dataset\n";
    std::string text;
    const auto root = dataset->GetRootGroup();
    if (root != nullptr) AddGroup("", *root, text);
    return text;
}

}  // namespace zarr_driver::test

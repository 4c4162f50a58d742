// SPDX-License-Identifier: MIT
#include "autotest/fuzz/exercise_dataset.h"

#include <gdal_alg.h>
#include <gdal_priv.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace zarr::fuzz {

namespace {

constexpr int kBands = 8;
constexpr int kSubdatasets = 8;
constexpr int kNodes = 32;
constexpr double kPixels = 1 << 16;
constexpr double kBlockPixels = 1 << 20;
constexpr std::size_t kElements = 4096;

std::unique_ptr<GDALDataset> Open(const std::string& name, unsigned flags) {
    static const char* const drivers[] = {"Zarr", nullptr};
    static const char* const options[] = {"NUM_THREADS=1", nullptr};
    return std::unique_ptr<GDALDataset>(
        GDALDataset::Open(name.c_str(), flags, drivers, options, nullptr));
}

void ReadBand(GDALRasterBand& band) {
    (void)band.GetDescription();
    (void)band.GetNoDataValue();
    (void)band.GetScale();
    (void)band.GetUnitType();
    (void)band.GetCategoryNames();
    (void)band.GetColorInterpretation();
    (void)band.GetMetadata();
    int block_x = 0;
    int block_y = 0;
    band.GetBlockSize(&block_x, &block_y);
    if (double(block_x) * block_y > kBlockPixels) return;
    if (double(band.GetXSize()) * band.GetYSize() <= kPixels)
        (void)GDALChecksumImage(&band, 0, 0, band.GetXSize(), band.GetYSize());
    double pixels[64] = {};
    const int width = std::min(band.GetXSize(), 8);
    const int height = std::min(band.GetYSize(), 8);
    // A read may fail in a damaged store, so its result is ignored.
    const CPLErr result = band.RasterIO(GF_Read, 0, 0, width, height, pixels, width, height,
                                        GDT_Float64, 0, 0, nullptr);
    (void)result;
}

void ReadDataset(GDALDataset& dataset) {
    double transform[6];
    (void)GDALGetGeoTransform(&dataset, transform);
    (void)dataset.GetSpatialRef();
    (void)dataset.GetGCPCount();
    for (const char* domain : {"", "GEOLOCATION", "RPC", "IMAGE_STRUCTURE"})
        (void)dataset.GetMetadata(domain);
    CSLDestroy(dataset.GetFileList());
    for (int i = 1; i <= std::min(dataset.GetRasterCount(), kBands); ++i) {
        GDALRasterBand& band = *dataset.GetRasterBand(i);
        ReadBand(band);
        for (int k = 0; k < std::min(band.GetOverviewCount(), 4); ++k)
            if (band.GetOverview(k) != nullptr) ReadBand(*band.GetOverview(k));
    }
}

void ReadAttributes(const std::vector<std::shared_ptr<GDALAttribute>>& attributes) {
    for (const auto& attribute : attributes) {
        if (attribute->GetTotalElementsCount() > kElements) continue;
        (void)attribute->ReadAsString();
        (void)attribute->ReadAsDoubleArray();
        (void)attribute->ReadAsStringArray();
    }
}

void ReadArray(GDALMDArray& array) {
    ReadAttributes(array.GetAttributes());
    (void)array.GetSpatialRef();
    (void)array.GetRawNoDataValue();
    (void)array.GetUnit();
    const auto block = array.GetBlockSize();
    double block_elements = 1;
    for (const GUInt64 size : block) block_elements *= double(size);
    std::vector<GUInt64> start;
    std::vector<std::size_t> count;
    std::size_t elements = 1;
    for (const auto& dimension : array.GetDimensions()) {
        (void)dimension->GetIndexingVariable();
        start.push_back(0);
        count.push_back(std::size_t(std::min<GUInt64>(dimension->GetSize(), 8)));
        elements *= count.back();
    }
    const GDALExtendedDataType type = array.GetDataType();
    if (block_elements > kBlockPixels || elements == 0 || elements > kElements ||
        type.GetSize() > kElements)
        return;
    std::vector<GByte> data(elements * type.GetSize());
    if (!array.Read(start.data(), count.data(), nullptr, nullptr, type, data.data())) return;
    for (std::size_t i = 0; i < elements; ++i)
        type.FreeDynamicMemory(data.data() + i * type.GetSize());
}

void ReadGroup(GDALGroup& group, int& nodes) {
    ReadAttributes(group.GetAttributes());
    (void)group.GetDimensions();
    for (const std::string& name : group.GetMDArrayNames()) {
        if (++nodes > kNodes) return;
        const auto array = group.OpenMDArray(name);
        if (array != nullptr) ReadArray(*array);
    }
    for (const std::string& name : group.GetGroupNames()) {
        if (++nodes > kNodes) return;
        const auto child = group.OpenGroup(name);
        if (child != nullptr) ReadGroup(*child, nodes);
    }
}

}  // namespace

void ExerciseDataset(const std::string& name) {
    if (const auto dataset = Open(name, GDAL_OF_RASTER)) {
        ReadDataset(*dataset);
        const CSLConstList subdatasets = dataset->GetMetadata("SUBDATASETS");
        for (int i = 1; i <= kSubdatasets; ++i) {
            const char* inner = CSLFetchNameValue(subdatasets, CPLSPrintf("SUBDATASET_%d_NAME", i));
            if (inner == nullptr) break;
            if (const auto subdataset = Open(inner, GDAL_OF_RASTER)) ReadDataset(*subdataset);
        }
    }
    const auto dataset = Open(name, GDAL_OF_MULTIDIM_RASTER);
    if (dataset == nullptr || dataset->GetRootGroup() == nullptr) return;
    int nodes = 0;
    ReadGroup(*dataset->GetRootGroup(), nodes);
}

}  // namespace zarr::fuzz

// SPDX-License-Identifier: MIT
#include "autotest/cpp/driver/sample_store.h"

#include <cpl_string.h>
#include <cpl_vsi.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>

namespace zarr_driver::test {

namespace {

namespace fs = std::filesystem;

CPLStringList List(const std::vector<std::string>& items) {
    CPLStringList list;
    for (const std::string& item : items) list.AddString(item.c_str());
    return list;
}

bool CopyFile(const std::string& from, const std::string& to) {
    GByte* data = nullptr;
    vsi_l_offset size = 0;
    if (VSIIngestFile(nullptr, from.c_str(), &data, &size, -1) == FALSE) return false;
    const std::unique_ptr<GByte, void (*)(void*)> owned(data, VSIFree);
    VSILFILE* const file = VSIFOpenL(to.c_str(), "wb");
    if (file == nullptr) return false;
    const bool is_written = VSIFWriteL(data, 1, size, file) == size;
    return VSIFCloseL(file) == 0 && is_written;
}

bool ZipFolder(const std::string& folder, const std::string& zip) {
    const std::string archive = "/vsizip/" + zip;
    // The archive must stay open while its members are written.
    VSILFILE* const open = VSIFOpenL(archive.c_str(), "wb");
    if (open == nullptr) return false;
    bool is_good = true;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        const std::string member = fs::relative(entry.path(), folder).generic_string();
        is_good = is_good && CopyFile(entry.path().string(), archive + "/" + member);
    }
    return VSIFCloseL(open) == 0 && is_good;
}

}  // namespace

std::string NameOf(Place place) {
    return place == Place::kFolder ? "Folder" : place == Place::kMemory ? "Memory" : "Zip";
}

SampleStore::SampleStore(Place place) {
    static std::atomic<int> count{0};
    name_ = folder() + "/sample.zarr";
    if (place == Place::kMemory) {
        memory_ = "/vsimem/threads" + std::to_string(++count);
        name_ = memory_ + "/sample.zarr";
    }
    EXPECT_TRUE(WriteSample(name_, {"OVERVIEWS=2,4", kChunk}));
    if (place != Place::kZip) return;
    EXPECT_TRUE(ZipFolder(name_, name_ + ".zip"));
    fs::remove_all(name_);
    name_ += ".zip";
}

SampleStore::~SampleStore() {
    if (!memory_.empty()) VSIRmdirRecursive(memory_.c_str());
}

bool WriteSample(const std::string& name, const std::vector<std::string>& options) {
    GDALDriver* const memory = GetGDALDriverManager()->GetDriverByName("MEM");
    const GDALDatasetUniquePtr source(
        memory->Create("", kColumns, kRows, kBands, GDT_Int32, nullptr));
    std::vector<std::int32_t> row(kColumns);
    for (int band = 1; band <= kBands; ++band) {
        for (int y = 0; y < kRows; ++y) {
            for (int x = 0; x < kColumns; ++x)
                row[static_cast<std::size_t>(x)] = ValueAt(band, y, x);
            if (source->GetRasterBand(band)->RasterIO(GF_Write, 0, y, kColumns, 1, row.data(),
                                                      kColumns, 1, GDT_Int32, 0, 0,
                                                      nullptr) != CE_None)
                return false;
        }
    }
    GDALDriver* const zarr = GetGDALDriverManager()->GetDriverByName("Zarr");
    const GDALDatasetUniquePtr copy(zarr->CreateCopy(name.c_str(), source.get(), FALSE,
                                                     List(options).List(), nullptr, nullptr));
    return copy != nullptr;
}

GDALDatasetUniquePtr OpenSample(const std::string& name, unsigned flags) {
    GDALDatasetUniquePtr dataset(GDALDataset::Open(name.c_str(), flags));
    EXPECT_NE(dataset, nullptr) << name << ": " << CPLGetLastErrorMsg();
    return dataset;
}

std::string Mismatch(GDALDataset& dataset, const SampleWindow& window) {
    GDALRasterBand* band = dataset.GetRasterBand(window.band);
    if (band != nullptr && window.level >= 0) band = band->GetOverview(window.level);
    if (band == nullptr) return "there is no such band";
    const auto at =
        "band " + std::to_string(window.band) + " level " + std::to_string(window.level);
    std::vector<std::int32_t> values(static_cast<std::size_t>(window.width) *
                                     static_cast<std::size_t>(window.height));
    if (band->RasterIO(GF_Read, window.x, window.y, window.width, window.height, values.data(),
                       window.width, window.height, GDT_Int32, 0, 0, nullptr) != CE_None)
        return at + ": " + CPLGetLastErrorMsg();
    // A pixel of an overview may have the value of any base pixel that it covers.
    const int factor = 1 << (window.level + 1);
    for (int y = 0; y < window.height; ++y) {
        for (int x = 0; x < window.width; ++x) {
            const std::int32_t got =
                values[static_cast<std::size_t>(y) * static_cast<std::size_t>(window.width) +
                       static_cast<std::size_t>(x)];
            const int row = got / 1000 % 1000;
            const int column = got % 1000;
            if (got / 1000000 != window.band || row / factor != window.y + y ||
                column / factor != window.x + x)
                return at + ": got " + std::to_string(got) + " at row " +
                       std::to_string(window.y + y) + ", column " + std::to_string(window.x + x);
        }
    }
    return "";
}

std::string MismatchAnywhere(GDALDataset& dataset) {
    for (int band = 1; band <= kBands; ++band) {
        for (int level = -1; level < 2; ++level) {
            SampleWindow window;
            window.band = band;
            window.level = level;
            window.width = kColumns >> (level + 1);
            window.height = kRows >> (level + 1);
            const std::string problem = Mismatch(dataset, window);
            if (!problem.empty()) return problem;
        }
    }
    return "";
}

}  // namespace zarr_driver::test

// SPDX-License-Identifier: MIT
// A store that threads read: int32 values that say where they lie, in chunks, with overviews.
#pragma once

#include <gdal_priv.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "autotest/cpp/support/temp_folder.h"

namespace zarr_driver::test {

constexpr int kBands = 3;
constexpr int kRows = 120;
constexpr int kColumns = 160;
constexpr const char* kChunk = "BLOCKSIZE=2,32,64";
constexpr const char* kArray = "/sample";

inline std::int32_t ValueAt(int band, int row, int column) {
    return (band * 1000 + row) * 1000 + column;
}

// Where a store lies.
enum class Place : std::uint8_t { kFolder, kMemory, kZip };
std::string NameOf(Place place);

// Removed in the end.
class SampleStore {
  public:
    explicit SampleStore(Place place = Place::kFolder);
    ~SampleStore();
    SampleStore(const SampleStore&) = delete;
    SampleStore& operator=(const SampleStore&) = delete;

    const std::string& name() const { return name_; }
    std::string folder() const { return folder_.path().string(); }

  private:
    const zarr::test::TempFolder folder_;
    std::string memory_;  // a folder in /vsimem/, where there is one
    std::string name_;
};

// Writes a store of such values; true where that succeeded.
bool WriteSample(const std::string& name, const std::vector<std::string>& options = {});

// nullptr, with a failure of the test, where it does not open.
GDALDatasetUniquePtr OpenSample(const std::string& name, unsigned flags = GDAL_OF_RASTER);

struct SampleWindow {
    int band = 1;  // from 1
    int x = 0, y = 0, width = kColumns, height = kRows;
    int level = -1;  // of the overviews; each is half as wide and high as the one before
};

// "" where a window holds what it should, else what is wrong.
std::string Mismatch(GDALDataset& dataset, const SampleWindow& window);
// The same of all bands and of every overview.
std::string MismatchAnywhere(GDALDataset& dataset);

}  // namespace zarr_driver::test

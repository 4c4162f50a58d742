// SPDX-License-Identifier: MIT
// A store for tests with threads: int32 values that encode their position, in chunks, with
// overviews.
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

// Location of a sample store.
enum class Place : std::uint8_t { kFolder, kMemory, kZip };
std::string NameOf(Place place);

// Creates a sample store and removes it when destroyed.
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
    std::string memory_;  // folder in /vsimem/; empty: none
    std::string name_;
};

// Writes a store with the values that ValueAt() returns. Returns true on success.
bool WriteSample(const std::string& name, const std::vector<std::string>& options = {});

// Opens a store. If opening fails, returns nullptr and fails the test.
GDALDatasetUniquePtr OpenSample(const std::string& name, unsigned flags = GDAL_OF_RASTER);

struct SampleWindow {
    int band = 1;  // from 1
    int x = 0, y = 0, width = kColumns, height = kRows;
    int level = -1;  // of the overviews; each is half as wide and high as the one before
};

// Reads a window and compares it with the expected values. Returns "" if they match, else a
// description.
std::string Mismatch(GDALDataset& dataset, const SampleWindow& window);
// Compares all bands and all overviews with the expected values. Returns "" if they match, else a
// description.
std::string MismatchAnywhere(GDALDataset& dataset);

}  // namespace zarr_driver::test

// SPDX-License-Identifier: MIT
// A store with chunks and overviews for tests with threads. Each int32 value encodes its position.
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

// Location of a sample store: in a folder on disk, in GDAL's memory, or in a zip file.
enum class Place : std::uint8_t { kFolder, kMemory, kZip };
std::string NameOf(Place place);

// Creates a sample store, and removes it on destruction.
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
    std::string memory_;  // folder in /vsimem/; empty for other places
    std::string name_;
};

// Writes a store with the values of ValueAt(). Returns false on failure.
bool WriteSample(const std::string& name, const std::vector<std::string>& options = {});

// Opens a store. On failure, the test fails and the result is nullptr.
GDALDatasetUniquePtr OpenSample(const std::string& name, unsigned flags = GDAL_OF_RASTER);

struct SampleWindow {
    int band = 1;  // from 1
    int x = 0, y = 0, width = kColumns, height = kRows;
    int level = -1;  // number of the overview level; -1 for full resolution
};

// Reads a window and compares it with the expected values. Returns "" or a description of the
// difference.
std::string Mismatch(GDALDataset& dataset, const SampleWindow& window);
// Compares all bands and all overviews with the expected values. Returns "" or a description of the
// difference.
std::string MismatchAnywhere(GDALDataset& dataset);

}  // namespace zarr_driver::test

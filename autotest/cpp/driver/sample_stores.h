// SPDX-License-Identifier: MIT
// Small stores of every form, as the files that make them up; "x.zarr/" or "x.zarr.zip" is in each.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "autotest/cpp/driver/faulty_files.h"
#include "autotest/cpp/driver/store_views.h"

namespace zarr_driver::test {

// How the stores of a test are stored.
enum class Form : std::uint8_t { kV2, kV3, kShards };

// A test that runs once in each form: what the driver makes in it has that form, where it makes
// chunks with ChunkOptions().
class InEachForm : public testing::TestWithParam<Form> {
  protected:
    void SetUp() override;
    void TearDown() override;
};
#define ZARR_IN_EACH_FORM(suite)                                           \
    INSTANTIATE_TEST_SUITE_P(Forms, suite, testing::ValuesIn(FormsHere()), \
                             [](const auto& of) { return NameOf(of.param); })
// All; to ThreadSanitizer, which is slow, those alone whose threads do most.
std::vector<Form> FormsHere();
std::string NameOf(Form form);

// Creation options of chunks of 3 x 2 pixels, or of shards of that size.
std::string ChunkOptions();

// A raster in memory of 5 x 4 pixels, placed on the map, with nodata and a unit.
Dataset MemoryRaster(int bands = 2, double first_value = 1);

// That in chunks of 3 x 2 pixels as the driver writes it; `options` are creation options as
// "NAME=VALUE NAME=VALUE".
Files WrittenStore(const std::string& options = "", const std::string& name = "x.zarr");
// That whose coordinate arrays alone say where it lies; not consolidated.
Files CoordinatesStore();
// With a level of half the size.
Files PyramidStore();
// A folder of Zarr v1, uncompressed.
Files V1Files();

}  // namespace zarr_driver::test

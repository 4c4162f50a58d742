// SPDX-License-Identifier: MIT
// Small stores for tests. A store is a map from file names to contents. Its files lie below
// "x.zarr/", or are a single file "x.zarr.zip".
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "autotest/cpp/driver/faulty_files.h"
#include "autotest/cpp/driver/store_views.h"

namespace zarr_driver::test {

// Zarr version of a store, and whether its chunks are in shards.
enum class Form : std::uint8_t { kV2, kV3, kShards };

// Base class of tests that run once for each Form. In the test, ChunkOptions() gives the creation
// options of this form.
class InEachForm : public testing::TestWithParam<Form> {
  protected:
    void SetUp() override;
    void TearDown() override;
};
#define ZARR_IN_EACH_FORM(suite)                                             \
    INSTANTIATE_TEST_SUITE_P(Forms, suite, testing::ValuesIn(TestedForms()), \
                             [](const auto& of) { return NameOf(of.param); })
// Returns the forms to test. ThreadSanitizer is slow, so it gets only the form with most work for
// threads.
std::vector<Form> TestedForms();
std::string NameOf(Form form);

// Returns creation options for the Form of the running test: chunks of 3 x 2 pixels, or shards of
// 3 x 2 pixels if the Form is kShards.
std::string ChunkOptions();

// Returns a raster in memory of 5 x 4 pixels with a georeference, a nodata value and a unit.
Dataset MemoryRaster(int bands = 2, double first_value = 1);

// Returns the store that the driver writes from MemoryRaster() in chunks of 3 x 2 pixels. `options`
// are creation options, "NAME=VALUE NAME=VALUE".
Files WrittenStore(const std::string& options = "", const std::string& name = "x.zarr");
// Returns a store without consolidated metadata. Only its coordinate arrays give the georeference.
Files CoordinatesStore();
// Returns a store with a pyramid of two levels. The second level has half the size.
Files PyramidStore();
// Returns a store of Zarr v1 without compression.
Files V1Files();

}  // namespace zarr_driver::test

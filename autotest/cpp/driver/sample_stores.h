// SPDX-License-Identifier: MIT
// Small stores of every form, as maps from file names to contents. The store is "x.zarr/" or
// "x.zarr.zip".
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "autotest/cpp/driver/faulty_files.h"
#include "autotest/cpp/driver/store_views.h"

namespace zarr_driver::test {

// Zarr version of the stores, and whether their chunks are in shards.
enum class Form : std::uint8_t { kV2, kV3, kShards };

// Base class of tests that run once for each Form. The driver creates stores of that form if it
// gets the creation options of ChunkOptions().
class InEachForm : public testing::TestWithParam<Form> {
  protected:
    void SetUp() override;
    void TearDown() override;
};
#define ZARR_IN_EACH_FORM(suite)                                             \
    INSTANTIATE_TEST_SUITE_P(Forms, suite, testing::ValuesIn(TestedForms()), \
                             [](const auto& of) { return NameOf(of.param); })
// Returns all forms. With ThreadSanitizer, which is slow, returns only the form with most work for
// threads.
std::vector<Form> TestedForms();
std::string NameOf(Form form);

// Returns creation options for chunks of 3 x 2 pixels; for the form kShards, options for shards of
// 3 x 2 pixels.
std::string ChunkOptions();

// Returns a raster in memory with 5 x 4 pixels, a georeference, a nodata value and a unit.
Dataset MemoryRaster(int bands = 2, double first_value = 1);

// Returns the store that the driver writes from MemoryRaster(), in chunks of 3 x 2 pixels.
// `options` are creation options, "NAME=VALUE NAME=VALUE".
Files WrittenStore(const std::string& options = "", const std::string& name = "x.zarr");
// Returns a store whose georeference is given only by coordinate arrays, without consolidated
// metadata.
Files CoordinatesStore();
// Returns a store with a pyramid, whose second level has half the size.
Files PyramidStore();
// Returns a store of Zarr v1 without compression.
Files V1Files();

}  // namespace zarr_driver::test

// SPDX-License-Identifier: MIT
#include <gdal_priv.h>
#include <gtest/gtest.h>

namespace zarr_driver::test {

namespace {

TEST(Registration, ThisDriverComesBeforeTheBuiltinOne) {
    GDALDriverManager* manager = GetGDALDriverManager();
    GDALDriver* driver = manager->GetDriverByName("Zarr");
    ASSERT_NE(driver, nullptr);
    EXPECT_NE(driver->GetMetadataItem("CHUNKS_DECODED", "READ_COUNTERS"), nullptr);
    GDALDriver* builtin = manager->GetDriverByName("ZarrBuiltin");
    ASSERT_NE(builtin, nullptr);
    EXPECT_EQ(builtin->GetMetadataItem("CHUNKS_DECODED", "READ_COUNTERS"), nullptr);
}

}  // namespace

}  // namespace zarr_driver::test

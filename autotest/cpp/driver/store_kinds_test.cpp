// SPDX-License-Identifier: MIT
#include <cpl_error.h>
#include <cpl_vsi.h>
#include <gdal_priv.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "autotest/cpp/driver/prefix_kind.h"
#include "autotest/cpp/driver/store_views.h"
#include "driver/store/store_kind.h"

namespace zarr_driver::test {
namespace {

std::vector<GByte> Pixels(GDALDataset& dataset) {
    std::vector<GByte> pixels(20 * 10);
    EXPECT_EQ(dataset.GetRasterBand(1)->RasterIO(GF_Read, 0, 0, 20, 10, pixels.data(), 20, 10,
                                                 GDT_Byte, 0, 0, nullptr),
              CE_None);
    return pixels;
}

TEST(StoreKinds, HaveARowEach) {
    for (const StoreKind* kind : StoreKinds()) EXPECT_NE(kind->open, nullptr);
    const StoreKind& last = *StoreKinds().back();
    EXPECT_TRUE(last.recognise(StoreAddress("anything")));
    EXPECT_TRUE(last.is_there && last.find_root);
    EXPECT_TRUE(last.open_for_update && last.check && last.create && last.erase);
}

TEST(StoreKinds, AreAddedByARow) {
    const std::string folder = "/vsimem/store_kinds";
    GDALDriver* const driver = GetGDALDriverManager()->GetDriverByName("Zarr");
    ASSERT_NE(driver, nullptr);
    {
        const Dataset made(driver->Create((folder + "/x").c_str(), 20, 10, 1, GDT_Byte, nullptr));
        ASSERT_NE(made, nullptr);
        ASSERT_EQ(made->GetRasterBand(1)->Fill(7), CE_None);
    }
    StoreKinds().insert(StoreKinds().begin(), &kPrefixKind);
    const std::string toy = "ZARR:\"" + folder + "@x\"";
    {
        const Dataset dataset = OpenRaster(toy);
        ASSERT_NE(dataset, nullptr);
        EXPECT_EQ(dataset->GetRasterXSize(), 20);
        EXPECT_EQ(Pixels(*dataset), std::vector<GByte>(20 * 10, 7));
        EXPECT_NE(OpenMultidim(toy), nullptr);
    }
    CPLPushErrorHandler(CPLQuietErrorHandler);
    EXPECT_EQ(OpenRaster(toy, true), nullptr);
    EXPECT_NE(std::string(CPLGetLastErrorMsg()).find("a toy is read-only"), std::string::npos);
    CPLPopErrorHandler();
    StoreKinds().erase(StoreKinds().begin());
    VSIRmdirRecursive(folder.c_str());
}

}  // namespace
}  // namespace zarr_driver::test

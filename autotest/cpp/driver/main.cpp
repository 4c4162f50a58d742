// SPDX-License-Identifier: MIT
// Runs the tests of the driver that need GDAL in C++: faults of a file system, threads, unloading.
// The driver is linked in and registered as GDAL would do with the plugin.
#include <gdal_priv.h>
#include <gtest/gtest.h>

extern "C" void CPL_DLL GDALRegister_ZarrV2();

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    GDALRegister_ZarrV2();
    GDALAllRegister();
    const int result = RUN_ALL_TESTS();
    // What GDAL holds for the process's life is not a leak.
    GDALDestroy();
    return result;
}

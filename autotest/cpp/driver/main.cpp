// SPDX-License-Identifier: MIT
// Runs the tests of the driver that need GDAL in C++: file system faults, threads, unloading. The
// driver is linked in and registered as a plugin would be.
#include <gdal_priv.h>
#include <gtest/gtest.h>

extern "C" void CPL_DLL GDALRegister_ZarrV2();

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    GDALRegister_ZarrV2();
    GDALAllRegister();
    const int result = RUN_ALL_TESTS();
    // GDALDestroy() frees the memory that GDAL holds until the process ends, so that leak checkers
    // do not report it.
    GDALDestroy();
    return result;
}

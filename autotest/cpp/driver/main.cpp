// SPDX-License-Identifier: MIT
// Runs the tests of the driver that need C++: file system faults, threads, unloading. The program
// contains the driver and registers it as a plugin would.
#include <gdal_priv.h>
#include <gtest/gtest.h>

extern "C" void CPL_DLL GDALRegister_ZarrV2();

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    GDALRegister_ZarrV2();
    GDALAllRegister();
    const int result = RUN_ALL_TESTS();
    // Frees the memory that GDAL holds until the process ends, so that leak checkers do not report
    // it.
    GDALDestroy();
    return result;
}

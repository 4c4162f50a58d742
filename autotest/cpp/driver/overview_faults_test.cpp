// SPDX-License-Identifier: MIT
// Tests of building, refreshing and removing overviews while calls to the file system fail.
#include <gtest/gtest.h>

#include "autotest/cpp/driver/fault_sweep.h"
#include "autotest/cpp/driver/sample_stores.h"
#include "autotest/cpp/driver/store_views.h"

namespace zarr_driver::test {

namespace {

std::string ReadWithOverviews(const std::string& folder) { return RasterText(folder + "/x.zarr"); }

bool Build(const std::string& folder, const char* resampling, int count) {
    const Dataset opened = OpenRaster(folder + "/x.zarr", true);
    if (opened == nullptr) return false;
    int factors[] = {2};
    return GDALBuildOverviews(GDALDataset::ToHandle(opened.get()), resampling, count, factors, 0,
                              nullptr, nullptr, nullptr) == CE_None;
}

bool BuildNearest(const std::string& folder) { return Build(folder, "NEAREST", 1); }

class OverviewFaults : public InEachForm {};
ZARR_IN_EACH_FORM(OverviewFaults);

TEST_P(OverviewFaults, Build) {
    Sweep(WriteSweep{WrittenStore(), BuildNearest, ReadWithOverviews});
}

TEST_P(OverviewFaults, BuildForAGroup) {
    Sweep(WriteSweep{WrittenStore("SINGLE_ARRAY=NO"), BuildNearest, ReadWithOverviews});
}

TEST_P(OverviewFaults, Refresh) {
    Sweep(WriteSweep{PyramidStore(),
                     [](const std::string& folder) { return Build(folder, "AVERAGE", 1); },
                     ReadWithOverviews, EveryLineIsOldOrNew});
}

TEST_P(OverviewFaults, Clean) {
    Sweep(WriteSweep{PyramidStore(),
                     [](const std::string& folder) { return Build(folder, "NONE", 0); },
                     ReadWithOverviews});
}

}  // namespace

}  // namespace zarr_driver::test

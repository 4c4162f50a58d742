// SPDX-License-Identifier: MIT
// Tests of opening and reading stores while calls to the file system fail.
#include <gtest/gtest.h>

#include "autotest/cpp/driver/fault_sweep.h"
#include "autotest/cpp/driver/sample_stores.h"
#include "autotest/cpp/driver/store_views.h"

namespace zarr_driver::test {

namespace {

std::string ReadRaster(const std::string& folder) { return RasterText(folder + "/x.zarr"); }

std::string ReadMultidim(const std::string& folder) { return MultidimText(folder + "/x.zarr"); }

class ReadFaults : public InEachForm {};
ZARR_IN_EACH_FORM(ReadFaults);

TEST_P(ReadFaults, Consolidated) { Sweep(ReadSweep{WrittenStore(), ReadRaster}); }

TEST_P(ReadFaults, NotConsolidated) {
    Sweep(ReadSweep{WrittenStore("CREATE_CONSOLIDATED_METADATA=NO"), ReadRaster});
}

TEST_P(ReadFaults, PlacedByCoordinates) { Sweep(ReadSweep{CoordinatesStore(), ReadRaster}); }

TEST_P(ReadFaults, OtherFileSystem) {
    Sweep(ReadSweep{WrittenStore("CREATE_CONSOLIDATED_METADATA=NO"), ReadRaster, "/vsifaulty/"});
}

TEST_P(ReadFaults, GroupOfBands) {
    Sweep(ReadSweep{WrittenStore("SINGLE_ARRAY=NO CREATE_CONSOLIDATED_METADATA=NO"), ReadRaster});
}

TEST_P(ReadFaults, Pyramid) { Sweep(ReadSweep{PyramidStore(), ReadRaster}); }

TEST(ReadFaultsOfV1, Raster) { Sweep(ReadSweep{V1Files(), ReadRaster}); }

TEST_P(ReadFaults, ZipFile) {
    Sweep(ReadSweep{WrittenStore("", "x.zarr.zip"),
                    [](const std::string& folder) { return RasterText(folder + "/x.zarr.zip"); }});
}

TEST_P(ReadFaults, Multidimensional) {
    Sweep(ReadSweep{WrittenStore("CREATE_CONSOLIDATED_METADATA=NO"), ReadMultidim});
}

TEST_P(ReadFaults, MultidimensionalConsolidated) { Sweep(ReadSweep{WrittenStore(), ReadMultidim}); }

}  // namespace

}  // namespace zarr_driver::test

// SPDX-License-Identifier: MIT
// Tests of threads that write with their own datasets. Each thread must get its own errors.
#include <cpl_error.h>
#include <cpl_vsi.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "autotest/cpp/driver/sample_store.h"
#include "autotest/cpp/support/threads.h"

namespace zarr_driver::test {

namespace {

using zarr::test::InThreads;

constexpr std::size_t kWriters = 4;

class WrittenPlaces : public testing::TestWithParam<Place> {};
INSTANTIATE_TEST_SUITE_P(AStoreIn, WrittenPlaces, testing::Values(Place::kFolder, Place::kMemory),
                         [](const auto& test) { return NameOf(test.param); });

// Threads write alternate rows, so that each chunk has parts from several threads.
TEST_P(WrittenPlaces, IsWrittenByThreadsThroughTheirOwnHandles) {
    const SampleStore store(GetParam());
    const auto negative = [](int band, int row, int column) { return -ValueAt(band, row, column); };
    InThreads(kWriters, [&](std::size_t thread) -> std::string {
        // Writing to a raster with overviews gives a warning, because the overviews are not
        // updated.
        const CPLErrorHandlerPusher quiet(CPLQuietErrorHandler);
        const auto dataset = OpenSample(store.name(), GDAL_OF_RASTER | GDAL_OF_UPDATE);
        if (dataset == nullptr) return "does not open";
        std::vector<std::int32_t> row(kColumns);
        for (int band = 1; band <= kBands; ++band) {
            for (int y = static_cast<int>(thread); y < kRows; y += int{kWriters}) {
                for (int x = 0; x < kColumns; ++x)
                    row[static_cast<std::size_t>(x)] = negative(band, y, x);
                if (dataset->GetRasterBand(band)->RasterIO(GF_Write, 0, y, kColumns, 1, row.data(),
                                                           kColumns, 1, GDT_Int32, 0, 0,
                                                           nullptr) != CE_None)
                    return CPLGetLastErrorMsg();
            }
        }
        return "";
    });
    const auto dataset = OpenSample(store.name());
    ASSERT_NE(dataset, nullptr);
    std::vector<std::int32_t> values(std::size_t{kColumns} * kRows);
    for (int band = 1; band <= kBands; ++band) {
        ASSERT_EQ(
            dataset->GetRasterBand(band)->RasterIO(GF_Read, 0, 0, kColumns, kRows, values.data(),
                                                   kColumns, kRows, GDT_Int32, 0, 0, nullptr),
            CE_None);
        for (int y = 0; y < kRows; ++y)
            for (int x = 0; x < kColumns; ++x)
                ASSERT_EQ(values[static_cast<std::size_t>(y * kColumns + x)], negative(band, y, x))
                    << band << " " << y << " " << x;
    }
}

TEST_P(WrittenPlaces, HasNeighboursThatThreadsMakeAndDelete) {
    const SampleStore store(GetParam());
    GDALDriver* const driver = GetGDALDriverManager()->GetDriverByName("Zarr");
    const std::string folder = store.name().substr(0, store.name().rfind('/'));
    InThreads(kWriters, [&](std::size_t thread) -> std::string {
        const std::string own = folder + "/own" + std::to_string(thread) + ".zarr";
        for (int round = 0; round < 3; ++round) {
            if (!WriteSample(own, {kChunk, "OVERVIEWS=2,4"})) return "cannot be made";
            {
                const auto dataset = OpenSample(own);
                if (dataset == nullptr) return "does not open";
                const std::string problem = MismatchAnywhere(*dataset);
                if (!problem.empty()) return problem;
            }
            if (driver->Delete(own.c_str()) != CE_None) return "cannot be deleted";
            VSIStatBufL stat;
            if (VSIStatL(own.c_str(), &stat) == 0) return "is still there";
        }
        return "";
    });
    const auto dataset = OpenSample(store.name());
    ASSERT_NE(dataset, nullptr);
    EXPECT_EQ(MismatchAnywhere(*dataset), "");
}

// ---------------------------------------------------------------------------------------------
// Errors

void CPL_STDCALL Collect(CPLErr error_class, CPLErrorNum, const char* text) {
    if (error_class >= CE_Warning)
        static_cast<std::vector<std::string>*>(CPLGetErrorHandlerUserData())->emplace_back(text);
}

TEST(Errors, OfAThreadReachOnlyThatThread) {
    const SampleStore stores[kWriters];
    for (const SampleStore& store : stores)
        for (const char* key : {"0.0.0", "0.1.1", "1.3.2"})
            std::ofstream(store.name() + kArray + "/" + key, std::ios::trunc) << "damaged";
    InThreads(kWriters, [&](std::size_t thread) -> std::string {
        const std::string name = stores[thread].name();
        std::vector<std::string> heard;
        CPLPushErrorHandlerEx(Collect, &heard);
        const std::string problem = [&]() -> std::string {
            for (int round = 0; round < 10; ++round) {
                const auto dataset = OpenSample(name);
                if (dataset == nullptr) return "does not open";
                heard.clear();
                if (Mismatch(*dataset, {}).empty()) return "is read";
                if (heard.size() != 1) return std::to_string(heard.size()) + " errors";
                if (heard[0].find(name) == std::string::npos ||
                    heard[0].find("sample/0.") == std::string::npos)
                    return "heard " + heard[0];
                if (heard[0] != CPLGetLastErrorMsg()) return "another last error";
            }
            return "";
        }();
        CPLPopErrorHandler();
        return problem;
    });
}

}  // namespace

}  // namespace zarr_driver::test

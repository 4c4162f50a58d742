// SPDX-License-Identifier: MIT
// Tests of threads that read: each with its own dataset of one store, or all with one
// multidimensional array. ThreadSanitizer checks these tests for races.
#include <cpl_conv.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "autotest/cpp/driver/sample_store.h"
#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/threads.h"

namespace zarr_driver::test {

namespace {

using zarr::test::InThreads;
using zarr::test::Random;

constexpr std::size_t kThreads = 4;
constexpr int kRounds = 20;

SampleWindow RandomWindow(Random& random) {
    SampleWindow window;
    window.band = static_cast<int>(random.Between(1, kBands));
    window.level = static_cast<int>(random.Between(-1, 1));
    const int columns = kColumns >> (window.level + 1);
    const int rows = kRows >> (window.level + 1);
    window.x = static_cast<int>(random.Between(0, columns - 1));
    window.y = static_cast<int>(random.Between(0, rows - 1));
    window.width = static_cast<int>(random.Between(1, columns - window.x));
    window.height = static_cast<int>(random.Between(1, rows - window.y));
    return window;
}

class Places : public testing::TestWithParam<Place> {};
INSTANTIATE_TEST_SUITE_P(AStoreIn, Places,
                         testing::Values(Place::kFolder, Place::kMemory, Place::kZip),
                         [](const auto& test) { return NameOf(test.param); });

TEST_P(Places, IsReadByADatasetPerThread) {
    const SampleStore store(GetParam());
    InThreads(kThreads, [&](std::size_t thread) -> std::string {
        Random random(thread);
        const auto dataset = OpenSample(store.name());
        if (dataset == nullptr) return "does not open";
        for (int round = 0; round < kRounds; ++round) {
            const std::string problem = Mismatch(*dataset, RandomWindow(random));
            if (!problem.empty()) return problem;
        }
        return MismatchAnywhere(*dataset);
    });
}

// All threads read one window at the same time, so that they wait for each other's chunks.
TEST_P(Places, IsReadInTheSameWindowByAll) {
    const SampleStore store(GetParam());
    for (int round = 0; round < 5; ++round)
        InThreads(kThreads, [&](std::size_t) -> std::string {
            const auto dataset = OpenSample(store.name());
            return dataset == nullptr ? "does not open" : MismatchAnywhere(*dataset);
        });
}

TEST_P(Places, IsOpenedAndClosedWhileOthersRead) {
    const SampleStore store(GetParam());
    InThreads(kThreads, [&](std::size_t thread) -> std::string {
        Random random(100 + thread);
        if (thread == 0) {
            const auto dataset = OpenSample(store.name());
            for (int round = 0; round < 3 * kRounds; ++round) {
                const std::string problem = Mismatch(*dataset, RandomWindow(random));
                if (!problem.empty()) return problem;
            }
            return "";
        }
        for (int round = 0; round < kRounds; ++round) {
            const auto dataset = OpenSample(store.name());
            if (dataset == nullptr) return "does not open";
            const std::string problem = Mismatch(*dataset, RandomWindow(random));
            if (!problem.empty()) return problem;
            if (dataset->GetMetadata() == nullptr) CPLErrorReset();
        }
        return "";
    });
}

// The cache size changes during the reads and becomes so small that chunks are evicted continually.
TEST_P(Places, IsReadWhileTheCacheChangesItsSize) {
    const SampleStore store(GetParam());
    const GIntBig before = GDALGetCacheMax64();
    InThreads(kThreads, [&](std::size_t thread) -> std::string {
        const auto dataset = OpenSample(store.name());
        if (dataset == nullptr) return "does not open";
        for (int round = 0; round < 5; ++round) {
            if (thread == 0) GDALSetCacheMax64(round % 2 == 0 ? GIntBig{17} << 20 : before);
            const std::string problem = MismatchAnywhere(*dataset);
            if (!problem.empty()) return problem;
        }
        return "";
    });
    GDALSetCacheMax64(before);
}

class Pam : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Enabled, Pam, testing::Values("YES", "NO"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(Pam, StoresAreReadByThreadsThatAskForStatistics) {
    const SampleStore store;
    const CPLConfigOptionSetter setter("GDAL_PAM_ENABLED", GetParam(), false);
    InThreads(kThreads, [&](std::size_t thread) -> std::string {
        const CPLConfigOptionSetter own("GDAL_PAM_ENABLED", GetParam(), false);
        const auto dataset = OpenSample(store.name());
        if (dataset == nullptr) return "does not open";
        const int band = 1 + static_cast<int>(thread) % kBands;
        double low = 0;
        double high = 0;
        if (dataset->GetRasterBand(band)->ComputeStatistics(FALSE, &low, &high, nullptr, nullptr,
                                                            nullptr, nullptr) != CE_None)
            return CPLGetLastErrorMsg();
        if (low != ValueAt(band, 0, 0) || high != ValueAt(band, kRows - 1, kColumns - 1))
            return "wrong statistics";
        return MismatchAnywhere(*dataset);
    });
}

// ---------------------------------------------------------------------------------------------
// The multidimensional API

TEST_P(Places, HasAnArrayThatManyThreadsRead) {
    const SampleStore store(GetParam());
    const auto dataset = OpenSample(store.name(), GDAL_OF_MULTIDIM_RASTER);
    ASSERT_NE(dataset, nullptr);
    const auto group = dataset->GetRootGroup();
    const auto array = group->OpenMDArrayFromFullname(kArray);
    ASSERT_NE(array, nullptr) << group->GetMDArrayNames()[0];
    InThreads(kThreads, [&](std::size_t thread) -> std::string {
        Random random(200 + thread);
        for (int round = 0; round < kRounds; ++round) {
            const GUInt64 start[] = {random.Below(kBands), random.Below(kRows),
                                     random.Below(kColumns)};
            const std::size_t count[] = {1, random.Below(kRows - start[1]) + 1,
                                         random.Below(kColumns - start[2]) + 1};
            std::vector<std::int32_t> values(count[1] * count[2]);
            if (!array->Read(start, count, nullptr, nullptr,
                             GDALExtendedDataType::Create(GDT_Int32), values.data()))
                return CPLGetLastErrorMsg();
            for (std::size_t i = 0; i < values.size(); ++i)
                if (values[i] != ValueAt(static_cast<int>(start[0]) + 1,
                                         static_cast<int>(start[1] + i / count[2]),
                                         static_cast<int>(start[2] + i % count[2])))
                    return "wrong value " + std::to_string(values[i]);
            // The array creates its CRS and its attributes on the first call. Several threads may
            // make the first call at the same time.
            static_cast<void>(array->GetSpatialRef());
            static_cast<void>(array->GetAttributes());
            if (group->GetMDArrayNames().empty()) return "no arrays";
        }
        return "";
    });
}

TEST_P(Places, HasGroupsThatManyThreadsListAtOnce) {
    const SampleStore store(GetParam());
    for (int round = 0; round < 20; ++round) {
        const auto dataset = OpenSample(store.name(), GDAL_OF_MULTIDIM_RASTER);
        ASSERT_NE(dataset, nullptr);
        const auto root = dataset->GetRootGroup();
        // No list of arrays is cached yet, so each thread lists the group.
        InThreads(kThreads, [&](std::size_t) -> std::string {
            if (root->GetMDArrayNames().empty()) return "no arrays";
            if (root->GetDimensions().empty()) return "no dimensions";
            return "";
        });
    }
}

TEST_P(Places, HasGroupsThatManyThreadsWalk) {
    const SampleStore store(GetParam());
    const auto dataset = OpenSample(store.name(), GDAL_OF_MULTIDIM_RASTER);
    ASSERT_NE(dataset, nullptr);
    const auto root = dataset->GetRootGroup();
    const std::size_t groups = root->GetGroupNames().size();
    InThreads(kThreads, [&](std::size_t) -> std::string {
        for (int round = 0; round < kRounds; ++round) {
            if (root->GetGroupNames().size() != groups) return "other groups";
            for (const std::string& name : root->GetMDArrayNames()) {
                const auto array = root->OpenMDArray(name);
                if (array == nullptr) return "no array " + name;
                for (const auto& dimension : array->GetDimensions())
                    static_cast<void>(dimension->GetIndexingVariable());
            }
            if (root->GetDimensions().empty()) return "no dimensions";
        }
        return "";
    });
}

// ---------------------------------------------------------------------------------------------
// GDAL's own thread-safe handles

#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 10, 0)

TEST_P(Places, IsReadByAThreadSafeDataset) {
    const SampleStore store(GetParam());
    const auto opened = OpenSample(store.name(), GDAL_OF_RASTER | GDAL_OF_THREAD_SAFE);
    ASSERT_NE(opened, nullptr);
    const auto plain = OpenSample(store.name());
    const GDALDatasetUniquePtr wrapped(GDALGetThreadSafeDataset(plain.get(), GDAL_OF_RASTER));
    ASSERT_NE(wrapped, nullptr);
    for (GDALDataset* const dataset : {opened.get(), wrapped.get()}) {
        EXPECT_TRUE(dataset->IsThreadSafe(GDAL_OF_RASTER));
        InThreads(kThreads, [&](std::size_t thread) -> std::string {
            Random random(300 + thread);
            for (int round = 0; round < kRounds; ++round) {
                const std::string problem = Mismatch(*dataset, RandomWindow(random));
                if (!problem.empty()) return problem;
            }
            return MismatchAnywhere(*dataset);
        });
    }
}

#endif

}  // namespace

}  // namespace zarr_driver::test

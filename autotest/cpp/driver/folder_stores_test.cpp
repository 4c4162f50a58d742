// SPDX-License-Identifier: MIT
// The driver's store of folders, on disk and in GDAL's memory, keeps the contract of all stores.
#include <cpl_vsi.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "autotest/cpp/store/store_contract.h"
#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/temp_folder.h"
#include "driver/store/vsi_store.h"

namespace zarr_driver {
namespace {

class FolderUnderTest : public zarr::test::StoreUnderTest {
  public:
    explicit FolderUnderTest(const std::string& path) : store_(StorePath(path)) {}

    void Put(const std::string& key, std::string_view value) override {
        EXPECT_TRUE(zarr::test::Succeeds(store_.Set(key, zarr::ByteSpan(value))));
    }
    const zarr::Store& store() override { return store_; }
    zarr::Store* writable() override { return &store_; }

  private:
    VsiStore store_;
};

struct FolderHolder {
    zarr::test::TempFolder folder;
};

class DiskUnderTest final : private FolderHolder, public FolderUnderTest {
  public:
    DiskUnderTest() : FolderUnderTest(folder.path().string()) {}
};

class MemoryUnderTest final : public FolderUnderTest {
  public:
    MemoryUnderTest() : FolderUnderTest(kFolder) { VSIMkdir(kFolder, 0755); }
    ~MemoryUnderTest() override { VSIRmdirRecursive(kFolder); }

  private:
    static constexpr const char* kFolder = "/vsimem/contract";
};

template <class UnderTest>
std::unique_ptr<zarr::test::StoreUnderTest> Make() {
    return std::make_unique<UnderTest>();
}

}  // namespace
}  // namespace zarr_driver

namespace zarr::test {

INSTANTIATE_TEST_SUITE_P(Disk, StoreContract,
                         testing::Values(&zarr_driver::Make<zarr_driver::DiskUnderTest>));
INSTANTIATE_TEST_SUITE_P(Memory, StoreContract,
                         testing::Values(&zarr_driver::Make<zarr_driver::MemoryUnderTest>));

}  // namespace zarr::test

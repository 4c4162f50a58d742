// SPDX-License-Identifier: MIT
// Runs the contract tests of Store on folders in GDAL's memory file system.
#include <cpl_vsi.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "autotest/cpp/store/store_contract.h"
#include "autotest/cpp/support/checks.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {
namespace {

class MemoryUnderTest final : public zarr::test::StoreUnderTest {
  public:
    MemoryUnderTest() { VSIMkdir(kFolder, 0755); }
    ~MemoryUnderTest() override { VSIRmdirRecursive(kFolder); }

    void Put(const std::string& key, std::string_view value) override {
        EXPECT_TRUE(zarr::test::Succeeds(store_.Set(key, zarr::ByteSpan(value))));
    }
    const zarr::Store& store() override { return store_; }
    zarr::Store* writable() override { return &store_; }

  private:
    static constexpr const char* kFolder = "/vsimem/contract";
    VsiStore store_{StorePath(kFolder)};
};

std::unique_ptr<zarr::test::StoreUnderTest> MakeMemory() {
    return std::make_unique<MemoryUnderTest>();
}

}  // namespace
}  // namespace zarr_driver

namespace zarr::test {

INSTANTIATE_TEST_SUITE_P(Memory, StoreContract, testing::Values(&zarr_driver::MakeMemory));

}  // namespace zarr::test
